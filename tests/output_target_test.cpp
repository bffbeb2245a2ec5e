#include "io/output_target.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include "byte_forms.h"
#include "io/output_file.h"
#include "message_of.h"
#include "random_data.h"
#include "scratch_folder.h"

namespace plumbline {
namespace {

using testing::message_of;
using testing::Random;
using testing::Redirected;
using testing::ScratchFolder;
using Names = std::vector<std::string>;

void write_new(const std::string& target, const OutputOptions& options = {.force = true}) {
  OutputFile file(target, options);
  file.write("new");
  file.commit();
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

TEST(OutputTarget, AnInputIsNeverReplacedUnderWhateverName) {
  const ScratchFolder folder;
  const std::string input = folder.put("in", "old");
  std::filesystem::create_hard_link(input, folder / "hard");
  std::filesystem::create_symlink("in", folder / "soft");
  std::filesystem::create_symlink(folder / "soft", folder / "softer");
  std::filesystem::create_directory(folder / "sub");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  Names names = {"in", "./in", "sub/../in", "hard", "soft", "softer"};
  for (const std::string& name : Names(names)) names.push_back(folder / name);
  for (const std::string& target : names)
    for (const std::string& given : names)
      for (const bool force : {false, true}) {
        const std::string message = message_of([&] {
          OutputFile file(target, {.force = force, .inputs = {"missing", given}});
        });
        EXPECT_NE(message.find(target + "' is the output and an input too"), std::string::npos) << message;
      }
  std::filesystem::current_path(before);
  EXPECT_EQ(folder.get("in"), "old");
  EXPECT_EQ(folder.names(), (Names{"hard", "in", "soft", "softer", "sub"}));
}

TEST(OutputTarget, StandardOutputIsNoInputEither) {
  const ScratchFolder folder;
  const std::string input = folder.put("in", "old");
  const Descriptor file(::open(input.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  std::string message, from_standard_input;
  {
    const Redirected output(STDOUT_FILENO, file.number());
    message = message_of([&] { OutputFile("-", {.inputs = {input}}); });
    const Redirected in(STDIN_FILENO, file.number());
    from_standard_input = message_of([&] { OutputFile("-", {.inputs = {"-"}}); });
  }
  EXPECT_EQ(message, "standard output is the output and an input too; choose another name for the output");
  EXPECT_EQ(from_standard_input, message);
  OutputFile("/dev/null", {.inputs = {"/dev/null"}}).commit();  // which is as well, for nothing is lost
}

TEST(OutputTarget, ALinkStaysAndItsDestinationIsReplaced) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "sub");
  folder.put("sub/real", "old");
  std::filesystem::create_symlink("real", folder / "sub/near");
  std::filesystem::create_symlink("sub/near", folder / "link");
  EXPECT_NE(message_of([&] { OutputFile file(folder / "link"); }).find("link' exists"), std::string::npos);
  write_new(folder / "link");
  EXPECT_EQ(folder.get("sub/real"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link") && std::filesystem::is_symlink(folder / "sub/near"));
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "sub/real"));

  std::filesystem::create_symlink("sub/later", folder / "dangling");
  write_new(folder / "dangling", {});
  EXPECT_EQ(folder.get("sub/later"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "dangling"));

  std::filesystem::create_symlink("b", folder / "a");
  std::filesystem::create_symlink("a", folder / "b");
  EXPECT_NE(message_of([&] { write_new(folder / "a"); }).find("a': Too many levels"), std::string::npos);

  std::filesystem::create_symlink("/dev/stdout", folder / "output");
  const Descriptor log(::open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  {
    const Redirected output(STDOUT_FILENO, log.number());
    write_new(folder / "output");
    write_new("/proc/self/fd/1");
  }
  EXPECT_EQ(folder.get("log"), "newnew");
}

TEST(OutputTarget, OtherNamesOfAReplacedFileKeepTheOldContent) {
  const ScratchFolder folder;
  folder.put("a", "old");
  std::filesystem::create_hard_link(folder / "a", folder / "other");
  write_new(folder / "a");
  EXPECT_EQ(folder.get("a"), "new");
  EXPECT_EQ(folder.get("other"), "old");
}

TEST(OutputTarget, ForeignLinksInSharedFoldersAreRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a link of another user";
  const ScratchFolder folder;
  folder.put("precious", "old");
  std::filesystem::create_symlink("precious", folder / "trap");
  ASSERT_EQ(::lchown((folder / "trap").c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 01777), 0);
  EXPECT_NE(message_of([&] { write_new(folder / "trap"); }).find("link that another user left"), std::string::npos);
  EXPECT_EQ(folder.get("precious"), "old");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);  // where only its owner may make links, they are the owner's
  write_new(folder / "trap");
  EXPECT_EQ(folder.get("precious"), "new");
}

TEST(OutputTarget, SaysWhatIsWrongWithATarget) {
  const ScratchFolder folder;
  folder.put("a", "x");
  const auto message = [&](const std::string& target) { return message_of([&] { write_new(target); }); };
  EXPECT_NE(message("").find("name of the output is empty"), std::string::npos);
  EXPECT_NE(message(folder.path().string()).find("is a directory"), std::string::npos);
  EXPECT_NE(message(folder / "none/b").find("none': No such file or directory; create the folder"), std::string::npos);
  EXPECT_NE(message(folder / "none/").find("none': No such file or directory; create the folder"), std::string::npos);
  EXPECT_NE(message(folder / "a/b").find("a/b': Not a directory"), std::string::npos);
  EXPECT_NE(message(folder / std::string(300, 'n')).find("File name too long"), std::string::npos);
  EXPECT_NE(message("/dev/fd/987").find("cannot write '/dev/fd/987': Bad file"), std::string::npos);

  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (folder / "socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_NE(message(folder / "socket").find("socket' is neither a file nor a pipe"), std::string::npos);
  EXPECT_EQ(folder.names(), (Names{"a", "socket"}));

  write_new(folder / std::string(255, 'n'));  // the longest there is: the temporary name is no longer
}

TEST(OutputTarget, SaysThatAFolderMayNotBeWrittenTo) {
  const ScratchFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  const bool root = ::geteuid() == 0;  // who may write everywhere
  if (root && ::seteuid(65534) != 0) GTEST_SKIP() << "root cannot become another user here";
  const std::string message = message_of([&] { write_new(folder / "a"); });
  ASSERT_TRUE(!root || ::seteuid(0) == 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  EXPECT_NE(message.find("': Permission denied; choose another folder"), std::string::npos) << message;
}

TEST(OutputTarget, NobodyMayReadItWhoMayNotReadEveryInput) {
  const ScratchFolder folder;
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const auto mask = static_cast<mode_t>(random.integer(0, 077));
    mode_t strictest = 0666;
    OutputOptions options{.force = true};
    for (Index i = random.integer(0, 3); i >= 0; --i) {
      options.inputs.push_back(folder.put("in" + std::to_string(i), "x"));
      const auto mode = static_cast<mode_t>(random.integer(0, 0777));
      ASSERT_EQ(::chmod(options.inputs.back().c_str(), mode), 0);
      strictest &= mode;
    }
    const bool replaced = random.integer(0, 1) == 1;
    if (replaced) {
      const auto mode = static_cast<mode_t>(random.integer(0, 0777));
      ASSERT_EQ(::chmod(folder.put("out", "old").c_str(), mode), 0);
      strictest &= mode;
    }
    const mode_t before = ::umask(mask);
    write_new(folder / "out", options);
    ::umask(before);
    EXPECT_EQ(mode_of(folder / "out"), (0600 | (strictest & 0066)) & ~mask) << round;
    std::filesystem::remove(folder / "out");
  }
}

// A file that all may read, in a folder that is closed to them: who could not get there may not read the output either.
TEST(OutputTarget, NobodyMayReadItWhoCouldNotReachAnInput) {
  const ScratchFolder folder;
  Random random(2);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  std::filesystem::create_directories(folder.path() / "in/below");
  std::filesystem::create_directory(folder.path() / "out");
  const std::string input = folder.put("in/below/a", "x");
  const mode_t before = ::umask(0);
  for (int round = 0; round < 200; ++round) {
    const auto mode_from = [&](mode_t least) { return least | static_cast<mode_t>(random.integer(0, 0077)); };
    const mode_t above = mode_from(0700), below = mode_from(0700), out = mode_from(0700), own = mode_from(0600);
    ASSERT_EQ(::chmod((folder / "in").c_str(), above), 0);
    ASSERT_EQ(::chmod((folder / "in/below").c_str(), below), 0);
    ASSERT_EQ(::chmod((folder / "out").c_str(), out), 0);
    ASSERT_EQ(::chmod(input.c_str(), own), 0);
    write_new(folder / "out/a", {.inputs = {input}});
    const mode_t found = mode_of(folder / "out/a");
    for (const mode_t shift : {0, 3}) {
      const mode_t passes = 01 << shift, reads = 06 << shift;
      const mode_t was = (above & below & passes) != 0 ? own & reads : 0;
      const mode_t is = (out & passes) != 0 ? found & reads : 0;
      EXPECT_EQ(is & ~was, 0U) << round;    // by the way that leads there
      EXPECT_EQ(found & reads & ~own, 0U);  // and by the file alone
      if ((above & below & passes) != 0) EXPECT_EQ(found & reads, own & reads);
    }
    std::filesystem::remove(folder / "out/a");
  }
  ::umask(before);
}

TEST(OutputTarget, IsPrivateIfAnInputIsAPipe) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0666), 0);
  const std::string open_to_all = folder.put("in", "x");
  const mode_t before = ::umask(0);
  write_new(folder / "open", {.inputs = {open_to_all}});
  write_new(folder / "free", {});
  write_new(folder / "private", {.inputs = {open_to_all, folder / "pipe"}});
  {
    const Descriptor pipe(::open((folder / "pipe").c_str(), O_RDWR | O_CLOEXEC));
    const Redirected input(STDIN_FILENO, pipe.number());
    write_new(folder / "private too", {.inputs = {"-"}});
  }
  ::umask(before);
  EXPECT_EQ(mode_of(folder / "open"), mode_of(open_to_all));
  EXPECT_EQ(mode_of(folder / "free"), 0666);
  EXPECT_EQ(mode_of(folder / "private"), 0600);
  EXPECT_EQ(mode_of(folder / "private too"), 0600);
}

TEST(OutputTarget, AnotherGroupCountsAsOthers) {
  const ScratchFolder folder;
  const std::string input = folder.put("in", "x");
  const gid_t other = ::getegid() + 1;
  if (::chown(input.c_str(), ::geteuid(), other) != 0) GTEST_SKIP() << "only root can give a file to any group";
  const mode_t before = ::umask(0);
  for (const auto& [given, expected] : {std::pair(0660, 0600), {0664, 0644}, {0644, 0644}, {0606, 0606}}) {
    ASSERT_EQ(::chmod(input.c_str(), static_cast<mode_t>(given)), 0);
    write_new(folder / "out", {.force = true, .inputs = {input}});
    EXPECT_EQ(mode_of(folder / "out"), static_cast<mode_t>(expected));
    std::filesystem::remove(folder / "out");
  }
  // A folder that hands its group down makes them one group again.
  ASSERT_EQ(::chown(folder.path().c_str(), ::geteuid(), other), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 02755), 0);
  ASSERT_EQ(::chmod(input.c_str(), 0660), 0);
  write_new(folder / "out", {.inputs = {input}});
  ::umask(before);
  EXPECT_EQ(mode_of(folder / "out"), 0660);
}

}  // namespace
}  // namespace plumbline
