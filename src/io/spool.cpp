#include "io/spool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "io/temporary_file.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder == nullptr || *folder == '\0' ? "/tmp" : folder;
}

}  // namespace

Spool::Spool(std::unique_ptr<ByteSource> source)
    : ByteSource(source->name()), source_(std::move(source)), folder_(temporary_folder()) {
  TemporaryFile file(folder_, 0600);
  file.remove();
  copy_ = std::move(file.file());
}

std::string_view Spool::from_source(std::size_t size) {
  const std::string_view block = source_->next_block(size);
  source_ended_ = block.size() < size;
  if (!write_fully(copy_, block))
    throw Error(
        fmt::format("cannot keep a copy of {} in '{}': {}; set TMPDIR to a folder with more space, or give a "
                    "file in place of a pipe",
                    in_quotes(name()), folder_, std::strerror(errno)));
  copied_ += block.size();
  position_ += block.size();
  return block;
}

std::string_view Spool::next_block(std::size_t size) {
  const std::size_t known = std::min(size, copied_ - position_);
  if (known == 0) return source_ended_ ? std::string_view() : from_source(size);
  char* block = buffers_.next(size);
  const std::ptrdiff_t count = read_fully_at(copy_, block, known, position_);
  if (count < 0) fail_on("read the copy of", name(), errno);
  if (static_cast<std::size_t>(count) < known)
    throw Error(fmt::format("the copy of {} in '{}' became shorter; run it again", in_quotes(name()), folder_));
  position_ += known;
  if (known == size || source_ended_) return {block, known};
  const std::string_view rest = from_source(size - known);
  rest.copy(block + known, rest.size());
  return {block, known + rest.size()};
}

bool Spool::rewind() {
  position_ = 0;
  return true;
}

std::optional<std::uint64_t> Spool::bytes_total() const {
  if (source_ended_) return copied_;
  return std::nullopt;
}

}  // namespace plumbline
