// Work that cannot be asked to stop, such as a dense eigendecomposition (plumbline/poll.h), on a thread of its own. On
// Ctrl-C the caller goes on, and the thread ends by itself, at the next poll or with its work.
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

#include "bindings.h"
#include "plumbline/moments.h"

namespace plumbline::python {

inline constexpr Index kMany = 256;  // columns whose decomposition may take longer than a person waits

inline bool takes_long(Index features, Index sensitive, Moments::Kind kind) {
  return sensitive > kMany || (features > kMany && kind == Moments::Kind::full);
}

// compute() owns all that it reads, and nothing of it is Python's. Called without the GIL.
template <class Compute>
auto interruptible(Compute compute) {
  using Result = std::invoke_result_t<Compute>;
  struct Stopped {};
  struct Work {
    Compute compute;
    std::promise<Result> done = {};
    std::atomic<bool> stop = false;
  };
  const auto work = std::make_shared<Work>(std::move(compute));
  std::future<Result> result = work->done.get_future();
  std::thread([work] {
    const PollScope scope([&work] {
      if (work->stop) throw Stopped();
    });
    try {
      work->done.set_value(work->compute());
    } catch (...) {
      work->done.set_exception(std::current_exception());
    }
  }).detach();
  while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() == 0) continue;
    work->stop = true;
    throw nb::python_error();
  }
  return result.get();
}

}  // namespace plumbline::python
