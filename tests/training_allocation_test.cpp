// From the first epoch to the last nothing is allocated.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "count_allocations.h"
#include "methods/adversarial_method.h"
#include "predict/training.h"
#include "random_data.h"

namespace plumbline {
namespace {

#ifndef PLUMBLINE_COUNTS_ALLOCATIONS
TEST(TrainingLoop, AllocatesNothing) { GTEST_SKIP() << "allocations cannot be counted under a sanitizer"; }
#else

constexpr int kEpochs = 30;

// How many were made by the end of each epoch.
class Counts {
 public:
  Counts() { at_.reserve(kEpochs); }

  template <class Epoch>
  bool operator()(const Epoch&) {
    at_.push_back(allocations);
    return true;
  }
  void expect_none() const {
    ASSERT_EQ(at_.size(), static_cast<std::size_t>(kEpochs));
    EXPECT_EQ(at_.back(), at_.front());
  }

 private:
  std::vector<long> at_;
};

TEST(TrainingLoop, AllocatesNothing) {
  testing::Random random(1);
  const Cells<float> x = random.matrix(300, 9).cast<float>(), t = random.matrix(300, 2).cast<float>();
  const Network network(9, {{16}, {8, Activation::tanh}, {5, Activation::sigmoid}, {2, Activation::linear}});
  for (const double validation : {0.0, 0.25}) {
    Counts counts;
    train<float>(network, network.initial_parameters<float>(1), x, t,
                 {.epochs = kEpochs, .batch = 64, .validation = validation}, std::ref(counts));
    counts.expect_none();
  }
  const long before = allocations;
  const Cells<float> copy = x;
  EXPECT_GT(allocations - before, 0) << "the counter itself";
}

TEST(TrainingLoop, OfTheGeneratorAndOfAdvAllocatesNothing) {
  testing::Random random(2);
  for (const Index sensitive : {1, 2}) {
    const ContinuousSample training{random.matrix(300, 5), random.matrix(300, sensitive), random.matrix(300, 1)};
    Counts of_generator, of_method;
    const AdversarialVae generator(training, {.epochs = kEpochs, .batch = 64, .adversary_steps = 2},
                                   std::ref(of_generator));
    of_generator.expect_none();
    fit_adversarial(training, generator, {.epochs = kEpochs, .batch = 64, .threads = 1}, std::ref(of_method));
    of_method.expect_none();
  }
}

#endif

}  // namespace
}  // namespace plumbline
