#include "base/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumbline/error.h"

namespace plumbline {

std::string bad_weight(std::string_view place, std::string_view weight) {
  return fmt::format("{}: the weight is {}; weights must be finite and not negative", place, weight);
}

void check_weights(std::span<const double> weights, Index rows) {
  if (weights.empty()) return;
  if (static_cast<Index>(weights.size()) != rows)
    throw Error(fmt::format("there are {} weights for {} rows; give one weight a row", weights.size(), rows));
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
      throw Error(bad_weight(fmt::format("row {}", i), fmt::format("{}", weights[i])));
  if (!std::isfinite(std::accumulate(weights.begin(), weights.end(), 0.0)))
    throw Error(
        fmt::format("the weights of {} rows have a sum that a double cannot hold; scale the weights", weights.size()));
}

void check_some_weight(std::span<const double> weights, Index rows) {
  check_weights(weights, rows);
  if (!weights.empty() && std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; }))
    refuse_no_weight();
}

void refuse_no_weight() { throw Error("every weight is zero; at least one must be positive"); }

}  // namespace plumbline
