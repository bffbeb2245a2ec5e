#include "io/signal_message.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>

namespace plumbline {
namespace {

struct Message {
  pid_t owner = 0;
  std::size_t size = 0;
  std::array<char, 1024> text{};
};

// A new message is written beside the one that holds, and not once a handler has begun: what it reads does not change.
constinit std::array<Message, 2> messages;
constinit std::atomic<std::size_t> current = 0;
constinit std::atomic<bool> said = false;
static_assert(std::atomic<std::size_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

}  // namespace

void set_signal_message(std::string_view text) {
  if (said) return;
  const std::size_t next = 1 - current;
  messages[next].owner = ::getpid();
  messages[next].size = text.copy(messages[next].text.data(), messages[next].text.size());
  current = next;
}

void write_signal_message() noexcept {
  if (said.exchange(true)) return;
  const Message& last = messages[current];
  if (last.size == 0 || last.owner != ::getpid()) return;
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, last.text.data(), last.size);
}

}  // namespace plumbline
