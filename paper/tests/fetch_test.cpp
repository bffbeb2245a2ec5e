#include "paper/datasets/fetch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <optional>

#include "has.h"
#include "http_server.h"
#include "io/files.h"
#include "message_of.h"
#include "scoped_variable.h"
#include "scratch_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using testing::address_of_nobody;
using testing::has;
using testing::HttpServer;
using testing::message_of;
using testing::ScopedVariable;
using testing::ScratchFolder;

std::string sum_of(std::string_view bytes) {
  Sha256 sum;
  sum.update(bytes);
  return sum.finish();
}

std::string ok(const std::string& body, std::optional<std::size_t> length = {}) {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
                     length.value_or(body.size()), body);
}

// Several reads of a socket long, so that there are parts.
std::string long_text() {
  std::string text;
  for (int i = 0; i < 40000; ++i) text += fmt::format("{},{}\n", i, i * i % 97);
  return text;
}

class Fetch : public ::testing::Test {
 protected:
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
  }

  FetchOptions from(const std::string& url) const { return {.folder = folder.path(), .base_url = url}; }

  // What the server's answer is refused with. The folder must be as it was: empty, then with an old file.
  std::string refusal(const std::string& answer, FetchOptions options = {}) {
    const HttpServer server([&](const std::string&) { return answer; });
    options.folder = folder.path();
    options.base_url = server.url();
    const std::string message = message_of([&] { fetch_file(file, options); });
    EXPECT_TRUE(has(message, server.url() + "/table.csv")) << message;
    EXPECT_EQ(entries(), 0u);
    write_file(path, "old");
    EXPECT_EQ(message_of([&] { fetch_file(file, options); }), message);
    EXPECT_EQ(entries(), 1u);
    EXPECT_EQ(read_file(path), "old");
    fs::remove(path);
    return message;
  }

  const ScopedVariable no_proxy{"no_proxy", "127.0.0.1"};
  const ScopedVariable no_mirror{"PLUMBLINE_DATA_URL"};
  const ScratchFolder folder;
  const fs::path path = folder.path() / "table.csv";
  const std::string text = long_text(), sum = sum_of(text);
  const DatasetFile file{.dataset = "table",
                         .name = "table.csv",
                         .url = "https://127.0.0.1:1/table.csv",
                         .sha256 = sum,
                         .bytes = static_cast<std::int64_t>(text.size())};
};

TEST_F(Fetch, WritesWhatIsPublishedAndAsksOnce) {
  const HttpServer server([&](const std::string& asked) { return asked == "/data/table.csv" ? ok(text) : ""; });
  for (const char* base : {"/data", "/data/"}) {
    const FetchedFile first = fetch_file(file, from(server.url() + base));
    EXPECT_TRUE(first.downloaded);
    EXPECT_EQ(first.path, path);
    EXPECT_EQ(read_file(path), text);
    const int asked = server.requests();
    EXPECT_FALSE(fetch_file(file, from(server.url() + base)).downloaded);
    EXPECT_EQ(server.requests(), asked);
    EXPECT_EQ(entries(), 1u);
    write_file(path, "damaged");  // and is replaced in the next round
  }
}

TEST_F(Fetch, FollowsRedirects) {
  const HttpServer server([&](const std::string& asked) {
    return asked == "/moved" ? ok(text) : "HTTP/1.1 302 Found\r\nLocation: /moved\r\nContent-Length: 5\r\n\r\nhello";
  });
  fetch_file(file, from(server.url()));
  EXPECT_EQ(read_file(path), text);
}

TEST_F(Fetch, ReportsEveryPartUpToTheWhole) {
  for (const bool says_length : {true, false}) {
    const HttpServer server([&](const std::string&) {
      return says_length ? ok(text) : "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + text;
    });
    std::int64_t last = 0;
    FetchOptions options = from(server.url());
    options.progress = [&](const DatasetFile& of, std::int64_t bytes, std::int64_t total) {
      EXPECT_EQ(of.name, file.name);
      EXPECT_GT(bytes, last);
      EXPECT_EQ(total, file.bytes);
      last = bytes;
    };
    fetch_file(file, options);
    EXPECT_EQ(last, file.bytes);
    fs::remove(path);
  }
}

TEST_F(Fetch, StopsWhenProgressThrows) {
  const HttpServer server([&](const std::string&) { return ok(text); });
  FetchOptions options = from(server.url());
  options.progress = [](const auto&...) { throw Error("stopped"); };
  EXPECT_EQ(message_of([&] { fetch_file(file, options); }), "stopped");
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Fetch, RefusesOtherContentWithBothSums) {
  std::string changed = text;
  changed[1000] ^= 1;
  const std::string message = refusal(ok(changed));
  EXPECT_TRUE(has(message, sum)) << message;
  EXPECT_TRUE(has(message, sum_of(changed))) << message;
  EXPECT_TRUE(has(refusal(ok("")), sum_of("")));
}

TEST_F(Fetch, RefusesWhatIsTooLongBeforeItFillsTheDisk) {
  EXPECT_TRUE(has(refusal(ok(text + text)), fmt::format("more than {} bytes", text.size())));
}

