// Where the rows of a table come from: CSV, Arrow, arrays in memory. All that a table goes through on its way to
// moments and back is written against this interface.
//
// A source hands out chunks of rows, cut as it likes. A chunk has a column of cells for each column of the table that
// was asked for: numbers, of which those that are not finite are missing, or codes of levels, of which those below 0
// are. Cells stay where they lie.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csv/csv_parser.h"
#include "csv/csv_table.h"
#include "plumbline/columns.h"
#include "plumbline/encoding.h"

namespace plumbline {

CellKind cell_kind(ColumnKind kind);  // how a source reads a column of a kind

// The cells of one column of a chunk: one every `stride` places.
class Cells {
 public:
  enum class Form { none, float64, float32, codes };

  Cells() = default;
  Cells(const double* first, Index stride) : first_(first), stride_(stride), form_(Form::float64) {}
  Cells(const float* first, Index stride) : first_(first), stride_(stride), form_(Form::float32) {}
  Cells(const std::int32_t* first, Index stride, const std::vector<std::string>* levels)
      : first_(first), stride_(stride), form_(Form::codes), levels_(levels) {}

  Form form() const { return form_; }
  bool is_category() const { return form_ == Form::codes; }
  const void* first() const { return first_; }
  Index stride() const { return stride_; }
  const std::vector<std::string>& levels() const { return *levels_; }

  double number(Index row) const {
    return form_ == Form::float64 ? static_cast<const double*>(first_)[row * stride_]
                                  : static_cast<double>(static_cast<const float*>(first_)[row * stride_]);
  }
  std::int32_t code(Index row) const { return static_cast<const std::int32_t*>(first_)[row * stride_]; }
  bool is_missing(Index row) const { return is_category() ? code(row) < 0 : !std::isfinite(number(row)); }

  // The same from a later row on.
  Cells from(Index row) const;

 private:
  const void* first_ = nullptr;
  Index stride_ = 1;
  Form form_ = Form::none;
  const std::vector<std::string>* levels_ = nullptr;
};

struct Chunk {
  Index rows = 0;
  Index first_row = 0;                    // of the source, if rows lie in memory; else 0
  std::vector<Cells> columns;             // one a column of the table; of form none where it was not asked for
  const std::string_view* raw = nullptr;  // of CSV: kept cells as they stand in the file, row by row
};

class ChunkSource {
 public:
  ChunkSource() = default;
  ChunkSource(const ChunkSource&) = delete;
  ChunkSource& operator=(const ChunkSource&) = delete;
  virtual ~ChunkSource() = default;

  virtual const std::vector<std::string>& names() const = 0;
  virtual std::string called() const = 0;  // by a person: "'people.csv'", "X"

  // What a column holds, where the source knows; of CSV the kind is a guess that a person may overrule.
  virtual std::optional<ColumnKind> kind(Index column) const = 0;

  virtual std::optional<Index> rows() const { return std::nullopt; }  // if they are known before they are read

  // From now on it can be scanned any number of times. Without that a stream can be scanned once.
  virtual void allow_rereading() = 0;

  // Hands out all rows by a plan for each column: work(chunk, slot) runs in parallel, commit(chunk, slot) in the order
  // of the rows; slot is below the number of threads, of which 0 means one a core. What is wrong with the source itself
  // is thrown once all rows before it are committed.
  using Step = std::function<void(const Chunk&, int slot)>;
  virtual void scan(const std::vector<CellPlan>& plan, int threads, const Step& work, const Step& commit,
                    const ScanProgress& progress) = 0;

  // "'adult.csv', line 17, column 'age'" or "row 16, column 'age'", of a chunk that is being committed.
  virtual std::string place(const Chunk& chunk, int slot, Index row, Index column) const = 0;

  // The columns as one matrix, where they lie in memory as numbers of one type and one stride.
  virtual std::optional<Columns> matrix(const std::vector<Index>& /*columns*/) const { return std::nullopt; }
};

}  // namespace plumbline
