// From the first epoch to the last nothing is allocated.
#include <gtest/gtest.h>

#include <vector>

#include "count_allocations.h"
#include "predict/training.h"
#include "random_data.h"

namespace plumbline {
namespace {

TEST(TrainingLoop, AllocatesNothing) {
#ifndef PLUMBLINE_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "allocations cannot be counted under a sanitizer";
#else
  testing::Random random(1);
  const Cells<float> x = random.matrix(300, 9).cast<float>(), t = random.matrix(300, 2).cast<float>();
  const Network network(9, {{16}, {8, Activation::tanh}, {5, Activation::sigmoid}, {2, Activation::linear}});
  for (const double validation : {0.0, 0.25}) {
    std::vector<long> counts;
    counts.reserve(30);
    train<float>(network, network.initial_parameters<float>(1), x, t,
                 {.epochs = 30, .batch = 64, .validation = validation}, [&](const Epoch&) {
                   counts.push_back(allocations);
                   return true;
                 });
    ASSERT_EQ(counts.size(), 30U);
    EXPECT_EQ(counts.back(), counts.front());
  }
  const long before = allocations;
  const Cells<float> copy = x;
  EXPECT_GT(allocations - before, 0) << "the counter itself";
#endif
}

}  // namespace
}  // namespace plumbline
