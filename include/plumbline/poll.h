// A way out of long calls: a function that the library calls now and then, on the thread that called the library, and
// that may throw to end the call.
//
//   const PollScope scope([] { if (stop_was_asked_for) throw Stopped(); });
//   fit(a, b);      // throws Stopped soon after
//
// It is called at most every 50 ms, while tables are read or written in parallel, and between iterations of SOB, sweeps
// of a sampler, batches of a training and features of a map between groups; not within a dense eigendecomposition. What
// it throws leaves the call as an exception of its own does: nothing is left half done. Scopes nest; each thread has
// its own. Threads that the library has started give up at their own next poll().
#pragma once

#include <chrono>
#include <exception>
#include <functional>

namespace plumbline {

class PollScope {
 public:
  explicit PollScope(std::function<void()> function);
  PollScope(const PollScope&) = delete;
  PollScope& operator=(const PollScope&) = delete;
  ~PollScope();

 private:
  friend void poll();
  friend bool is_of_poll(const std::exception_ptr& exception);

  std::function<void()> function_;
  std::exception_ptr thrown_ = nullptr;
  std::chrono::steady_clock::time_point last_;
  PollScope* outer_;
};

// For loops that may take long; costs nothing to speak of where there is no scope.
void poll();

// Whether an exception is what the innermost scope of this thread has last thrown.
bool is_of_poll(const std::exception_ptr& exception);

}  // namespace plumbline
