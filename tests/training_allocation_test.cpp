// From the first epoch to the last nothing is allocated. Counts every call of malloc in the process, which sanitizers
// take for themselves: there the test is skipped.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include "predict/training.h"
#include "random_data.h"

#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)
namespace {
std::atomic<long> allocations{0};
}

extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
extern "C" void* __libc_memalign(std::size_t alignment, std::size_t size);
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
#define PLUMBLINE_COUNTS_ALLOCATIONS 1
#endif

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
