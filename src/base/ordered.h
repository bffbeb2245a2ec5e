// Work on several threads, committed strictly in order.
//
//   run_stream    next(slot) takes a piece into the buffer of a slot, or returns false at the end; one thread at a time
//                 calls it. Then work(slot) in parallel, then commit(slot) in the order of the pieces
//   run_ordered   the same for pieces that are known by their number: work(i, slot), commit(i, slot), i < count
//
// `slot` in [0, threads) names the buffer that a thread owns from its piece to its commit, so no more than `threads`
// pieces are under way. What commit sees does not depend on the number of threads, nor on how many of them could be
// started. If anything throws, nothing later is committed and the exception of the first piece is rethrown once all
// threads have ended. What poll() throws is before all pieces, and ends those under way at their own next poll().
#pragma once

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "plumbline/error.h"
#include "plumbline/poll.h"

namespace plumbline {

// One a core, or as many as OMP_NUM_THREADS says: whoever runs several processes side by side, as joblib does, sets it
// so that they do not get in each other's way.
inline int default_threads() {
  const char* const text = std::getenv("OMP_NUM_THREADS");
  const int asked = text != nullptr ? std::atoi(text) : 0;  // NOLINT(cert-err34-c): what is no number is 0
  return asked > 0 ? asked : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

// The number of threads to use for `count` pieces of work: `wanted`, or the default where wanted is 0. Throws Error if
// it is negative.
inline int thread_count(int wanted, Eigen::Index count) {
  if (wanted < 0) throw Error(fmt::format("threads is {}; it must be at least 1, or 0 for one a core", wanted));
  const int most = wanted > 0 ? wanted : default_threads();
  return static_cast<int>(std::clamp<Eigen::Index>(count, 1, most));
}

template <class Thread = std::jthread, class Next, class Work, class Commit>
void run_stream(int threads, const Next& next, const Work& work, const Commit& commit) {
  if (threads <= 1) {
    while (next(0)) {
      work(0);
      commit(0);
      poll();
    }
    return;
  }
  std::mutex taking, committing;
  std::condition_variable turn;
  Eigen::Index taken = 0, committed = 0;
  bool ended = false;
  std::exception_ptr failure;
  std::atomic<bool> failed = false;
  struct GivenUp {};

  const auto guarded = [](std::exception_ptr& mine, const auto& call) {
    try {
      if (!mine) call();
    } catch (...) {
      mine = std::current_exception();
    }
  };
  const auto wait_for_commits = [&](Eigen::Index count, std::unique_lock<std::mutex>& lock, std::exception_ptr& mine) {
    const auto is_over = [&] { return committed == count || failure; };
    while (!is_of_poll(mine) && !turn.wait_for(lock, std::chrono::milliseconds(50), is_over)) guarded(mine, poll);
  };
  const auto fail = [&](const std::exception_ptr& mine) {
    if (failure || !mine) return;
    failure = mine;
    failed = true;
  };

  const auto loop = [&](int slot) {
    while (true) {
      Eigen::Index i = 0;
      std::exception_ptr mine;
      {
        const std::lock_guard lock(taking);
        if (ended) return;
        guarded(mine, [&] { ended = !next(slot); });
        if (mine) ended = true;
        if (ended && !mine) return;
        i = taken++;
      }
      guarded(mine, [&] { work(slot); });
      guarded(mine, poll);
      std::unique_lock lock(committing);
      wait_for_commits(i, lock, mine);
      if (failure) return;
      guarded(mine, [&] { commit(slot); });
      fail(mine);
      ++committed;
      turn.notify_all();
      if (failure) return;
    }
  };

  std::vector<Thread> helpers;
  try {
    const auto help = [&](int slot) {
      const PollScope scope([&failed] {
        if (failed) throw GivenUp();
      });
      loop(slot);
    };
    for (int slot = 1; slot < threads; ++slot) helpers.emplace_back(help, slot);
  } catch (const std::exception&) {
    // The system gives no more threads: those that there are do all of the work.
  }
  loop(0);
  if (std::unique_lock lock(committing); !failure) {
    std::exception_ptr mine;
    wait_for_commits(taken, lock, mine);
    fail(mine);
  }
  helpers.clear();
  if (failure) std::rethrow_exception(failure);
}

template <class Thread = std::jthread, class Work, class Commit>
void run_ordered(Eigen::Index count, int threads, const Work& work, const Commit& commit) {
  if (threads <= 1) {
    for (Eigen::Index i = 0; i < count; ++i) {
      work(i, 0);
      commit(i, 0);
      poll();
    }
    return;
  }
  std::vector<Eigen::Index> index(static_cast<std::size_t>(threads));
  const auto of = [&](int slot) -> Eigen::Index& { return index[static_cast<std::size_t>(slot)]; };
  Eigen::Index taken = 0;
  run_stream<Thread>(
      threads, [&](int slot) { return (of(slot) = taken++) < count; }, [&](int slot) { work(of(slot), slot); },
      [&](int slot) { commit(of(slot), slot); });
}

template <class Work>
void run_parallel(Eigen::Index count, int threads, const Work& work) {
  run_ordered(count, threads, work, [](Eigen::Index, int) {});
}

}  // namespace plumbline
