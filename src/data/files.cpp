#include "data/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "plumbline/error.h"

namespace plumbline {
namespace {

[[noreturn]] void fail(const char* action, const std::filesystem::path& path, int reason) {
  throw Error(fmt::format("cannot {} '{}': {}", action, path.string(), std::strerror(reason)));
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("open", path, errno);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) fail("read", path, errno);
  return bytes;
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path temporary = fmt::format("{}.{}.tmp", path.string(), ::getpid());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) fail("create", temporary, errno);
  bool good = write_all(file, bytes) && ::fsync(file) == 0;
  int reason = errno;
  if (::close(file) != 0 && good) {
    good = false;
    reason = errno;
  }
  if (good && ::rename(temporary.c_str(), path.c_str()) != 0) {
    good = false;
    reason = errno;
  }
  if (!good) {
    ::unlink(temporary.c_str());
    fail("write", path, reason);
  }
}

}  // namespace plumbline
