#include "parallel/ordered.h"

#include <gtest/gtest.h>

#include <limits>
#include <system_error>

#include "message_of.h"
#include "plumbline/fit.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::Random;

// A machine that gives only so many threads.
class Scarce {
 public:
  template <class Loop>
  Scarce(const Loop& loop, int slot) {
    if (left == 0) throw std::system_error(EAGAIN, std::generic_category());
    --left;
    thread_ = std::jthread(loop, slot);
  }
  inline static int left = 0;

 private:
  std::jthread thread_;
};

TEST(Ordered, CommitsInOrderOnceForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 7})
    for (const Eigen::Index count : {0, 1, 5, 1000}) {
      std::vector<Eigen::Index> work(static_cast<std::size_t>(threads)), committed;
      run_ordered(
          count, threads, [&](Eigen::Index i, int slot) { work[slot] = i * i; },
          [&](Eigen::Index i, int slot) { committed.push_back(work[slot] - i * i + i); });
      ASSERT_EQ(static_cast<Eigen::Index>(committed.size()), count);
      for (Eigen::Index i = 0; i < count; ++i) EXPECT_EQ(committed[i], i);
    }
}

TEST(Ordered, TheLowestFailureIsRethrownAndNothingLaterIsCommitted) {
  for (const int threads : {1, 2, 7}) {
    std::vector<Eigen::Index> committed;
    const std::string message = message_of([&] {
      run_ordered(
          1000, threads,
          [](Eigen::Index i, int) {
            if (i >= 300) throw Error(std::to_string(i));
          },
          [&](Eigen::Index i, int) { committed.push_back(i); });
    });
    EXPECT_EQ(message, "300");
    EXPECT_EQ(committed.size(), 300U);
  }
}

TEST(Ordered, GoesOnWithTheThreadsThereAre) {
  for (const int available : {0, 1, 3}) {
    Scarce::left = available;
    std::vector<Eigen::Index> committed;
    run_ordered<Scarce>(
        500, 8, [](Eigen::Index, int) {}, [&](Eigen::Index i, int) { committed.push_back(i); });
    ASSERT_EQ(committed.size(), 500U) << available;
    for (Eigen::Index i = 0; i < 500; ++i) EXPECT_EQ(committed[i], i);
    EXPECT_EQ(Scarce::left, 0);
  }
}

TEST(ThreadCount, IsWhatIsWantedUpToTheWorkAndAtLeastOne) {
  EXPECT_EQ(thread_count(3, 100), 3);
  EXPECT_EQ(thread_count(3, 2), 2);
  EXPECT_EQ(thread_count(3, 0), 1);
  EXPECT_GE(thread_count(0, 100), 1);
  EXPECT_EQ(thread_count(0, 1), 1);
}

TEST(ThreadCount, ANegativeOneIsNamed) {
  Random random(1);
  const MatrixXd a = random.matrix(20, 2), b = random.matrix(20, 1);
  const AffineModel model = fit(a, b).model;
  for (const int threads : {-1, std::numeric_limits<int>::min()}) {
    const std::string expected = "threads is " + std::to_string(threads);
    const auto expect = [&](const auto& call) {
      EXPECT_NE(message_of(call).find(expected), std::string::npos) << message_of(call);
    };
    expect([&] { thread_count(threads, 10); });
    expect([&] { Moments(2, 1).update(a, b, {.threads = threads}); });
    expect([&] { Moments(2, 1).update(a.topRows(0), b.topRows(0), {.threads = threads}); });
    expect([&] { fit(a, b, {}, {.threads = threads}); });
    expect([&] { model.apply(a, b, {.threads = threads}); });
  }
}

}  // namespace
}  // namespace plumbline
