// Encoded rows of a whole table, in order: chunks are encoded in parallel, and their rows handed on in batches of a
// fixed number, so that what is summed over them depends neither on threads nor on how the table was cut.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/columns.h"
#include "tables/row_encoder.h"

namespace plumbline {

// Whether products of so many columns with each other take less time than reading their rows.
inline bool products_are_quick(Index columns) { return columns <= 400; }

struct ReadOptions {
  int threads = 0;  // 0: one a core; the result has the same bits for any number
  ScanProgress progress = {};
};

struct RowBatch {
  Columns a, b;
  std::span<const double> weights;  // empty: all one
  Columns extra = {};               // of EncodedRows
};

class RowBatches {
 public:
  using Use = std::function<void(const RowBatch&)>;

  // The batches have whole leaves of the moments (4,096 rows), four unless rows are very wide.
  RowBatches(Index features, Index sensitive, Use use, Index extra = 0);

  void add(const EncodedRows& rows);
  void finish();  // hands on what is left

 private:
  void hand_on();

  Index features_, sensitive_, extra_, size_, rows_ = 0;
  Use use_;
  std::vector<double> a_, b_, extra_cells_, weights_;  // column by column, `size_` apart
};

// Of rows that are left out, which column lacks most cells.
class LackingCells {
 public:
  void add(const EncodedRows& rows);
  std::string most(const ChunkSource& source) const;  // empty if no row is left out

 private:
  std::vector<std::int64_t> cells_;
};

// One pass over a table. work(rows) is called on any thread, for what does not depend on other chunks; commit(rows) in
// the order of the rows, one chunk at a time. Throws Error for what is wrong first, once the rows before are committed.
void scan_encoded(ChunkSource& source, const RowEncoder& encoder, const ReadOptions& options,
                  const std::function<void(EncodedRows&)>& work, const std::function<void(const EncodedRows&)>& commit);

}  // namespace plumbline
