#include "io/replay_source.h"

#include <cstring>

namespace plumbline {

std::string_view ReplaySource::next_block(std::size_t size) {
  if (recording_) {
    const std::string_view block = source_->next_block(size);
    head_ += block;
    return block;
  }
  if (head_.empty()) return source_->next_block(size);
  char* const block = buffers_.next(size);
  const std::size_t old = head_.copy(block, size, replayed_);
  replayed_ += old;
  if (old == size) return {block, size};
  head_ = {};
  const std::string_view fresh = source_->next_block(size - old);
  std::memcpy(block + old, fresh.data(), fresh.size());
  return {block, old + fresh.size()};
}

}  // namespace plumbline
