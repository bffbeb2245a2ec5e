// A table of few rows as matrices: sparse components of more features than rows are found without the products of the
// features with each other (plumbline/fit.h), but not without the rows.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "csv/csv_table.h"
#include "plumbline/encoding.h"
#include "tables/learn_encoding.h"

namespace plumbline {

struct FewRows {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  RowMajor a, b;
  std::vector<double> weights;           // empty: all one
  std::int64_t dropped = 0, filled = 0;  // as in TableMoments
};

// All rows of the table if there are at most so many; none otherwise, and the table has to be read again.
std::optional<FewRows> read_few_rows(CsvTable& table, const Encoding& encoding, Index most, const ReadOptions& options);

}  // namespace plumbline
