#include "io/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>

#include "io/signal_message.h"

namespace plumbline {
namespace {

// What the signal handler may look at: it must not allocate or lock, so paths are copied to a table. Who changes
// `state` away from live owns the slot, be it the file or the handler.
enum State { unused, taken, live };

struct Slot {
  std::atomic<int> state{unused};
  pid_t owner = 0;
  char path[PATH_MAX] = "";
};
static_assert(std::atomic<int>::is_always_lock_free);

constinit std::array<Slot, 32> slots;

int remember(const std::string& path, pid_t owner) {
  if (path.size() >= PATH_MAX) return -1;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    int expected = unused;
    if (!slots[i].state.compare_exchange_strong(expected, taken)) continue;
    slots[i].owner = owner;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].state = live;
    return static_cast<int>(i);
  }
  return -1;
}

void remove_and_die(int signal) {
  write_signal_message();
  for (Slot& slot : slots)
    if (slot.state.exchange(taken) == live && slot.owner == ::getpid()) ::unlink(slot.path);
  ::raise(signal);  // SA_RESETHAND has put the default back; it comes once this handler returns
}

std::string random_path(const std::string& folder) {
  std::random_device random;
  const std::uint64_t number = std::uint64_t{random()} << 32 | random();
  return fmt::format("{}{}.plumbline-{:016x}.tmp", folder, folder.ends_with('/') ? "" : "/", number);
}

// Renames unless there is a file at the target (errno EEXIST).
int rename_if_free(const std::string& from, const std::string& target) {
  // Not glibc's renameat2, which came with 2.28 only.
  const auto status = ::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE);
  if (status == 0 || (errno != EINVAL && errno != ENOSYS)) return static_cast<int>(status);
  // A file system that cannot refuse by itself: the look before leaves a moment in between.
  if (::access(target.c_str(), F_OK) == 0)
    errno = EEXIST;
  else if (errno == ENOENT)
    return std::rename(from.c_str(), target.c_str());
  return -1;
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& folder, mode_t mode) : owner_(::getpid()) {
  do {
    forget();
    path_ = random_path(folder);
    slot_ = remember(path_, owner_);  // before the file is there: no moment at which a signal would leave it
    file_ = Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  } while (!file_ && (errno == EEXIST || errno == EINTR));
  if (file_) return;
  const int reason = errno;
  forget();
  fail_on("create a file in", folder, reason,
          reason == ENOENT   ? "create the folder first"
          : reason == ENOSPC ? "free some space or choose another folder"
                             : "choose another folder");
}

void TemporaryFile::forget() {
  path_.clear();
  if (slot_ < 0) return;
  int expected = live;
  slots[static_cast<std::size_t>(slot_)].state.compare_exchange_strong(expected, unused);
  slot_ = -1;
}

void TemporaryFile::remove() {
  if (!path_.empty() && owner_ == ::getpid()) ::unlink(path_.c_str());  // not in a forked child: it is its parent's
  forget();
}

bool TemporaryFile::rename_to(const std::string& target, bool replace) {
  const int status = replace ? std::rename(path_.c_str(), target.c_str()) : rename_if_free(path_, target);
  if (status != 0) return false;
  forget();
  return true;
}

void remove_temporary_files_on_signals() {
  struct sigaction ours {};
  ours.sa_handler = remove_and_die;
  ours.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigfillset(&ours.sa_mask);
  for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXFSZ}) {
    struct sigaction present {};
    if (::sigaction(signal, nullptr, &present) == 0 && present.sa_handler == SIG_DFL)
      ::sigaction(signal, &ours, nullptr);
  }
}

}  // namespace plumbline
