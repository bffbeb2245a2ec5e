// The sample of a table that comes in parts, each of which has seen levels of its own: that of all rows at once
// (tables/row_sample.h), in the encoding of all parts together (tables/table_moments.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plumbline/encoding.h"
#include "tables/row_sample.h"
#include "tables/table_probe.h"

namespace plumbline {

struct TableMoments;

class PartSample {
 public:
  explicit PartSample(Index size) : size_(size) {}

  RowSample& next();  // for the rows of the next part, whose moments are collected with it

  // The encodings of this part, and of it and those before it together.
  void add(const Encoding& part, const Encoding& all);

  // What a fit to all parts needs for a probe: `usual` are their moments, rare values merged.
  ProbeSample take(const TableMoments& usual);

 private:
  void drop_latest();

  Index size_;
  std::uint64_t most_ = ~std::uint64_t{0};  // rows of a larger key are not wanted any more
  Encoding encoding_ = {};
  SampledRows rows_ = {};
  std::optional<RowSample> next_ = {};
};

}  // namespace plumbline
