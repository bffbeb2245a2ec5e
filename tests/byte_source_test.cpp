#include "io/byte_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "byte_forms.h"
#include "io/files.h"
#include "io/spool.h"
#include "message_of.h"
#include "random_data.h"
#include "scratch_folder.h"

namespace plumbline {
namespace {

using testing::all_of;
using testing::gzip;
using testing::in_parts;
using testing::kSizes;
using testing::message_of;
using testing::Random;
using testing::random_bytes;
using testing::Redirected;
using testing::ScratchFolder;
using testing::SlowPipe;
using testing::zstd;

TEST(ByteSource, EveryFormOfAFileGivesTheSameBytes) {
  const ScratchFolder folder;
  Random random(1);
  for (const Index size : kSizes) {
    const std::string bytes = random_bytes(random, size);
    const std::string packed = in_parts(random, bytes, gzip);
    const std::string frames = testing::skippable_frame("to be ignored") + in_parts(random, bytes, zstd);
    EXPECT_EQ(all_of(folder.put("plain.csv", bytes)), bytes) << size;
    EXPECT_EQ(all_of(folder.put("a.csv.gz", packed)), bytes) << size;
    EXPECT_EQ(all_of(folder.put("a.CSV.GZ", packed)), bytes) << size;
    EXPECT_EQ(all_of(folder.put("gzip without its name", packed)), bytes) << size;
    EXPECT_EQ(all_of(folder.put("a.csv.zst", frames)), bytes) << size;
    EXPECT_EQ(all_of(folder.put("zstd without its name", frames)), bytes) << size;
    EXPECT_EQ(all_of(SlowPipe(folder / "pipe", bytes, 1).path()), bytes) << size;
    EXPECT_EQ(all_of(SlowPipe(folder / "pipe.gz", packed, 2).path()), bytes) << size;
    EXPECT_EQ(all_of(SlowPipe(folder / "pipe", frames, 3).path()), bytes) << size;
    {
      const SlowPipe pipe(folder / "pipe", bytes, 4);
      Spool spool(open_bytes(pipe.path()));
      EXPECT_EQ(all_of(spool), bytes) << size;
    }
  }
}

TEST(ByteSource, BlocksOfAnySizeAreFullAndJoinToTheWhole) {
  const ScratchFolder folder;
  Random random(2);
  const std::string bytes = random_bytes(random, 700001);
  for (const std::string& path : {folder.put("a.csv", bytes), folder.put("a.gz", in_parts(random, bytes, gzip)),
                                  folder.put("a.zst", in_parts(random, bytes, zstd))})
    for (int round = 0; round < 20; ++round) {
      const auto source = open_bytes(path);
      const Index largest = round < 10 ? 1 << 20 : 5000;
      std::string joined;
      while (true) {
        const auto size = static_cast<std::size_t>(random.integer(1, largest));
        const std::string_view block = source->next_block(size);
        ASSERT_EQ(block.size(), std::min(size, bytes.size() - joined.size()));
        if (block.empty()) break;
        joined += block;
      }
      EXPECT_EQ(joined, bytes);
      EXPECT_TRUE(source->next_block(1).empty());
    }
}

TEST(ByteSource, BlocksLastAsLongAsPromised) {
  const ScratchFolder folder;
  Random random(3);
  const std::string bytes = random_bytes(random, 900000);
  const auto mapped = open_bytes(folder.put("a", bytes));
  ASSERT_TRUE(mapped->is_mapped());
  const std::string_view first = mapped->next_block(1000);
  all_of(*mapped);
  EXPECT_EQ(std::string_view(first.data(), bytes.size()), bytes);  // and they follow each other in memory

  const SlowPipe pipe(folder / "pipe", bytes, 5);
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(open_bytes(pipe.path()));
  sources.push_back(open_bytes(folder.put("a.gz", gzip(bytes))));
  sources.push_back(open_bytes(folder.put("a.zst", zstd(bytes))));
  sources.push_back(std::make_unique<Spool>(open_bytes(folder / "a.gz")));
  all_of(*sources.back(), 70000);
  sources.back()->rewind();
  for (const auto& source : sources) {
    EXPECT_FALSE(source->is_mapped());
    std::string_view before = source->next_block(50000);
    for (std::size_t at = 0; at + 100000 <= bytes.size(); at += 50000) {
      const std::string_view block = source->next_block(50000);
      ASSERT_EQ(before, std::string_view(bytes).substr(at, 50000));
      before = block;
    }
    all_of(*source);
  }
}

TEST(ByteSource, RewindingGivesTheSameAgain) {
  const ScratchFolder folder;
  Random random(4);
  for (const Index size : kSizes) {
    const std::string bytes = random_bytes(random, size);
    for (const std::string& path : {folder.put("a.csv", bytes), folder.put("a.gz", in_parts(random, bytes, gzip)),
                                    folder.put("a.zst", in_parts(random, bytes, zstd))}) {
      const auto source = open_bytes(path);
      for (int round = 0; round < 4; ++round) {
        const auto skipped = static_cast<std::size_t>(random.integer(1, size + 1));
        EXPECT_EQ(source->next_block(skipped), std::string_view(bytes).substr(0, skipped));
        ASSERT_TRUE(source->rewind());
        EXPECT_EQ(source->bytes_consumed(), 0);
        if (round % 2 == 0) {
          EXPECT_EQ(all_of(*source, 77777), bytes);
        }
        ASSERT_TRUE(source->rewind());
      }
    }
  }
}

TEST(ByteSource, APipeCannotBeRewoundAndGoesOnUnharmed) {
  const ScratchFolder folder;
  Random random(5);
  const std::string bytes = random_bytes(random, 100000);
  for (const std::string& sent : {bytes, gzip(bytes), zstd(bytes)}) {
    const SlowPipe pipe(folder / "pipe", sent, 6);
    const auto source = open_bytes(pipe.path());
    EXPECT_FALSE(source->rewind());
    std::string joined(source->next_block(333));
    EXPECT_FALSE(source->rewind());
    joined += all_of(*source, 1000);
    EXPECT_EQ(joined, bytes);
    EXPECT_FALSE(source->bytes_total());
    EXPECT_EQ(source->bytes_consumed(), sent.size());
  }
}

TEST(ByteSource, ProgressCountsBytesOnDiskAndEndsAtTheTotal) {
  const ScratchFolder folder;
  Random random(6);
  const std::string bytes = random_bytes(random, 3000000);
  for (const std::string& path :
       {folder.put("a", bytes), folder.put("a.gz", gzip(bytes)), folder.put("a.zst", zstd(bytes))}) {
    const auto source = open_bytes(path);
    ASSERT_EQ(source->bytes_total(), std::filesystem::file_size(path));
    EXPECT_EQ(source->name(), path);
    std::uint64_t before = 0;
    while (!source->next_block(100000).empty()) {
      EXPECT_GE(source->bytes_consumed(), before);
      before = source->bytes_consumed();
    }
    EXPECT_EQ(source->bytes_consumed(), source->bytes_total());
  }
}

TEST(ByteSource, StandardInputIsReadFromWhereItStands) {
  const ScratchFolder folder;
  Random random(7);
  const std::string bytes = random_bytes(random, 200000);
  {
    const SlowPipe pipe(folder / "pipe", gzip(bytes), 7);
    const Descriptor file(::open(pipe.path().c_str(), O_RDONLY | O_CLOEXEC));
    const Redirected input(STDIN_FILENO, file.number());
    const auto source = open_bytes("-");
    EXPECT_EQ(source->name(), "standard input");
    EXPECT_FALSE(source->rewind());
    EXPECT_EQ(all_of(*source), bytes);
  }
  const Descriptor file(::open(folder.put("a", bytes).c_str(), O_RDONLY | O_CLOEXEC));
  for (const std::size_t start : {0, 5000, 200000}) {
    ASSERT_EQ(::lseek(file.number(), static_cast<off_t>(start), SEEK_SET), static_cast<off_t>(start));
    const Redirected input(STDIN_FILENO, file.number());
    const auto source = open_bytes("-");
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(source->bytes_total(), bytes.size() - start);
      EXPECT_EQ(all_of(*source), bytes.substr(start));
      EXPECT_TRUE(source->rewind());  // a file is a file, also when the shell opened it
    }
  }
}

TEST(ByteSource, APipeThatDoesNotBlockIsWaitedFor) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  const Descriptor reader(ends[0]);
  std::jthread writer([end = ends[1]] {
    const Descriptor file(end);
    for (int i = 0; i < 50; ++i) {
      EXPECT_TRUE(write_fully(file, std::string(10000, 'x')));
      std::this_thread::yield();
    }
  });
  const Redirected input(STDIN_FILENO, reader.number());
  EXPECT_EQ(all_of("-"), std::string(500000, 'x'));
}

