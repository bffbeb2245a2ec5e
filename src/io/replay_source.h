// A source that can be rewound once: for a look at the start of a pipe before it is read.
//
// Up to the first rewind all blocks are kept in memory, so it should come early; they are given back as they are read
// again. Later rewinds do nothing and return false.
#pragma once

#include <memory>
#include <string>

#include "io/byte_source.h"
#include "io/two_buffers.h"

namespace plumbline {

class ReplaySource final : public ByteSource {
 public:
  // The source must be at its start.
  explicit ReplaySource(std::unique_ptr<ByteSource> source) : ByteSource(source->name()), source_(std::move(source)) {}

  std::string_view next_block(std::size_t size) override;
  bool is_mapped() const override { return false; }
  bool rewind() override { return recording_ && !(recording_ = false); }
  std::uint64_t bytes_consumed() const override { return source_->bytes_consumed(); }
  std::optional<std::uint64_t> bytes_total() const override { return source_->bytes_total(); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string head_;
  std::size_t replayed_ = 0;
  bool recording_ = true;
  TwoBuffers buffers_;
};

}  // namespace plumbline
