#include "io/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "plumbline/error.h"

namespace plumbline {
namespace {

// Whether the call is worth making again. A pipe that we inherit may be set not to block.
bool try_again(int file, short event) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  pollfd wanted{file, event, 0};
  return ::poll(&wanted, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

Descriptor Descriptor::copy_of(int number) { return Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, 3)); }

int Descriptor::close() {
  const int number = std::exchange(number_, -1);
  // After EINTR the number is free already on Linux; closing it again could hit another thread's file.
  return number < 0 || ::close(number) == 0 || errno == EINTR ? 0 : errno;
}

std::ptrdiff_t read_fully(const Descriptor& file, char* out, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(file.number(), out + done, size - done);
    if (count < 0 && try_again(file.number(), POLLIN)) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return static_cast<std::ptrdiff_t>(done);
}

std::ptrdiff_t read_fully_at(const Descriptor& file, char* out, std::size_t size, std::size_t position) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::pread(file.number(), out + done, size - done, static_cast<off_t>(position + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return static_cast<std::ptrdiff_t>(done);
}

bool write_fully(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.number(), bytes.data(), bytes.size());
    if (count < 0 && try_again(file.number(), POLLOUT)) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string in_quotes(std::string_view name) {
  return name == kStandardInput || name == kStandardOutput ? std::string(name) : fmt::format("'{}'", name);
}

void fail_on(std::string_view action, std::string_view name, int reason, std::string_view advice) {
  throw Error(fmt::format("cannot {} {}: {}{}{}", action, in_quotes(name), std::strerror(reason),
                          advice.empty() ? "" : "; ", advice));
}

}  // namespace plumbline