TEST(ByteSource, FilesThatTheSystemMakesUpAreRead) {
  const std::string status = all_of("/proc/self/status");
  EXPECT_NE(status.find("VmRSS"), std::string::npos);
  EXPECT_EQ(all_of("/dev/null"), "");
}

// Bytes of files that are resident in memory.
Index resident() {
  const std::string status = read_file("/proc/self/status");
  Index kilobytes = 0;
  for (const char* field : {"RssFile:", "RssShmem:"})  // which of them depends on the file system
    kilobytes += std::stol(status.substr(status.find(field) + std::strlen(field)));
  return kilobytes << 10;
}

TEST(ByteSource, MemoryStaysFlatWhateverTheSizeOfTheFile) {
  const ScratchFolder folder;
  const std::string path = folder.put("holes", "");
  constexpr Index kMegabyte = 1 << 20;
  ASSERT_EQ(::truncate(path.c_str(), 100 * kMegabyte), 0);
  const auto source = open_bytes(path);
  const Index before = resident();
  Index most = 0;
  for (int round = 0; round < 2; ++round, source->rewind())
    for (std::string_view block = source->next_block(kMegabyte); !block.empty();
         block = source->next_block(kMegabyte)) {
      ASSERT_EQ(std::count(block.begin(), block.end(), '\0'), kMegabyte);
      most = std::max(most, resident() - before);
    }
  EXPECT_LT(most, 24 * kMegabyte);
  EXPECT_GT(most, 8 * kMegabyte);  // else this looks at the wrong number
}

