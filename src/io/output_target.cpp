#include "io/output_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/remedy.h"

namespace plumbline {
namespace {

using Status = struct stat;

std::optional<Status> status_of(const std::string& path) {
  Status status{};
  if (::stat(path.c_str(), &status) == 0) return status;
  return std::nullopt;
}

// A file that an output may not be more readable than.
struct Limit {
  Status status;
  std::filesystem::path folder;  // that it lies in; empty: nobody knows, or the output lies there too
};

// Whom the folders above a file let pass, of a group and of others: a file that all may read is read by none of those
// who do not get there.
mode_t reach_below(std::filesystem::path folder, gid_t group) {
  mode_t reach = 0066;
  while (true) {
    const std::optional<Status> status = status_of(folder.string());
    if (!status) return 0;
    const bool passes_others = (status->st_mode & S_IXOTH) != 0;
    const bool passes_group = status->st_gid == group ? (status->st_mode & S_IXGRP) != 0 : passes_others;
    if (!passes_others) reach &= ~mode_t{0006};
    if (!passes_group) reach &= ~mode_t{0060};
    if (folder == folder.root_path()) return reach;
    folder = folder.parent_path();
  }
}

// An input that is not there is the reader's to complain about.
std::vector<Limit> limits_of_inputs(const std::vector<std::string>& inputs) {
  std::vector<Limit> result;
  for (const std::string& input : inputs) {
    Status status{};
    const bool is_standard = input == "-";
    if ((is_standard ? ::fstat(STDIN_FILENO, &status) : ::stat(input.c_str(), &status)) != 0) continue;
    std::error_code unknown;
    const std::filesystem::path real = std::filesystem::canonical(is_standard ? "/proc/self/fd/0" : input, unknown);
    result.push_back({status, unknown ? std::filesystem::path() : real.parent_path()});
  }
  return result;
}

// −1 if the target does not stand for what is open under a number.
int open_number(std::string_view target) {
  if (target == "-" || target == "/dev/stdout") return STDOUT_FILENO;
  if (target == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!target.starts_with(folder)) continue;
    int number = -1;
    const char* end = target.data() + target.size();
    const auto [rest, error] = std::from_chars(target.data() + folder.size(), end, number);
    if (error == std::errc() && rest == end) return number;
  }
  return -1;
}

// A terminal or /dev/null may well be both input and output.
void refuse_input(const std::string& target, const Status& status, const std::vector<Limit>& inputs) {
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) return;
  for (const Limit& input : inputs)
    if (input.status.st_dev == status.st_dev && input.status.st_ino == status.st_ino)
      throw Error(
          fmt::format("{} is the output and an input too; choose another name for the output", in_quotes(target)));
}

// The rule of Linux (fs.protected_symlinks), which reading a link by ourselves would go round.
void refuse_foreign_link(const std::filesystem::path& link) {
  Status own{};
  const std::optional<Status> folder = status_of(link.parent_path().string());
  if (::lstat(link.c_str(), &own) != 0 || !folder) return;
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  if ((folder->st_mode & kShared) == kShared && own.st_uid != ::geteuid() && own.st_uid != folder->st_uid)
    throw Error(
        fmt::format("'{}' is a symbolic link that another user left in a shared folder; remove it, or choose "
                    "another name",
                    link.string()));
}

std::filesystem::path without_links(const std::string& target) {
  constexpr int kMostLinks = 40;  // as Linux
  std::error_code none;
  std::filesystem::path path = target == "-" ? target : std::filesystem::absolute(target).string();
  for (int i = 0; i < kMostLinks; ++i) {
    if (open_number(path.native()) >= 0 || !std::filesystem::is_symlink(path, none)) return path;
    refuse_foreign_link(path);
    const std::filesystem::path next = std::filesystem::read_symlink(path, none);
    if (none) return path;
    path = path.parent_path() / next;  // or `next` alone if that is absolute
  }
  fail_on("write", target, ELOOP, "choose another name");
}

gid_t group_of_new_file(const std::string& folder) {
  const std::optional<Status> status = status_of(folder);
  return status && (status->st_mode & S_ISGID) != 0 ? status->st_gid : ::getegid();
}

// For an output of a group that `reach` can get to.
mode_t mode_below(const std::vector<Limit>& limits, gid_t group, mode_t reach) {
  mode_t mode = 0666;
  for (const Limit& limit : limits) {
    mode_t given = S_ISREG(limit.status.st_mode) ? limit.status.st_mode & 0066 : 0;
    if (limit.status.st_gid != group) given &= 0006 | (given & 0006) << 3;  // our group are others there
    const mode_t could = limit.folder.empty() ? 0 : reach_below(limit.folder, group);
    mode &= 0600 | (given & (could | ~reach));
  }
  return mode;
}

Descriptor open_directly(const std::string& target) {
  Descriptor file;
  do {
    file = Descriptor(::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  } while (!file && errno == EINTR);
  if (!file) fail_on("write", target, errno, "choose another name");
  return file;
}

}  // namespace

OutputTarget find_target(const std::string& target, bool force, const std::vector<std::string>& inputs) {
  if (target.empty()) throw Error("the name of the output is empty; give a file, or - for standard output");
  std::vector<Limit> limits = limits_of_inputs(inputs);
  OutputTarget result;

  const std::filesystem::path path = without_links(target);
  if (const int number = open_number(path.native()); number >= 0) {
    const std::string name = target == "-" ? kStandardOutput : target;
    result.direct = Descriptor::copy_of(number);
    Status status{};
    if (!result.direct || ::fstat(result.direct.number(), &status) != 0) fail_on("write", name, errno, "give a file");
    refuse_input(name, status, limits);
    return result;
  }
  result.path = path.string();
  result.folder = path.parent_path().string();
  if (const std::optional<Status> old = status_of(result.path)) {
    if (S_ISDIR(old->st_mode)) throw Error(fmt::format("'{}' is a directory; give the name of a file in it", target));
    refuse_input(target, *old, limits);
    if (S_ISFIFO(old->st_mode) || S_ISCHR(old->st_mode)) {
      result.direct = open_directly(result.path);
      return result;
    }
    if (!S_ISREG(old->st_mode))
      throw Error(fmt::format("'{}' is neither a file nor a pipe; choose another name", target));
    if (!force) throw RemediableError(fmt::format("'{}' exists", target), Remedy::replace_file);
    limits.push_back({*old, path.parent_path()});
  } else if (errno != ENOENT) {
    fail_on("write", target, errno, "choose another name");
  }
  const gid_t group = group_of_new_file(result.folder);
  std::error_code unknown;
  const std::filesystem::path real = std::filesystem::canonical(result.folder, unknown);
  result.mode = mode_below(limits, group, unknown ? mode_t{0066} : reach_below(real, group));
  return result;
}

}  // namespace plumbline
