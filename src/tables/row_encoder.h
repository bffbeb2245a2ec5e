// Turns chunks of rows (tables/chunk_source.h) into rows of A and B by an encoding (plumbline/encoding.h).
//
// Where a row cannot be encoded, those before it are, and the problem is kept: chunks are encoded in parallel, and only
// the order of the rows says which problem is the first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/remedy.h"
#include "plumbline/columns.h"
#include "plumbline/encoding.h"
#include "tables/chunk_source.h"

namespace plumbline {

// Where the columns of an encoding are in a table.
struct Placement {
  std::vector<Index> features, sensitive;
  std::optional<Index> weights;
  std::optional<Index> target = std::nullopt, predictions = std::nullopt;  // read for a price, and in no part of A or B
  ColumnKind target_kind = ColumnKind::number;
};

struct EncodingProblem {
  enum class Kind { missing, unknown_level, bad_weight, too_large };
  Kind kind;
  Index row = 0, column = 0;  // of the chunk, of the table
  std::string cell = {};
};

struct EncodedRows {
  Index rows = 0;
  Index lead = 0;                  // from a column to the next one, at least the rows
  std::vector<double> a, b;        // column by column
  std::vector<double> unexpanded;  // b, of rows whose b became φ(b)
  std::vector<double> weights;     // none if no column holds them
  std::vector<double> extra;       // the target, levels as numbers, and the predictions; NaN where one is missing
  std::vector<std::string> target_levels;
  std::vector<Index> record;             // of the chunk, one a row
  std::int64_t dropped = 0;              // rows left out for a missing cell
  std::vector<std::int64_t> lacking;     // their missing cells, one a column of the table
  std::int64_t filled = 0, unknown = 0;  // cells
  std::optional<EncodingProblem> problem;

  Columns features() const { return view(a); }
  Columns sensitive() const { return view(b); }
  Columns extra_columns() const { return view(extra); }
  Columns unexpanded_sensitive() const { return view(unexpanded.empty() ? b : unexpanded); }

 private:
  Columns view(const std::vector<double>& cells) const {
    return {cells.data(), rows, lead == 0 ? 0 : static_cast<Index>(cells.size()) / lead, 1, lead};
  }
};

class RowEncoder {
 public:
  // Beyond it the square of a number leaves the range of a double.
  static constexpr double kLargestSquared = 1e150;

  // A placement without sensitive columns or weights encodes none. `largest` is the size of the largest number that
  // will do. Throws Error if a column of the table is of another kind than that of the encoding.
  RowEncoder(const Encoding& encoding, Placement placement, const ChunkSource& source,
             double largest = kLargestSquared);
  RowEncoder(const RowEncoder&) = delete;
  RowEncoder& operator=(const RowEncoder&) = delete;

  const Encoding& encoding() const { return encoding_; }
  Index extra() const { return static_cast<Index>(extra_.size()); }  // columns beside A and B
  Index features() const { return a_width_; }
  Index sensitive() const { return b_width_; }

  // What the source must do with each column of the table; nothing is kept as text.
  const std::vector<CellPlan>& plan() const { return plan_; }

  void encode(const Chunk& chunk, EncodedRows& out) const;

  // The matrices themselves, where they lie in memory as numbers. Cells of theirs may be missing, and columns that are
  // held vary: the map of a fit to them takes nothing from these.
  std::optional<Columns> features_as_they_lie(const ChunkSource& source) const;
  std::optional<Columns> sensitive_as_they_lie(const ChunkSource& source) const;

 private:
  struct Source {
    Index column = 0;       // of the table
    Index offset = 0;       // of its first column in A or B
    const TableColumn* of;  // in encoding_
  };

  std::vector<Source> sources(const std::vector<TableColumn>& columns, const std::vector<Index>& at, Index& width);
  void plan_cells(const ChunkSource& source, Index column, const TableColumn& of);
  template <class Use>
  void for_each_missing(const Chunk& chunk, Index row, const Use& use) const;
  void choose_rows(const Chunk& chunk, EncodedRows& out) const;
  void encode_column(const Source& source, double fill_or_nan, const Cells& cells, double* to, EncodedRows& out) const;
  void encode_category(const Source& source, const Eigen::VectorXd& fill, const Cells& cells, double* to,
                       EncodedRows& out) const;
  void encode_extra(const Chunk& chunk, EncodedRows& out) const;
  void encode_part(const std::vector<Source>& sources, const Eigen::VectorXd& fill, const Chunk& chunk,
                   std::vector<double>& cells, EncodedRows& out) const;
  std::optional<Columns> as_they_lie(const std::vector<Source>& sources, const ChunkSource& source) const;

  Encoding encoding_;
  double largest_;
  std::vector<CellPlan> plan_;
  std::vector<Source> a_, b_;
  std::vector<Index> extra_;  // columns of the table
  std::optional<Index> weights_;
  Index a_width_ = 0, b_width_ = 0;
};

// What is wrong with a row of a chunk that is being committed.
[[noreturn]] void refuse(const EncodingProblem& problem, const ChunkSource& source, const Chunk& chunk, int slot);

}  // namespace plumbline
