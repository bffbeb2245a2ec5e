// Bytes in memory as a source, which behaves as a mapped file does or as a pipe does.
#pragma once

#include <string>

#include "io/byte_source.h"
#include "io/two_buffers.h"

namespace plumbline::testing {

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string_view bytes, bool is_mapped) : ByteSource("memory"), bytes_(bytes), is_mapped_(is_mapped) {}

  std::string_view next_block(std::size_t size) override {
    const std::string_view block = bytes_.substr(at_, size);
    at_ += block.size();
    if (is_mapped_) return block;
    char* const copy = buffers_.next(size);
    block.copy(copy, block.size());
    return {copy, block.size()};
  }
  bool is_mapped() const override { return is_mapped_; }
  bool rewind() override {
    at_ = 0;
    return true;
  }
  std::uint64_t bytes_consumed() const override { return at_; }
  std::optional<std::uint64_t> bytes_total() const override { return bytes_.size(); }

 private:
  std::string_view bytes_;
  bool is_mapped_;
  std::size_t at_ = 0;
  TwoBuffers buffers_;
};

}  // namespace plumbline::testing
