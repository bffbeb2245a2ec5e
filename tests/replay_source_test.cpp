#include "io/replay_source.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "byte_forms.h"
#include "scratch_folder.h"

namespace plumbline {
namespace {

using testing::all_of;
using testing::Random;
using testing::ScratchFolder;
using testing::SlowPipe;

TEST(ReplaySource, APipeCanBeLookedAtAndThenReadInFullBlocks) {
  const ScratchFolder folder;
  Random random(1);
  for (const Index size : testing::kSizes) {
    const std::string bytes = testing::random_bytes(random, size);
    const SlowPipe pipe(folder / "pipe", bytes, 1);
    ReplaySource source(open_bytes(pipe.path()));
    std::string looked_at;
    for (Index blocks = random.integer(0, 3); blocks > 0; --blocks)
      looked_at += source.next_block(static_cast<std::size_t>(random.integer(1, size + 1)));
    EXPECT_TRUE(bytes.starts_with(looked_at));
    EXPECT_TRUE(source.rewind());
    EXPECT_FALSE(source.rewind());
    std::string joined;
    while (true) {
      const auto wanted = static_cast<std::size_t>(random.integer(1, size / 3 + 1));
      const std::string_view block = source.next_block(wanted);
      ASSERT_EQ(block.size(), std::min(wanted, bytes.size() - joined.size()));
      if (block.empty()) break;
      joined += block;
    }
    EXPECT_EQ(joined, bytes);
    EXPECT_FALSE(source.rewind());
  }
}

}  // namespace
}  // namespace plumbline
