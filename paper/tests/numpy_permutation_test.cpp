#include "paper/datasets/numpy_permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "message_of.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::message_of;
using testing::Random;

std::vector<Index> rows_below(Index n) {
  std::vector<Index> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

TEST(NumpyPermutation, EveryRowStandsOnce) {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    const Index n = random.integer(0, 3000);
    std::vector<Index> order = numpy_permutation(static_cast<std::uint32_t>(random.integer(0, 1 << 30)), n);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, rows_below(n));
  }
}

// numpy.random.RandomState(0).permutation(10); test_permutation.py compares many more with NumPy itself.
TEST(NumpyPermutation, IsThatOfNumpy) {
  EXPECT_EQ(numpy_permutation(0, 10), (std::vector<Index>{2, 8, 4, 9, 1, 6, 7, 3, 0, 5}));
}

TEST(NumpyPermutation, TheSeedIsAllThatMatters) {
  EXPECT_EQ(numpy_permutation(7, 500), numpy_permutation(7, 500));
  EXPECT_NE(numpy_permutation(7, 500), numpy_permutation(8, 500));
  EXPECT_NE(numpy_permutation(7, 500), numpy_permutation(~std::uint32_t{0}, 500));
}

TEST(NumpySplit, PartsAreTheStartOfThePermutationAndWhatFollows) {
  Random random(2);
  for (int round = 0; round < 50; ++round) {
    const Index n = random.integer(2, 2000);
    const auto seed = static_cast<std::uint32_t>(round);
    const Split split = numpy_split(seed, n);
    EXPECT_EQ(static_cast<Index>(split.test.size()), (n + 3) / 4);
    EXPECT_EQ(static_cast<Index>(split.train.size()), 3 * n / 4);
    std::vector<Index> both = split.test;
    both.insert(both.end(), split.train.begin(), split.train.end());
    EXPECT_EQ(both, numpy_permutation(seed, n));
  }
}

TEST(NumpySplit, RefusesWhatCannotBeSplit) {
  EXPECT_NE(message_of([] { numpy_permutation(0, -1); }).find("-1 rows"), std::string::npos);
  EXPECT_NE(message_of([] { numpy_split(0, 1); }).find("1 rows"), std::string::npos);
  EXPECT_NE(message_of([] { numpy_split(0, 9, 1.5); }).find("test_share is 1.5"), std::string::npos);
  EXPECT_TRUE(numpy_permutation(0, 0).empty());
}

}  // namespace
}  // namespace plumbline
