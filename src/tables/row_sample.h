// A sample of the rows of a table: all of them if there are at most so many, else so many at random without
// replacement, in the order of the table.
//
// Row i has the key mix(i) (base/random_stream.h), and the rows of the least keys are kept. So the sample depends on
// the rows alone: not on threads, nor on how the table was cut. Rows of weight 0 count as rows.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "plumbline/columns.h"
#include "tables/row_batches.h"

namespace plumbline {

struct SampledRows {
  Eigen::MatrixXd a, b;                  // as encoded, before expansion
  std::vector<double> weights;           // empty: all one
  std::int64_t rows = 0;                 // of the table, without those left out for a missing cell
  std::vector<std::uint64_t> keys = {};  // of the rows, by which they were chosen

  SampledRows only(const std::vector<Index>& which) const;
};

class RowSample {
 public:
  RowSample(Index features, Index sensitive, Index size);

  // Of the rows of a table from the `first` one on that have keys up to `most`, with all columns that they have.
  RowSample(Index size, std::int64_t first, std::uint64_t most);

  // The next rows of the table; a may have further columns, which are not sampled.
  void add(const Columns& a, const Columns& b, std::span<const double> weights);

  SampledRows take();

 private:
  void drop_latest();
  std::uint64_t bound_for(Index rows) const;

  Index features_, sensitive_, size_;
  std::int64_t rows_ = 0;
  std::uint64_t most_;                                 // rows of a larger key are not wanted any more
  std::vector<std::pair<std::uint64_t, Index>> keys_;  // of the rows at hand, with their place in cells_
  std::vector<double> cells_;                          // row by row: a, b, weight
  bool is_weighted_ = false;
};

enum class Sampled { all_columns, sensitive };  // sensitive: a has no columns

// One pass over a table. Throws Error if no row is left.
SampledRows sample_rows(ChunkSource& source, const Placement& placement, const Encoding& encoding, Index size,
                        const ReadOptions& options, Sampled columns = Sampled::all_columns);

}  // namespace plumbline
