// Makes any source one that can be rewound: what is read is kept in a temporary file without a name, which only this
// process can open and which is gone with it (mode 0600, in $TMPDIR or else /tmp, as large as the input decompressed).
//
// The first pass gives the source's own blocks, and the source is read no further than asked: after a rewind half-way,
// what is known comes from the file and the rest from the source. bytes_consumed and bytes_total count bytes of the
// temporary file; the total is known once the source has ended. Throws Error as the source does, and if the copy cannot
// be written.
#pragma once

#include "io/byte_source.h"
#include "io/descriptor.h"
#include "io/two_buffers.h"

namespace plumbline {

class Spool final : public ByteSource {
 public:
  explicit Spool(std::unique_ptr<ByteSource> source);

  std::string_view next_block(std::size_t size) override;
  bool is_mapped() const override { return false; }
  bool rewind() override;
  std::uint64_t bytes_consumed() const override { return position_; }
  std::optional<std::uint64_t> bytes_total() const override;

 private:
  std::string_view from_source(std::size_t size);

  std::unique_ptr<ByteSource> source_;
  std::string folder_;
  Descriptor copy_;
  TwoBuffers buffers_;
  std::size_t position_ = 0, copied_ = 0;
  bool source_ended_ = false;
};

}  // namespace plumbline