TEST_F(Fetch, RefusesACutConnection) {
  const std::string message = refusal(ok(text.substr(0, 1000), text.size()));
  EXPECT_TRUE(has(message, fmt::format("cut after 1000 bytes of {}", text.size()))) << message;
}

TEST_F(Fetch, NamesTheStatus) {
  const std::string body = "HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\nConnection: close\r\n\r\nnot here\n";
  EXPECT_TRUE(has(refusal(body), "404"));
}

TEST_F(Fetch, GivesUpOnAServerThatStalls) { EXPECT_TRUE(has(refusal("", {.stall_seconds = 1}), "in time")); }

TEST_F(Fetch, SaysWhenThereIsNoConnection) {
  const std::string nobody = address_of_nobody();
  const std::string message = message_of([&] { fetch_file(file, from(nobody)); });
  EXPECT_TRUE(has(message, "no connection to '" + nobody)) << message;
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Fetch, AsksThePublishedSourceOverHttpsOnly) {
  const HttpServer server([&](const std::string&) { return ok(text); });
  const std::string url = server.url() + "/table.csv";
  DatasetFile plain = file;
  plain.url = url;
  EXPECT_TRUE(has(message_of([&] { fetch_file(plain, {.folder = folder.path()}); }), url));
  EXPECT_EQ(server.requests(), 0);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Fetch, TheEnvironmentNamesMirrorAndCache) {
  const HttpServer server([&](const std::string&) { return ok(text); });
  const ScopedVariable cache("XDG_CACHE_HOME", (folder.path() / "new" / "cache").string());
  {
    const ScopedVariable mirror("PLUMBLINE_DATA_URL", server.url());
    const mode_t before = ::umask(0);
    const fs::path fetched = fetch_file(file).path;
    ::umask(before);
    EXPECT_EQ(fetched, folder.path() / "new" / "cache" / "plumbline" / "table.csv");
    EXPECT_EQ(read_file(fetched), text);
    for (fs::path made = fetched.parent_path(); made != folder.path(); made = made.parent_path())
      EXPECT_EQ(fs::status(made).permissions(), fs::perms::owner_all) << made;
    fs::remove(fetched);
  }
  const ScopedVariable mirror("PLUMBLINE_DATA_URL", "ftp://here");
  EXPECT_TRUE(has(message_of([&] { fetch_file(file); }), "PLUMBLINE_DATA_URL is 'ftp://here'"));
}

TEST_F(Fetch, SaysWhenTheFolderCannotBeWritten) {
  write_file(folder.path() / "file", "");
  const HttpServer server([&](const std::string&) { return ok(text); });
  for (const fs::path& bad : {folder.path() / "file", folder.path() / "file" / "below"}) {
    const std::string message = message_of([&] { fetch_file(file, {.folder = bad, .base_url = server.url()}); });
    EXPECT_TRUE(has(message, bad.string())) << message;
    EXPECT_TRUE(has(message, "Not a directory")) << message;
  }
  EXPECT_EQ(server.requests(), 0);
}

// A file that may not grow stands for a disk that is full.
TEST_F(Fetch, LeavesNothingOnAFullDisk) {
  const HttpServer server([&](const std::string&) { return ok(text); });
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 1000;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = message_of([&] { fetch_file(file, from(server.url())); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(has(message, "cannot write '" + path.string())) << message;
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Fetch, RefusesOptionsOutOfRange) {
  EXPECT_TRUE(has(message_of([&] { fetch_file(file, from("here")); }), "base_url is 'here'"));
  EXPECT_TRUE(has(message_of([&] { fetch_file(file, {.connect_seconds = 0}); }), "connect_seconds is 0"));
  EXPECT_TRUE(has(message_of([&] { fetch_file(file, {.stall_seconds = -1}); }), "stall_seconds is -1"));
}

TEST_F(Fetch, APublishedDataSetComesWithEitherLineEnds) {
  if (std::getenv("PLUMBLINE_DATA_DIR") == nullptr)
    GTEST_SKIP() << "PLUMBLINE_DATA_DIR is not set; set it to the folder that holds communities.data and adult.data";
  const std::string crime = read_file(find_dataset_file("communities.data"));
  std::string lf = crime;
  std::erase(lf, '\r');
  for (const std::string& published : {crime, lf}) {
    const HttpServer server(
        [&](const std::string& asked) { return ok(asked == "/communities.data" ? published : ""); });
    const std::vector<FetchedFile> fetched = fetch_dataset(find_dataset("crime"), from(server.url()));
    ASSERT_EQ(fetched.size(), 1u);
    EXPECT_EQ(read_file(fetched[0].path), published);
    EXPECT_EQ(find_dataset_file("communities.data", folder.path()), fetched[0].path);
    fs::remove(fetched[0].path);
  }
  const HttpServer server([](const std::string& asked) { return ok(read_file(find_dataset_file(asked.substr(1)))); });
  EXPECT_EQ(fetch_dataset(find_dataset("adult"), from(server.url())).size(), 2u);
  for (const char* name : {"adult.data", "adult.test"})
    EXPECT_EQ(message_of([&] { check_dataset_file(dataset_file(name), folder.path() / name); }), "");
}

}  // namespace
}  // namespace plumbline
