// One pass over a table: chunks are parsed and encoded in parallel, and handed on in the order of the file.
//
//   work(rows)     on any thread, for what does not depend on other chunks
//   commit(rows)   in order, one at a time
//
// Throws Error for what is wrong first in the order of the file, once the rows before it are committed.
#pragma once

#include <limits>

#include "base/ordered.h"
#include "csv/csv_table.h"
#include "plumbline/error.h"
#include "tables/learn_encoding.h"
#include "tables/row_encoder.h"

namespace plumbline {

template <class Work, class Commit>
void scan_encoded(CsvTable& table, const RowEncoder& encoder, const ReadOptions& options, const Work& work,
                  const Commit& commit) {
  const int threads = thread_count(options.threads, std::numeric_limits<Index>::max());
  std::vector<EncodedRows> rows(static_cast<std::size_t>(threads));
  table.scan(
      encoder.plan(), threads,
      [&](TableChunk& chunk, int slot) {
        encoder.encode(chunk.cells, rows[static_cast<std::size_t>(slot)]);
        work(rows[static_cast<std::size_t>(slot)]);
      },
      [&](TableChunk& chunk, int slot) {
        const EncodedRows& encoded = rows[static_cast<std::size_t>(slot)];
        commit(encoded);
        if (encoded.problem) throw Error(describe(*encoded.problem, table, chunk));
      },
      options.progress);
}

}  // namespace plumbline
