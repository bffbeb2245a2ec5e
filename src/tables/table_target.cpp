#include "tables/table_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/printable.h"
#include "base/random_stream.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostValues = 2, kTwoLevels = 2;
constexpr double kLargestTarget = 1e150;  // whose square is in the range of a double

}  // namespace

double level_value(std::string_view level) {
  std::uint64_t hash = level.size();
  for (const char c : level) hash = mix(hash ^ static_cast<unsigned char>(c));
  return static_cast<double>(hash >> 11) / 9007199254740992.0;
}

void PredictionErrors::add(double y, double prediction, double weight) {
  if (!std::isfinite(prediction)) throw Error("a prediction is missing; leave such rows out");
  const auto square = [&](double of) { return weight * (of - prediction) * (of - prediction); };
  weight_ += weight;
  error_ += square(y);
  auto found = by_value_.find(y);
  if (found == by_value_.end() && by_value_.size() <= kMostValues) found = by_value_.emplace(y, Sums()).first;
  if (found == by_value_.end()) return;
  found->second.from_0 += square(0);
  found->second.from_1 += square(1);
}

double PredictionErrors::mean(const std::vector<std::string>& levels) const {
  if (!(weight_ > 0)) throw Error("no row has a target that predictions could be compared with");
  if (levels.empty()) return error_ / weight_;
  double sum = 0;
  for (const auto& [value, sums] : by_value_) {
    if (value != level_value(levels[0]) && value != level_value(levels[1]))
      throw Error(
          fmt::format("the target has a level other than '{}' and '{}'", printable(levels[0]), printable(levels[1])));
    sum += value == level_value(levels[1]) ? sums.from_1 : sums.from_0;
  }
  return sum / weight_;
}

void TableTarget::give_up(std::string why) {
  if (!problem.empty()) return;
  problem = std::move(why);
  moments = {};
}

void TableTarget::add_levels(const std::vector<std::string>& seen) {
  for (const std::string& level : seen) {
    const auto at = std::lower_bound(levels.begin(), levels.end(), level);
    if (at != levels.end() && *at == level) continue;
    if (levels.size() == kTwoLevels) return give_up("it has more than two levels");
    levels.insert(at, level);
  }
}

void TableTarget::update(const Columns& a, const Columns& b, const Columns& y, const UpdateOptions& options) {
  if (!problem.empty()) return;
  for (Index i = 0; i < y.rows(); ++i) {
    const double value = y(i, 0);
    if (std::isnan(value)) return give_up("it lacks cells");
    if (!(std::abs(value) <= kLargestTarget)) return give_up("it has a number beyond 1e150");
    is_binary = is_binary && (value == 0 || value == 1);
  }
  moments.update(a, b, y.select({0}), options);
  if (y.cols() < 2) return;
  for (Index i = 0; i < y.rows(); ++i)
    errors.add(y(i, 0), y(i, 1), options.weights.empty() ? 1 : options.weights[static_cast<std::size_t>(i)]);
}

void TableTarget::merge(const TableTarget& other) {
  add_levels(other.levels);
  is_binary = is_binary && other.is_binary;
  if (!other.problem.empty()) give_up(other.problem);
  if (problem.empty()) moments.merge(other.moments);
}

std::optional<Price> TableTarget::price(const Moments& of_features) {
  if (problem.empty() && of_features.kind() == Moments::Kind::cross) give_up(std::string(kNeedsProducts));
  if (!problem.empty()) return std::nullopt;
  std::optional<Price> out = price_of(of_features, moments);
  if (!out) {
    give_up("it does not vary, or there are no more rows than columns");
    return out;
  }
  out->target = name;
  out->is_probability = is_binary || !levels.empty();
  if (levels.size() == kTwoLevels) {
    out->levels = levels;
    const double unit = level_value(levels[1]) - level_value(levels[0]), square = unit * unit;
    out->variance /= square;
    out->unexplained /= square;
    out->by_sensitive /= square;
  }
  if (!predictions.empty()) {
    const double error = errors.mean(out->levels);
    out->predictions = {predictions, error, out->least_kept(error)};
  }
  return out;
}

}  // namespace plumbline
