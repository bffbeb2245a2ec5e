#include "base/ordered.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>
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

// Pieces 0, 1, 2 … of uneven weight; the part that is to throw does so at `failing`.
struct Outcome {
  std::vector<Eigen::Index> committed;
  std::string failure;
  Eigen::Index most_under_way = 0;
};

enum class Part { next, work, commit, none };

Outcome run(int threads, Eigen::Index count, Part part, Eigen::Index failing) {
  Outcome out;
  std::vector<Eigen::Index> piece(static_cast<std::size_t>(threads));
  Eigen::Index taken = 0;
  std::atomic<Eigen::Index> under_way = 0;
  const auto act = [&](Part mine, Eigen::Index i) {
    if (mine == part && i >= failing) throw std::runtime_error(std::to_string(i));
  };
  try {
    run_stream(
        threads,
        [&](int slot) {
          if (taken == count) return false;
          act(Part::next, taken);
          piece[static_cast<std::size_t>(slot)] = taken++;
          out.most_under_way = std::max<Eigen::Index>(out.most_under_way, ++under_way);
          return true;
        },
        [&](int slot) {
          const Eigen::Index i = piece[static_cast<std::size_t>(slot)];
          std::this_thread::sleep_for(std::chrono::microseconds(i * 7919 % 50));
          act(Part::work, i);
        },
        [&](int slot) {
          const Eigen::Index i = piece[static_cast<std::size_t>(slot)];
          --under_way;
          act(Part::commit, i);
          out.committed.push_back(i);
        });
  } catch (const std::runtime_error& error) {
    out.failure = error.what();
  }
  return out;
}

TEST(Stream, CommitsEveryPieceInOrder) {
  for (const int threads : {1, 2, 3, 8})
    for (const Eigen::Index count : {0, 1, 2, 7, 500}) {
      const Outcome result = run(threads, count, Part::none, 0);
      ASSERT_EQ(static_cast<Eigen::Index>(result.committed.size()), count);
      for (Eigen::Index i = 0; i < count; ++i) ASSERT_EQ(result.committed[static_cast<std::size_t>(i)], i);
      EXPECT_LE(result.most_under_way, threads);
    }
}

TEST(Stream, TheFirstFailureIsThrownAndNothingLaterIsCommitted) {
  for (const int threads : {1, 2, 3, 8})
    for (const Part part : {Part::next, Part::work, Part::commit})
      for (const Eigen::Index failing : {0, 1, 5, 100}) {
        const Outcome result = run(threads, 200, part, failing);
        EXPECT_EQ(result.failure, std::to_string(failing));
        EXPECT_EQ(static_cast<Eigen::Index>(result.committed.size()), failing);
      }
}

TEST(ThreadCount, IsWhatIsWantedUpToTheWorkAndAtLeastOne) {
  EXPECT_EQ(thread_count(3, 100), 3);
  EXPECT_EQ(thread_count(3, 2), 2);
  EXPECT_EQ(thread_count(3, 0), 1);
  EXPECT_GE(thread_count(0, 100), 1);
  EXPECT_EQ(thread_count(0, 1), 1);
}

TEST(ThreadCount, TheDefaultIsWhatTheEnvironmentSays) {
  const char* const before = std::getenv("OMP_NUM_THREADS");
  const std::string kept = before != nullptr ? before : "";
  unsetenv("OMP_NUM_THREADS");
  const int cores = thread_count(0, 1'000'000);
  for (const auto& [text, expected] : {std::pair{"3", 3}, {"7,2", 7}, {"0", cores}, {"-1", cores}, {"many", cores}}) {
    setenv("OMP_NUM_THREADS", text, 1);
    EXPECT_EQ(thread_count(0, 1'000'000), expected) << text;
    EXPECT_EQ(thread_count(5, 1'000'000), 5) << text;
  }
  if (before != nullptr)
    setenv("OMP_NUM_THREADS", kept.c_str(), 1);
  else
    unsetenv("OMP_NUM_THREADS");
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
