// Cuts the bytes of an input into chunks of whole records, which can then be parsed in parallel.
//
// Quotes come in pairs in RFC 4180, also where one is written as two, so a line end lies between records if and only if
// an even number of quotes stands before it. Cutting is all that happens in the order of the input, and takes little
// more time than reading memory does. Where a quote is out of place all cuts before it are right, so who reads the
// records in order finds it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "io/byte_source.h"

namespace plumbline {

struct CsvChunk {
  std::string_view text;     // whole records; the last one of the input may lack its line end
  bool is_cut = false;       // whether it is the start of a record that is too long, and the last chunk
  std::string storage = {};  // holds the text unless the source does; kept for the next chunk
};

class CsvCutter {
 public:
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 19;
  static constexpr std::size_t kLongestRecord = std::size_t{64} << 20;

  // The source must be at its start and outlive the cutter and its chunks. It is read `chunk_bytes` at a time; chunks
  // are about as large.
  explicit CsvCutter(ByteSource& source, bool quotes, std::size_t chunk_bytes = kChunkBytes,
                     std::size_t longest_record = kLongestRecord)
      : source_(source), quotes_(quotes), chunk_bytes_(chunk_bytes), longest_record_(longest_record) {}

  // The next chunk; false at the end.
  bool next(CsvChunk& chunk);

 private:
  void read_block(CsvChunk& chunk);
  void skip_byte_order_mark(CsvChunk& chunk);

  ByteSource& source_;
  bool quotes_;
  std::size_t chunk_bytes_, longest_record_;
  bool at_start_ = true, at_end_ = false;
  std::string_view mapped_rest_;  // after the last chunk: of a mapped source
  std::string rest_;              // of any other
};

}  // namespace plumbline
