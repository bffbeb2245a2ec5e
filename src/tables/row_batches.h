// Rows that come in chunks of any size, handed on in batches of a fixed number: what is summed over them then does not
// depend on how a file was cut.
#pragma once

#include <functional>
#include <span>

#include "plumbline/columns.h"
#include "tables/row_encoder.h"

namespace plumbline {

struct RowBatch {
  Columns a, b;
  std::span<const double> weights;  // empty: all one
};

class RowBatches {
 public:
  using Use = std::function<void(const RowBatch&)>;

  // The batches have whole leaves of the moments (4,096 rows), four unless rows are very wide.
  RowBatches(Index features, Index sensitive, Use use);

  void add(const EncodedRows& rows);
  void finish();  // hands on what is left

 private:
  void hand_on();

  Index features_, sensitive_, size_, rows_ = 0;
  Use use_;
  std::vector<double> a_, b_, weights_;
};

}  // namespace plumbline
