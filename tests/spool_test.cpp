#include "io/spool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>

#include "byte_forms.h"
#include "message_of.h"
#include "random_data.h"
#include "scoped_variable.h"
#include "scratch_folder.h"

namespace plumbline {
namespace {

using testing::all_of;
using testing::gzip;
using testing::kSizes;
using testing::message_of;
using testing::Random;
using testing::random_bytes;
using testing::Redirected;
using testing::ScopedVariable;
using testing::ScratchFolder;
using testing::SlowPipe;

TEST(Spool, CanBeRewoundAnywhere) {
  const ScratchFolder folder;
  const ScopedVariable temporary("TMPDIR", folder.path().string());
  Random random(10);
  for (const Index size : kSizes) {
    const std::string bytes = random_bytes(random, size);
    const SlowPipe pipe(folder / "pipe", random.integer(0, 1) == 0 ? bytes : gzip(bytes), 8);
    Spool spool(open_bytes(pipe.path()));
    EXPECT_EQ(spool.name(), pipe.path());
    EXPECT_EQ(folder.names(), std::vector<std::string>{"pipe"});  // the copy has no name
    for (int round = 0; round < 6; ++round) {
      std::string joined;
      const auto largest = random.integer(1, size + 1);
      const auto wanted = static_cast<std::size_t>(random.integer(0, size));
      while (joined.size() < wanted) joined += spool.next_block(static_cast<std::size_t>(random.integer(1, largest)));
      EXPECT_EQ(joined, bytes.substr(0, joined.size()));
      EXPECT_EQ(spool.bytes_consumed(), joined.size());
      ASSERT_TRUE(spool.rewind());
    }
    EXPECT_EQ(all_of(spool, 12345), bytes);
    EXPECT_EQ(spool.bytes_total(), bytes.size());
    ASSERT_TRUE(spool.rewind());
    EXPECT_EQ(all_of(spool), bytes);
  }
}

TEST(Spool, ReadsTheSourceNoFurtherThanAsked) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  ASSERT_TRUE(write_fully(writer, "0123456789"));
  const Redirected input(STDIN_FILENO, reader.number());
  Spool spool(open_bytes("-"));
  EXPECT_EQ(spool.next_block(6), "012345");  // would wait for ever if it wanted more than 10
  ASSERT_TRUE(spool.rewind());
  EXPECT_EQ(spool.next_block(8), "01234567");
  EXPECT_FALSE(spool.bytes_total());
  writer.close();
  EXPECT_EQ(spool.next_block(8), "89");
  EXPECT_EQ(spool.bytes_total(), 10);
}

TEST(Spool, SaysThatTheCopyCannotBeWritten) {
  const ScratchFolder folder;
  {
    const ScopedVariable temporary("TMPDIR", folder / "none");
    EXPECT_NE(message_of([&] { Spool spool(open_bytes("/dev/null")); }).find("none': No such file"), std::string::npos);
  }
  // The signal of this limit is ignored, so that it is an error of write(2), as a full disk is.
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  Spool spool(open_bytes("/dev/zero"));
  const rlimit small{100000, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = message_of([&] { all_of(spool); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, before);
  EXPECT_NE(message.find("cannot keep a copy of '/dev/zero'"), std::string::npos) << message;
  EXPECT_NE(message.find("set TMPDIR"), std::string::npos) << message;
}

}  // namespace
}  // namespace plumbline
