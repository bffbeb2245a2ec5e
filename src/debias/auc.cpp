#include "debias/auc.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "plumbline/columns.h"

namespace plumbline {
namespace {

using Eigen::VectorXd;

constexpr double kNormal = 1.959963984540054;  // the .975 quantile
constexpr double kFewRows = 5;
constexpr double kClear = 4;  // standard errors from one half

// Newcombe (2006), method 5: the θ with (value − θ)² ≤ z² V(θ), V the variance of exponential scores.
FoldedAuc::Interval newcombe(double value, double ones, double zeros) {
  const double half = (ones + zeros) / 2 - 1;
  const auto is_inside = [&](double t) {
    const double variance = t * (1 - t) / (ones * zeros) * (1 + half * (1 - t) / (2 - t) + half * t / (1 + t));
    return (value - t) * (value - t) <= kNormal * kNormal * variance;
  };
  const auto border = [&](double outside) {
    double inside = value;
    for (int i = 0; i < 60; ++i) {
      const double middle = (inside + outside) / 2;
      (is_inside(middle) ? inside : outside) = middle;
    }
    return inside;
  };
  return {value <= 0 ? 0.0 : border(0), value >= 1 ? 1.0 : border(1)};
}

}  // namespace

void FoldedAuc::add_fold(const VectorXd& scores, const VectorXd& y, const VectorXd& weights) {
  const Index n = scores.size();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return scores[i] < scores[j]; });
  const auto weight = [&](Index i) { return weights.size() == 0 ? 1.0 : weights[i]; };
  double total[2] = {0, 0};
  for (Index i = 0; i < n; ++i) {
    const int kind = y[i] > 0.5 ? 1 : 0;
    total[kind] += weight(i);
    weight_squares_[kind] += weight(i) * weight(i);
  }
  weight_[0] += total[0];
  weight_[1] += total[1];
  if (!(total[0] > 0 && total[1] > 0)) return;
  double below[2] = {0, 0}, ones = 0, moments[2][3] = {};
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    double tied[2] = {0, 0};
    while (last < order.size() && scores[order[last]] == scores[order[first]]) {
      tied[y[order[last]] > 0.5 ? 1 : 0] += weight(order[last]);
      ++last;
    }
    const double placement[2] = {(total[1] - below[1] - tied[1] / 2) / total[1], (below[0] + tied[0] / 2) / total[0]};
    ones += tied[1] * placement[1];
    for (; first < last; ++first) {
      const Index i = order[first];
      const int kind = y[i] > 0.5 ? 1 : 0;
      const double square = weight(i) * weight(i);
      moments[kind][0] += square;
      moments[kind][1] += square * placement[kind];
      moments[kind][2] += square * placement[kind] * placement[kind];
    }
    below[0] += tied[0];
    below[1] += tied[1];
  }
  const double pairs = total[0] * total[1];
  pairs_ += pairs;
  sum_ += pairs * ones / total[1];
  for (int kind = 0; kind < 2; ++kind)
    for (int power = 0; power < 3; ++power)
      squares_[power] += moments[kind][power] * (pairs / total[kind]) * (pairs / total[kind]);
}

double FoldedAuc::value() const { return pairs_ > 0 ? sum_ / pairs_ : 0.5; }

FoldedAuc::Interval FoldedAuc::interval() const {
  if (!(pairs_ > 0)) return {};
  const double t = value();
  const double ones = weight_[1] * weight_[1] / weight_squares_[1],
               zeros = weight_[0] * weight_[0] / weight_squares_[0];
  const double of_rows = std::max(0.0, squares_[2] - 2 * t * squares_[1] + t * t * squares_[0]) / (pairs_ * pairs_);
  const double distance = (t - 0.5) * (t - 0.5) / (kClear * kClear * std::max(of_rows, 1e-300));
  const double variance = of_rows * (1 + 1 / (1 + distance * distance));
  const bool is_edge = std::min(ones, zeros) * std::min(t, 1 - t) < kFewRows;
  Interval out{t, t};
  if (t > 0 && t < 1) {
    const double odds = std::log(t / (1 - t)), half = kNormal * std::sqrt(variance) / (t * (1 - t));
    out = {std::min(t, 1 / (1 + std::exp(half - odds))), std::max(t, 1 / (1 + std::exp(-half - odds)))};
  }
  if (is_edge) {
    const Interval other = newcombe(t, ones, zeros);
    out = {std::min(out.low, other.low), std::max(out.high, other.high)};
  }
  return out;
}

}  // namespace plumbline
