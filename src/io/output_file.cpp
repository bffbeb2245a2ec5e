#include "io/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/remedy.h"
#include "io/output_target.h"

namespace plumbline {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

// Some file systems have nothing to synchronise, and say so.
bool synchronise(int file) { return ::fsync(file) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP; }

}  // namespace

OutputFile::OutputFile(const std::string& target, const OutputOptions& options)
    : name_(target == "-" ? kStandardOutput : target),
      replace_(options.force),
      encoder_(make_encoder(compression_of_name(target))),
      buffer_(std::make_unique_for_overwrite<char[]>(kBuffer)) {
  OutputTarget found = find_target(target, options.force, options.inputs);
  path_ = std::move(found.path);
  direct_ = std::move(found.direct);
  if (!direct_) temporary_ = std::make_unique<TemporaryFile>(found.folder, found.mode);
}

void OutputFile::write(std::string_view bytes) {
  require(State::open);
  state_ = State::failed;  // unless all goes well
  if (!encoder_) {
    put(bytes);
  } else {
    while (!bytes.empty()) {
      used_ += encoder_->encode(bytes, {buffer_.get() + used_, kBuffer - used_});
      if (used_ == kBuffer) flush();
    }
  }
  state_ = State::open;
}

void OutputFile::finish() {
  require(State::open);
  state_ = State::failed;
  if (encoder_) {
    while (const std::size_t count = encoder_->finish({buffer_.get() + used_, kBuffer - used_})) {
      used_ += count;
      if (used_ == kBuffer) flush();
    }
  }
  flush();
  if (temporary_ && !synchronise(temporary_->file().number())) fail(errno);
  if (const int reason = (temporary_ ? temporary_->file() : direct_).close(); reason != 0) fail(reason);
  buffer_.reset();
  state_ = State::finished;
}

void OutputFile::commit() {
  if (state_ == State::open) finish();
  require(State::finished);
  if (temporary_) {
    if (!temporary_->rename_to(path_, replace_)) {
      if (errno != EEXIST) fail(errno);
      throw RemediableError(fmt::format("'{}' has come to exist meanwhile", name_), Remedy::replace_file);
    }
    temporary_.reset();
    state_ = State::committed;
    // A folder that may be written to but not read cannot be opened; there is nothing to be done about it.
    const std::string folder = std::filesystem::path(path_).parent_path().string();
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened && !synchronise(opened.number())) fail(errno);
  }
  state_ = State::committed;
}

void OutputFile::require(State state) const {
  if (state_ == state) return;
  throw Error(fmt::format("{} {}", in_quotes(name_),
                          state_ == State::failed ? "could not be written; start it again"
                                                  : "is finished already; open it again to write more"));
}

void OutputFile::put(std::string_view bytes) {
  if (used_ + bytes.size() > kBuffer) flush();
  if (bytes.size() >= kBuffer) {
    write_through(bytes);
  } else {
    bytes.copy(buffer_.get() + used_, bytes.size());
    used_ += bytes.size();
  }
}

void OutputFile::flush() {
  write_through({buffer_.get(), used_});
  used_ = 0;
}

void OutputFile::write_through(std::string_view bytes) {
  if (!write_fully(temporary_ ? temporary_->file() : direct_, bytes)) fail(errno);
}

void OutputFile::fail(int reason) const {
  if (reason == EPIPE) throw ReaderGone(fmt::format("nobody reads {} any more; run it again", in_quotes(name_)));
  const bool space = reason == ENOSPC || reason == EDQUOT;
  fail_on("write", name_, reason, space ? "free some space, or choose another folder" : "choose another folder");
}

void commit_all(const std::vector<OutputFile*>& files) {
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (files[i]->temporary_ && files[j]->temporary_ && files[i]->path_ == files[j]->path_)
        throw Error(fmt::format("'{}' is the target of two outputs; choose another name for one", files[i]->name_));
  for (OutputFile* file : files)
    if (file->state_ == OutputFile::State::open) file->finish();
  for (OutputFile* file : files) file->commit();
}

}  // namespace plumbline
