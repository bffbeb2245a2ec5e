// Runs work(i, slot) for i = 0 … count − 1 on several threads and commit(i, slot) strictly in the order of i.
//
// `slot` in [0, threads) names the buffer that a thread owns between its work and its commit. What commit sees does
// not depend on the number of threads, nor on how many of them could be started. If work or commit throws, nothing
// later is committed and the exception of the lowest i is rethrown once all threads have ended.
#pragma once

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "plumbline/error.h"

namespace plumbline {

// The number of threads to use for `count` pieces of work: `wanted`, or one a core where wanted is 0. Throws Error if
// it is negative.
inline int thread_count(int wanted, Eigen::Index count) {
  if (wanted < 0) throw Error(fmt::format("threads is {}; it must be at least 1, or 0 for one a core", wanted));
  const int most = wanted > 0 ? wanted : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return static_cast<int>(std::clamp<Eigen::Index>(count, 1, most));
}

template <class Thread = std::jthread, class Work, class Commit>
void run_ordered(Eigen::Index count, int threads, const Work& work, const Commit& commit) {
  if (threads <= 1) {
    for (Eigen::Index i = 0; i < count; ++i) {
      work(i, 0);
      commit(i, 0);
    }
    return;
  }
  std::atomic<Eigen::Index> next{0};
  std::mutex mutex;
  std::condition_variable turn;
  Eigen::Index committed = 0;
  std::exception_ptr failure;

  const auto loop = [&](int slot) {
    for (Eigen::Index i = next++; i < count; i = next++) {
      std::exception_ptr mine;
      try {
        work(i, slot);
      } catch (...) {
        mine = std::current_exception();
      }
      std::unique_lock lock(mutex);
      turn.wait(lock, [&] { return committed == i || failure; });
      if (failure) return;
      if (!mine) {
        try {
          commit(i, slot);
        } catch (...) {
          mine = std::current_exception();
        }
      }
      failure = mine;
      ++committed;
      turn.notify_all();
      if (failure) return;
    }
  };

  std::vector<Thread> helpers;
  try {
    for (int slot = 1; slot < threads; ++slot) helpers.emplace_back(loop, slot);
  } catch (const std::exception&) {
    // The system gives no more threads: those that there are do all of the work.
  }
  loop(0);
  helpers.clear();
  if (failure) std::rethrow_exception(failure);
}

template <class Work>
void run_parallel(Eigen::Index count, int threads, const Work& work) {
  run_ordered(count, threads, work, [](Eigen::Index, int) {});
}

}  // namespace plumbline
