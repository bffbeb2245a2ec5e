// A caller is asked on its own thread, now and then, and what it throws ends the call and leaves nothing half done.
#include "plumbline/poll.h"

#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "base/ordered.h"
#include "plumbline/fit.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;

struct Stopped {};

void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(60)); }

TEST(Poll, WithoutAScopeNothingHappens) { EXPECT_NO_THROW(poll()); }

TEST(Poll, CallsAreApart) {
  int calls = 0;
  const PollScope scope([&] { ++calls; });
  for (int i = 0; i < 1000; ++i) poll();
  EXPECT_LE(calls, 1);
  wait();
  poll();
  EXPECT_GE(calls, 1);
}

TEST(Poll, TheInnermostScopeIsAsked) {
  int outer = 0, inner = 0;
  const PollScope one([&] { ++outer; });
  {
    const PollScope two([&] { ++inner; });
    wait();
    poll();
  }
  EXPECT_EQ(inner, 1);
  EXPECT_EQ(outer, 0);
  wait();
  poll();
  EXPECT_EQ(outer, 1);
}

TEST(Poll, OtherThreadsAreNotAsked) {
  const std::thread::id caller = std::this_thread::get_id();
  const PollScope scope([&] { EXPECT_EQ(std::this_thread::get_id(), caller); });
  run_parallel(20, 4, [](Index, int) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
}

TEST(Poll, WhatItThrowsEndsTheWork) {
  for (const int threads : {1, 2, 5}) {
    Index committed = 0;
    const PollScope scope([] { throw Stopped(); });
    EXPECT_THROW(run_ordered(
                     1000, threads, [](Index, int) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); },
                     [&](Index i, int) { EXPECT_EQ(i, committed++); }),
                 Stopped);
    EXPECT_LT(committed, 1000);
  }
}

TEST(Poll, WhatOtherThreadsHaveUnderWayIsGivenUp) {
  const PollScope scope([] { throw Stopped(); });
  EXPECT_THROW(run_parallel(2, 2,
                            [](Index, int) {
                              while (true) poll();
                            }),
               Stopped);
}

TEST(Poll, ACallerThatWaitsForOthersIsAsked) {
  const std::thread::id caller = std::this_thread::get_id();
  std::latch both(2);
  const PollScope scope([] { throw Stopped(); });
  EXPECT_THROW(run_parallel(2, 2,
                            [&](Index, int) {
                              both.arrive_and_wait();
                              while (std::this_thread::get_id() != caller) poll();
                            }),
               Stopped);
}

TEST(Poll, AnUpdateThatIsEndedLeavesTheMomentsAsTheyWere) {
  Random random(1);
  const MatrixXd b = random.matrix(100, 1), a = random.matrix(100, 3);
  Moments moments(3, 1);
  moments.update(a, b);
  const Moments before = moments;
  const MatrixXd many_b = random.matrix(100'000, 1), many_a = random.matrix(100'000, 3);
  const PollScope scope([] { throw Stopped(); });
  wait();
  EXPECT_THROW(moments.update(many_a, many_b), Stopped);
  EXPECT_TRUE(moments == before);
}

TEST(Poll, IterationsOfSobCanBeEnded) {
  Random random(2);
  const MatrixXd b = random.matrix(200, 1), a = random.matrix(200, 40);
  const PollScope scope([] { throw Stopped(); });
  const FitOptions endless{
      .method = Method::sob,
      .rank = Rank::count(40),
      .sob = {.l1_bound = 4, .tolerance = 1e-300, .max_iterations = std::numeric_limits<int>::max()}};
  EXPECT_THROW(fit(a, b, endless), Stopped);
}

}  // namespace
}  // namespace plumbline