TEST(ByteSource, SaysWhatIsWrongWithAPath) {
  const ScratchFolder folder;
  EXPECT_NE(message_of([&] { open_bytes(folder / "none"); }).find("none': No such file"), std::string::npos);
  EXPECT_NE(message_of([&] { open_bytes(folder.path().string()); }).find("is a directory"), std::string::npos);
  EXPECT_NE(message_of([&] { open_bytes(folder.put("a", "x") + "/b"); }).find("Not a directory"), std::string::npos);
  EXPECT_NE(message_of([&] { open_bytes(""); }).find("empty"), std::string::npos);
  const Redirected closed(STDIN_FILENO, -1);
  ::close(STDIN_FILENO);
  EXPECT_NE(message_of([&] { open_bytes("-"); }).find("cannot read standard input"), std::string::npos);
}

TEST(ByteSource, SaysThatAFileMayNotBeRead) {
  const ScratchFolder folder;
  const std::string path = folder.put("secret", "x");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  const bool root = ::geteuid() == 0;  // who may read everything
  if (root && ::seteuid(65534) != 0) GTEST_SKIP() << "root cannot become another user here";
  const std::string message = message_of([&] { open_bytes(path); });
  ASSERT_TRUE(!root || ::seteuid(0) == 0);
  EXPECT_NE(message.find("secret': Permission denied; ask for the right to read it"), std::string::npos) << message;
}

TEST(ByteSource, NoticesThatAFileBecameShorter) {
  const ScratchFolder folder;
  const std::string path = folder.put("a", std::string(100000, 'x'));
  const auto source = open_bytes(path);
  EXPECT_EQ(source->next_block(1000).size(), 1000);
  ASSERT_EQ(::truncate(path.c_str(), 2000), 0);
  EXPECT_NE(message_of([&] { source->next_block(1000); }).find("became shorter while it was read, from 100000 to 2000"),
            std::string::npos);
  ASSERT_EQ(::truncate(path.c_str(), 200000), 0);  // longer is no harm: what was there at the start is read
  EXPECT_EQ(all_of(*source).size(), 99000);
}

}  // namespace
}  // namespace plumbline
