// Rows at random, in their order: those of the least keys mix(i), as in tables/row_sample.h. All of them, if there are
// no more than asked for.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/random_stream.h"
#include "base/weights.h"
#include "plumbline/columns.h"

namespace plumbline {

struct ChosenRows {
  Eigen::MatrixXd cells;
  std::vector<double> weights;  // empty: all one
};

inline ChosenRows choose_rows(const Columns& table, std::span<const double> weights, Index size) {
  check_weights(weights, table.rows());
  std::vector<std::pair<std::uint64_t, Index>> keys(static_cast<std::size_t>(table.rows()));
  for (Index i = 0; i < table.rows(); ++i) keys[static_cast<std::size_t>(i)] = {mix(static_cast<std::uint64_t>(i)), i};
  if (table.rows() > size) {
    std::nth_element(keys.begin(), keys.begin() + size - 1, keys.end());
    keys.resize(static_cast<std::size_t>(size));
    std::sort(keys.begin(), keys.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
  }
  ChosenRows out{Eigen::MatrixXd(static_cast<Index>(keys.size()), table.cols()), {}};
  for (Index r = 0; r < out.cells.rows(); ++r) {
    const Index i = keys[static_cast<std::size_t>(r)].second;
    for (Index l = 0; l < table.cols(); ++l) out.cells(r, l) = table(i, l);
    if (!weights.empty()) out.weights.push_back(weights[static_cast<std::size_t>(i)]);
  }
  return out;
}

}  // namespace plumbline
