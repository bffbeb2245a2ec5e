#include "io/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <thread>

#include "byte_forms.h"
#include "child_process.h"
#include "io/files.h"
#include "message_of.h"
#include "random_data.h"
#include "scratch_folder.h"

namespace plumbline {
namespace {

using testing::all_of;
using testing::ChildProcess;
using testing::kSizes;
using testing::message_of;
using testing::Random;
using testing::random_bytes;
using testing::Redirected;
using testing::remedy_of;
using testing::ScratchFolder;
using Names = std::vector<std::string>;

void write_in_pieces(OutputFile& file, Random& random, const std::string& bytes) {
  for (std::size_t from = 0; from < bytes.size();) {
    const auto count = static_cast<std::size_t>(random.integer(0, random.integer(0, 3) == 0 ? 2000000 : 20000));
    file.write(std::string_view(bytes).substr(from, count));
    from += count;
  }
}

TEST(OutputFile, WhatIsWrittenIsReadBack) {
  const ScratchFolder folder;
  Random random(1);
  for (const char* name : {"a.csv", "a.csv.gz", "a.csv.zst"})
    for (const Index size : kSizes) {
      const std::string bytes = random_bytes(random, size);
      OutputFile file(folder / name, {.force = true});
      write_in_pieces(file, random, bytes);
      file.commit();
      EXPECT_EQ(all_of(folder / name), bytes) << name << " " << size;
      const std::string stored = folder.get(name);
      EXPECT_EQ(compression_of_bytes(stored), compression_of_name(name));
      write_file(folder / name, bytes);
      EXPECT_EQ(folder.get(name), stored) << "the same bytes, written in other pieces, gave another file";
    }
  EXPECT_EQ(folder.names(), (Names{"a.csv", "a.csv.gz", "a.csv.zst"}));
}

TEST(OutputFile, TheOldFileStaysUntilCommit) {
  const ScratchFolder folder;
  folder.put("a", "old");
  for (const bool finish : {false, true}) {
    OutputFile file(folder / "a", {.force = true});
    file.write(std::string(3000000, 'x'));
    if (finish) file.finish();
    EXPECT_EQ(folder.get("a"), "old");
    EXPECT_EQ(folder.names().size(), 2);
  }
  EXPECT_EQ(folder.names(), Names{"a"});
  OutputFile file(folder / "a", {.force = true});
  file.write("new");
  file.commit();
  EXPECT_EQ(folder.get("a"), "new");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(OutputFile, AnExceptionLeavesNoFile) {
  const ScratchFolder folder;
  EXPECT_THROW(
      {
        OutputFile file(folder / "a.gz");
        file.write("half");
        throw Error("the other half is bad");
      },
      Error);
  EXPECT_EQ(folder.names(), Names{});
}

TEST(OutputFile, MovesWithItsTemporaryFile) {
  const ScratchFolder folder;
  std::optional<OutputFile> file(OutputFile(folder / "a"));
  file->write("begun, ");
  OutputFile moved = std::move(*file);
  file.reset();
  moved.write("done");
  moved.commit();
  EXPECT_EQ(folder.get("a"), "begun, done");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(OutputFile, WhatExistsIsReplacedByForceAlone) {
  const ScratchFolder folder;
  folder.put("a", "old");
  EXPECT_EQ(remedy_of([&] { OutputFile file(folder / "a"); }), Remedy::replace_file);
  OutputFile late(folder / "b");
  late.write("ours");
  folder.put("b", "theirs");
  EXPECT_EQ(remedy_of([&] { late.commit(); }), Remedy::replace_file);
  EXPECT_EQ(folder.get("b"), "theirs");
  ASSERT_EQ(::unlink((folder / "b").c_str()), 0);
  late.commit();  // it can still be had
  EXPECT_EQ(folder.get("b"), "ours");
}

TEST(OutputFile, IsWrittenOnce) {
  const ScratchFolder folder;
  OutputFile file(folder / "a");
  file.finish();
  EXPECT_NE(message_of([&] { file.write("more"); }).find("finished already"), std::string::npos);
  EXPECT_NE(message_of([&] { file.finish(); }).find("finished already"), std::string::npos);
  file.commit();
  EXPECT_NE(message_of([&] { file.commit(); }).find("finished already"), std::string::npos);
  EXPECT_EQ(folder.get("a"), "");
}

TEST(OutputFile, FilesOfOneCommandAreCommittedTogetherOrNotAtAll) {
  const ScratchFolder folder;
  folder.put("model", "old model");
  for (const bool full : {true, false}) {
    OutputFile model(folder / "model", {.force = true}), data(folder / "data"),
        report(full ? "/dev/full" : folder / "report");
    for (OutputFile* file : {&model, &data, &report}) file->write("new " + file->name());
    const std::string message = message_of([&] { commit_all({&model, &data, &report}); });
    EXPECT_EQ(message.find("/dev/full") != std::string::npos, full) << message;
    EXPECT_EQ(folder.get("model"), full ? "old model" : "new " + model.name());
    EXPECT_EQ(std::filesystem::exists(folder / "data"), !full);
  }
  EXPECT_EQ(folder.names(), (Names{"data", "model", "report"}));
}

TEST(OutputFile, TwoOutputsNeedTwoTargets) {
  const ScratchFolder folder;
  OutputFile one(folder / "a", {.force = true}), two(folder / "a", {.force = true});
  EXPECT_NE(message_of([&] { commit_all({&one, &two}); }).find("a' is the target of two outputs"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  OutputFile null("/dev/null"), other("/dev/null");
  commit_all({&null, &other});
}

// Writes until it cannot, and says why.
std::string fill(const std::string& target) {
  return message_of([&] {
    OutputFile file(target, {.force = true});
    for (int i = 0; i < 100; ++i) file.write(std::string(1 << 20, 'x'));
    file.commit();
  });
}

TEST(OutputFile, AFullDiskLeavesTheOldFile) {
  const ScratchFolder folder;
  if (::mount("plumbline_test", folder.path().c_str(), "tmpfs", 0, "size=2m") != 0)
    GTEST_SKIP() << "no right to mount a small disk; see ALimitedFileLeavesTheOldFile and ADeviceIsWrittenDirectly";
  folder.put("a", "old");
  const std::string message = fill(folder / "a");
  const std::string packed = message_of([&] {
    Random random(2);
    OutputFile file(folder / "b.gz");
    for (int i = 0; i < 20; ++i) file.write(random_bytes(random, 1 << 20));
    file.commit();
  });
  const std::string left = folder.get("a");
  const Names names = folder.names();
  ASSERT_EQ(::umount(folder.path().c_str()), 0);
  EXPECT_NE(message.find("a': No space left on device; free some space"), std::string::npos) << message;
  EXPECT_NE(packed.find("b.gz': No space left on device"), std::string::npos) << packed;
  EXPECT_EQ(left, "old");
  EXPECT_EQ(names, Names{"a"});
}

TEST(OutputFile, ALimitedFileLeavesTheOldFile) {
  const ScratchFolder folder;
  folder.put("a", "old");
  // The signal of this limit is ignored, so that it is an error of write(2), as a full disk is.
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{1500000, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = fill(folder / "a");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, before);
  EXPECT_NE(message.find("a': File too large"), std::string::npos) << message;
  EXPECT_EQ(folder.get("a"), "old");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(OutputFile, AFailedWriteIsNotForgotten) {
  OutputFile file("/dev/full");
  file.write("small enough to be buffered");
  EXPECT_NE(message_of([&] { file.write(std::string(2000000, 'x')); }).find("No space left"), std::string::npos);
  EXPECT_NE(message_of([&] { file.write("more"); }).find("could not be written"), std::string::npos);
  EXPECT_NE(message_of([&] { file.commit(); }).find("could not be written"), std::string::npos);
}

TEST(OutputFile, ADeviceIsWrittenDirectly) {
  EXPECT_EQ(fill("/dev/null"), "");
  EXPECT_NE(fill("/dev/full").find("cannot write '/dev/full': No space left on device"), std::string::npos);
  struct stat status {};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST(OutputFile, APipeIsWrittenDirectly) {
  const ScratchFolder folder;
  Random random(3);
  const std::string bytes = random_bytes(random, 500000);
  for (const char* name : {"pipe", "pipe.zst"}) {
    ASSERT_EQ(::mkfifo((folder / name).c_str(), 0600), 0);
    std::string read;
    std::jthread reader([&] { read = all_of(folder / name); });
    OutputFile file(folder / name);
    write_in_pieces(file, random, bytes);
    file.commit();
    reader.join();
    EXPECT_EQ(read, bytes);
  }
}

TEST(OutputFile, StandardOutputIsWrittenDirectlyAndStaysOpen) {
  const ScratchFolder folder;
  const Descriptor log(::open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  {
    const Redirected output(STDOUT_FILENO, log.number());
    for (const std::string& target : {std::string("-"), std::string("/dev/stdout"), std::string("/dev/fd/1")}) {
      OutputFile file(target);
      EXPECT_EQ(file.name(), target == "-" ? "standard output" : target);
      file.write(target + "\n");
      file.commit();
    }
    const OutputFile never_written("-");
  }
  EXPECT_EQ(folder.get("log"), "-\n/dev/stdout\n/dev/fd/1\n");
  EXPECT_EQ(folder.names(), Names{"log"});
}

TEST(OutputFile, SaysThatNobodyReadsAnyMore) {
  const ScratchFolder folder;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  Descriptor reader(ends[0]);
  const Descriptor writer(ends[1]);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  {
    const Redirected output(STDOUT_FILENO, writer.number());
    OutputFile data("-"), model(folder / "model");
    reader.close();
    data.write("nobody will read this");
    EXPECT_THROW(commit_all({&model, &data}), ReaderGone);
  }
  std::signal(SIGPIPE, before);
  EXPECT_EQ(folder.names(), Names{});
}

TEST(OutputFile, KillingHalfWayLeavesTheOldFile) {
  const ScratchFolder folder;
  for (const char* name : {"a", "a.gz"}) {
    folder.put(name, "old");
    ChildProcess child([&](const auto& ready) {
      OutputFile file(folder / name, {.force = true});
      for (int i = 0; i < 3; ++i) file.write(std::string(1 << 20, static_cast<char>('x' + i)));
      ready();
    });
    EXPECT_EQ(child.end_by(SIGKILL), SIGKILL);
    EXPECT_EQ(folder.get(name), "old");
    const Names names = folder.names();
    EXPECT_EQ(names.size(), 2);
    EXPECT_TRUE(names[0].starts_with(".plumbline-") && names[0].ends_with(".tmp")) << names[0];
    OutputFile file(folder / name, {.force = true});  // and what was left behind is in nobody's way
    file.commit();
    ASSERT_EQ(::unlink((folder / names[0]).c_str()), 0);
    ASSERT_EQ(::unlink((folder / name).c_str()), 0);
  }
}

}  // namespace
}  // namespace plumbline
