#include "data/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumbline/error.h"

namespace plumbline {

void check_weights(std::span<const double> weights, Index rows) {
  if (weights.empty()) return;
  if (static_cast<Index>(weights.size()) != rows)
    throw Error(fmt::format("there are {} weights for {} rows; give one weight a row", weights.size(), rows));
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
      throw Error(fmt::format("the weight of row {} is {}; weights must be finite and not negative", i, weights[i]));
  if (!std::isfinite(std::accumulate(weights.begin(), weights.end(), 0.0)))
    throw Error(
        fmt::format("the weights of {} rows have a sum that a double cannot hold; scale the weights", weights.size()));
}

void check_some_weight(std::span<const double> weights, Index rows) {
  check_weights(weights, rows);
  if (!weights.empty() && std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; }))
    throw Error("all weights are 0; at least one must be positive");
}

}  // namespace plumbline
