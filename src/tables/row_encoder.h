// Turns parsed records into rows of A and B by an encoding (plumbline/encoding.h).
//
// Where a record cannot be encoded, the rows before it are, and the problem is kept: chunks are encoded in parallel,
// and only the order of the file says which problem is the first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csv/csv_parser.h"
#include "csv/csv_table.h"
#include "plumbline/encoding.h"
#include "tables/record.h"

namespace plumbline {

struct EncodingProblem {
  enum class Kind { missing, unknown_level, bad_weight, too_large };
  Kind kind;
  Index row = 0, column = 0;  // of the chunk, of the table
  std::string cell = {};
};

struct EncodedRows {
  Index rows = 0;
  std::vector<double> a, b, weights;     // row-major; no weights if no column holds them
  std::vector<Index> record;             // of the chunk, one a row
  std::int64_t dropped = 0;              // records left out for a missing cell
  std::int64_t filled = 0, unknown = 0;  // cells
  std::optional<EncodingProblem> problem;
};

class RowEncoder {
 public:
  // Which parts are wanted; blind models need no sensitive columns.
  struct Wanted {
    bool sensitive = true, weights = true;
    std::string_view needed = "the fit needs them";  // what is said of sensitive columns that are absent
    double largest = 1e150;  // numbers beyond it are refused: their squares would leave the range of a double
  };

  // Throws Error, listing them all, if the table lacks columns. The table must outlive the encoder.
  RowEncoder(Encoding encoding, const CsvTable& table, Wanted wanted);
  RowEncoder(const RowEncoder&) = delete;
  RowEncoder& operator=(const RowEncoder&) = delete;

  const Encoding& encoding() const { return encoding_; }
  Index features() const { return a_width_; }
  Index sensitive() const { return b_width_; }

  // What the parser must do with each column of the table; nothing is kept as text.
  const std::vector<CellPlan>& plan() const { return plan_; }

  void encode(const ParsedChunk& chunk, EncodedRows& out) const;

 private:
  struct Source {
    Index column = 0;  // of the table
    CellPlace place;
    Index offset = 0;       // of its first column in A or B
    const TableColumn* of;  // in encoding_
  };

  std::vector<Source> sources(const std::vector<TableColumn>& columns, Index& width) const;
  bool has_missing(const ParsedChunk& chunk, Index row) const;
  bool encode_cells(const std::vector<Source>& sources, const Eigen::VectorXd& fill, const ParsedChunk& chunk,
                    Index row, const std::vector<std::vector<std::int32_t>>& levels, double* cells,
                    EncodedRows& out) const;

  Encoding encoding_;
  const std::vector<std::string>& columns_;
  double largest_;
  std::vector<CellPlan> plan_;
  std::vector<Source> a_, b_;
  std::optional<Source> weights_;
  Index a_width_ = 0, b_width_ = 0;
};

// One sentence on a problem of a chunk that is being committed.
std::string describe(const EncodingProblem& problem, const CsvTable& table, const TableChunk& chunk);

}  // namespace plumbline
