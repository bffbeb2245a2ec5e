#include "paper/datasets/datasets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "has.h"
#include "io/files.h"
#include "message_of.h"
#include "scoped_variable.h"
#include "scratch_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using testing::has;
using testing::message_of;
using testing::ScopedVariable;
using testing::ScratchFolder;

TEST(Datasets, EveryNameIsFoundAndNoneTwice) {
  std::set<std::string_view> names;
  for (const Dataset& dataset : datasets()) {
    EXPECT_EQ(&find_dataset(dataset.name), &dataset);
    EXPECT_TRUE(names.insert(dataset.name).second);
    EXPECT_FALSE(dataset.description.empty());
    EXPECT_EQ(dataset.description.find('\n'), std::string_view::npos);
    for (const DatasetFile& file : dataset.files) {
      EXPECT_EQ(&dataset_file(file.name), &file);
      EXPECT_TRUE(names.insert(file.name).second);
      EXPECT_EQ(file.dataset, dataset.name);
      EXPECT_TRUE(file.url.starts_with("https://")) << file.url;
      EXPECT_TRUE(file.url.ends_with(file.name)) << file.url;
      EXPECT_EQ(file.sha256.size(), 64u);
    }
    const std::set<std::string_view> columns(dataset.columns.begin(), dataset.columns.end());
    EXPECT_EQ(columns.size(), dataset.columns.size());
    EXPECT_TRUE(columns.contains(dataset.target));
    for (const std::string_view column : dataset.sensitive) EXPECT_TRUE(columns.contains(column)) << column;
  }
  const std::string unknown = message_of([] { find_dataset("adults"); });
  for (const std::string_view part : {"adults", "adult", "compas", "crime"}) EXPECT_TRUE(has(unknown, part)) << unknown;
  EXPECT_TRUE(has(message_of([] { dataset_file("adult.csv"); }), "adult.data"));
}

TEST(Datasets, TheCacheFollowsTheEnvironment) {
  const ScopedVariable home("HOME", "/home/someone");
  {
    const ScopedVariable xdg("XDG_CACHE_HOME", "/var/cache/someone");
    EXPECT_EQ(cache_directory(), "/var/cache/someone/plumbline");
  }
  for (const char* not_absolute : {"", "cache"}) {
    const ScopedVariable xdg("XDG_CACHE_HOME", not_absolute);
    EXPECT_EQ(cache_directory(), "/home/someone/.cache/plumbline");
  }
  const ScopedVariable xdg("XDG_CACHE_HOME"), nobody("HOME");
  EXPECT_TRUE(has(message_of([] { cache_directory(); }), "HOME"));
}

TEST(Datasets, AFileIsTakenFromTheFirstPlaceThatHasIt) {
  const ScratchFolder given, variable, cache;
  const ScopedVariable data_dir("PLUMBLINE_DATA_DIR", variable.path()), xdg("XDG_CACHE_HOME", cache.path());
  const fs::path cached = cache.path() / "plumbline";
  fs::create_directory(cached);

  const std::string missing = message_of([&] { find_dataset_file("adult.test", given.path()); });
  for (const std::string& part : {given.path().string(), variable.path().string(), cached.string(),
                                  std::string("adult.test"), std::string("plumbline data fetch adult")})
    EXPECT_TRUE(has(missing, part)) << missing;

  for (const fs::path& folder : {cached, variable.path(), given.path()}) {
    write_file(folder / "adult.test", "changed");
    EXPECT_EQ(find_dataset_file("adult.test", given.path()), folder / "adult.test");
  }
  EXPECT_EQ(find_dataset_file("adult.test"), variable.path() / "adult.test");
  fs::remove(variable.path() / "adult.test");
  fs::create_directory(variable.path() / "adult.test");  // not a file
  EXPECT_EQ(find_dataset_file("adult.test"), cached / "adult.test");
  EXPECT_THROW(find_dataset_file("adult.csv"), Error);
}

TEST(Datasets, AChangedFileIsRefusedWithBothSums) {
  const ScratchFolder folder;
  write_file(folder.path() / "adult.data", "abc");
  const DatasetFile& file = dataset_file("adult.data");
  const std::string message = message_of([&] { check_dataset_file(file, folder.path() / "adult.data"); });
  for (const std::string_view part :
       {"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", file.sha256.data(), folder.path().c_str()})
    EXPECT_TRUE(has(message, part)) << message;
}

class PublishedFile : public ::testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (std::getenv("PLUMBLINE_DATA_DIR") == nullptr)
      GTEST_SKIP() << "PLUMBLINE_DATA_DIR is not set; set it to the folder that holds " << GetParam();
  }

  const DatasetFile& file = dataset_file(GetParam());
};

TEST_P(PublishedFile, IsAsDescribed) {
  const fs::path path = find_dataset_file(file.name);
  EXPECT_EQ(message_of([&] { check_dataset_file(file, path); }), "");
  const std::string text = read_file(path);
  EXPECT_EQ(text.size(), static_cast<std::size_t>(file.bytes));

  std::vector<std::string_view> lines;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    lines.push_back(rest.substr(0, end));
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  const auto data = lines.begin() + file.lines_before_data;
  const auto cells = [](std::string_view line) { return 1 + std::count(line.begin(), line.end(), ','); };
  const Dataset& dataset = find_dataset(file.dataset);
  EXPECT_EQ(std::count_if(data, lines.end(), [](std::string_view line) { return !line.empty(); }), file.rows);
  EXPECT_EQ(cells(*data), static_cast<std::ptrdiff_t>(dataset.columns.size()));
}

TEST_P(PublishedFile, LineEndsCountWhereTheyHaveNotBeenChangedAtTheSource) {
  std::string text = read_file(find_dataset_file(file.name)), other;
  const bool has_crlf = has(text, "\r\n");
  for (const char c : text) {
    if (c == '\n' && !has_crlf) other += '\r';
    if (c != '\r') other += c;
  }
  const ScratchFolder folder;
  write_file(folder.path() / file.name, other);
  EXPECT_NE(other, text);
  EXPECT_EQ(message_of([&] { check_dataset_file(file, folder.path() / file.name); }).empty(),
            file.line_ends == LineEnds::crlf_as_lf);
}

INSTANTIATE_TEST_SUITE_P(Datasets, PublishedFile,
                         ::testing::Values("adult.data", "adult.test", "compas-scores-two-years.csv",
                                           "communities.data"),
                         [](const auto& test) {
                           std::string name(test.param);
                           std::erase_if(name, [](char c) { return c == '.' || c == '-'; });
                           return name;
                         });

}  // namespace
}  // namespace plumbline
