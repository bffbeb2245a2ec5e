// Where the bytes of an input come from: a file, a pipe or standard input, plain or compressed.
//
// next_block(size) gives the bytes in order, `size` of them at a time and fewer only at the end, so how a source is cut
// into blocks does not depend on how fast a pipe delivers. How long a block stays valid follows from is_mapped():
//
//   true    all blocks are parts of one piece of memory, in order and without gaps, until the source is destroyed
//   false   a block lasts until the call of next_block after the next one; rewind ends it too
//
// A plain regular file is mapped and not copied. Pages some 16 MB behind the last block are given back, so memory stays
// flat whatever the size of the file; a late look at them reads them again. All else has two buffers of one block each.
//
// open_bytes decides by the first bytes: gzip (of one or several members) and zstd (frames) are decoded whatever they
// are called, also from a pipe. `-` is standard input. Only pipes, terminals and the like cannot be rewound; Spool
// helps:
//
//   auto source = open_bytes(path);
//   if (!source->rewind()) source = std::make_unique<Spool>(std::move(source));
//
// Throws Error naming the file and what to do: in open_bytes if the file is missing, a directory or not permitted, or
// is called .gz or .zst but holds something else; in next_block if compressed data are damaged, cut short or followed
// by other bytes, if the disk fails, or if a mapped file has become shorter. That a file is cut while one looks at its
// block cannot be noticed in time: the system then ends the process (SIGBUS).
//
// A source belongs to one thread at a time; blocks may be read by any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace plumbline {

class ByteSource {
 public:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  virtual std::string_view next_block(std::size_t size) = 0;  // some MB at most; empty at the end, and from then on
  virtual bool is_mapped() const = 0;
  virtual bool rewind() = 0;  // to the first byte; false, and nothing changes, if that cannot be

  // For a progress bar: bytes of the file as it lies on disk, compressed if it is; no total for a pipe.
  virtual std::uint64_t bytes_consumed() const = 0;
  virtual std::optional<std::uint64_t> bytes_total() const = 0;

  const std::string& name() const { return name_; }  // the path as it was given, or "standard input"

 private:
  std::string name_;
};

std::unique_ptr<ByteSource> open_bytes(const std::string& path);

}  // namespace plumbline
