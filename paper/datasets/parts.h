// A data set cut into the rows that methods are fitted on and those that they are judged by.
//
//   rows_of        the rows that are named, in that order, as often as they are named; each must be one of the sample's
//   split_sample   the published split of the rows (numpy_permutation.h): a quarter to test
//
// Both keep the levels, also those that a part has no row of. Error from split_sample when a part would be empty, which
// takes fewer than two rows. Neither looks at the sample otherwise: Sample::check does.
#pragma once

#include <vector>

#include "methods/sample.h"
#include "paper/datasets/numpy_permutation.h"

namespace plumbline {

struct Parts {
  Sample training, test;
};

inline Sample rows_of(const Sample& sample, const std::vector<Index>& rows) {
  return {sample.a(rows, Eigen::all), sample.s(rows), sample.y(rows), sample.levels};
}

inline Parts split_sample(const Sample& sample, std::uint32_t seed) {
  const Split split = numpy_split(seed, sample.a.rows());
  return {rows_of(sample, split.train), rows_of(sample, split.test)};
}

}  // namespace plumbline
