#include "plumbline/poll.h"

#include <utility>

namespace plumbline {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(50);
thread_local PollScope* innermost = nullptr;

}  // namespace

PollScope::PollScope(std::function<void()> function)
    : function_(std::move(function)), last_(std::chrono::steady_clock::now()), outer_(innermost) {
  innermost = this;
}

PollScope::~PollScope() { innermost = outer_; }

void poll() {
  if (innermost == nullptr) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - innermost->last_ < kInterval) return;
  innermost->last_ = now;
  try {
    innermost->function_();
  } catch (...) {
    innermost->thrown_ = std::current_exception();
    throw;
  }
}

bool is_of_poll(const std::exception_ptr& exception) {
  return exception && innermost != nullptr && innermost->thrown_ == exception;
}

}  // namespace plumbline
