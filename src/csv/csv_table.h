// One table out of one or more CSV inputs, read chunk by chunk: parsed in parallel, handed on in the order of the rows.
//
// Memory does not grow with the rows: one chunk a thread is under way. What is wrong with a record is thrown as an
// error that names the input, the line, the column and the cell (csv_problem.h), always the first in the order of the
// rows, whatever the number of threads and the size of chunks: the rows before it are handed on first, so what their
// receiver refuses comes before it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csv/csv_cutter.h"
#include "csv/csv_dialect.h"
#include "csv/csv_header.h"
#include "csv/csv_parser.h"
#include "io/byte_source.h"

namespace plumbline {

struct TableChunk {
  CsvChunk bytes;
  ParsedChunk cells;            // perhaps no row
  std::size_t input = 0;        // which input it is of
  std::int64_t first_line = 0;  // in its input, from 1; known to commit
  bool is_first = false;        // of its input
  std::uint64_t bytes_done = 0;
  std::shared_ptr<ByteSource> source = nullptr;  // which may hold the bytes
};

// Bytes read of all inputs so far, as they are on disk, and their total if it is known.
using ScanProgress = std::function<void(std::uint64_t done, std::optional<std::uint64_t> total)>;

class CsvTable {
 public:
  static constexpr std::size_t kHeadBytes = std::size_t{1} << 20;

  // Looks at the start of every input. Columns are named by `names`, which replace a header, or by the header, or else
  // c1, c2 …
  // Throws Error on an input that is missing or has no header, duplicate names, headers that disagree, or names that
  // are not as many as the cells of the first record where there is no header.
  explicit CsvTable(const std::vector<std::string>& inputs, CsvDialect dialect = {},
                    std::vector<std::string> names = {}, std::size_t chunk_bytes = CsvCutter::kChunkBytes);

  const std::vector<std::string>& names() const { return names_; }
  const CsvDialect& dialect() const { return dialect_; }  // with what was to be found in the inputs
  const std::string& input_name(std::size_t input) const { return inputs_[input].name; }

  // The first records, without the header, of the first input that has any: up to `most` of those in its first
  // megabyte, as text. Ragged ones are left out, and it ends where quotes are out of place; scan says so.
  std::vector<std::vector<std::string>> head(std::size_t most) const;

  // From now on the table can be scanned any number of times: what cannot be read again is kept in a temporary file.
  // Without it a pipe is read by the first scan alone, and the next throws Error.
  void allow_rereading();

  // Parses all rows by a plan for each column. work(chunk, slot) runs in parallel, commit(chunk, slot) in order; slot
  // is below the number of threads, of which 0 means one a core.
  using Step = std::function<void(TableChunk&, int slot)>;
  void scan(const std::vector<CellPlan>& plan, int threads, const Step& work, const Step& commit,
            const ScanProgress& progress = {});

  // "'adult.csv', line 17, column 'age'", for a row of a chunk that is being committed.
  std::string place(const TableChunk& chunk, Index row, Index column) const;

 private:
  struct Input {
    std::string path, name;
    std::optional<std::uint64_t> bytes;
    std::unique_ptr<ByteSource> kept = nullptr;  // if the path cannot be opened again
    bool is_pipe = false;
  };
  class Reader;

  void look_at(Input& input);
  void check_count(const FirstRecord& first, const Input& input) const;
  void settle_delimiter(std::string_view text);  // by the first records of all inputs
  void settle_decimal();                         // by the head
  std::shared_ptr<ByteSource> start(std::size_t index);

  CsvDialect dialect_;
  std::vector<std::string> names_;
  bool has_own_names_ = false;  // given by the caller
  std::size_t chunk_bytes_;
  std::vector<Input> inputs_;
  std::string head_;
};

}  // namespace plumbline
