#include "metrics/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/weights.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

void check_rows(const VectorXd& p, const VectorXd& y) {
  if (p.size() != y.size())
    throw Error(fmt::format("p has {} rows and y has {}; they must have the same rows", p.size(), y.size()));
  if (p.size() == 0) throw Error("p has no rows; a metric needs at least one");
  for (Index i = 0; i < p.size(); ++i) {
    if (!std::isfinite(p[i])) throw Error(fmt::format("p is {} in row {}; predictions must be finite", p[i], i));
    if (y[i] != 0 && y[i] != 1) throw Error(fmt::format("y is {} in row {}; an outcome must be 0 or 1", y[i], i));
  }
}

double mean_of(const VectorXd& values, const VectorXd& weights) {
  check_some_weight({weights.data(), static_cast<std::size_t>(weights.size())}, values.size());
  return weights.size() == 0 ? values.mean() : weights.dot(values) / weights.sum();
}

}  // namespace

double soft_accuracy(const VectorXd& p, const VectorXd& y, const VectorXd& weights) {
  check_rows(p, y);
  return mean_of(p.array() * y.array() + (1 - p.array()) * (1 - y.array()), weights);
}

double hard_accuracy(const VectorXd& p, const VectorXd& y, const VectorXd& weights) {
  check_rows(p, y);
  return mean_of(((p.array() > 0.5) == (y.array() == 1)).cast<double>(), weights);
}

double auc(const VectorXd& p, const VectorXd& y, const VectorXd& weights) { return Ranking(p, y).auc(weights); }

double average_precision(const VectorXd& p, const VectorXd& y, const VectorXd& weights) {
  return Ranking(p, y).average_precision(weights);
}

Ranking::Ranking(const VectorXd& p, const VectorXd& y) : order_(static_cast<std::size_t>(p.size())) {
  check_rows(p, y);
  std::iota(order_.begin(), order_.end(), Index{0});
  std::sort(order_.begin(), order_.end(), [&](Index i, Index j) { return p[i] != p[j] ? p[i] > p[j] : i < j; });
  for (std::size_t k = 0; k < order_.size(); ++k) {
    ends_.push_back(k + 1 == order_.size() || p[order_[k + 1]] != p[order_[k]]);
    positive_.push_back(y[order_[k]] == 1);
  }
}

template <class See>
void Ranking::for_each_value(const VectorXd& weights, const See& see) const {
  check_some_weight({weights.data(), static_cast<std::size_t>(weights.size())}, static_cast<Index>(order_.size()));
  double one = 0, zero = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    (positive_[k] ? one : zero) += weights.size() == 0 ? 1 : weights[order_[k]];
    if (!ends_[k]) continue;
    see(one, zero);
    one = zero = 0;
  }
}

double Ranking::auc(const VectorXd& weights) const {
  double above = 0, pairs = 0, zeros = 0;  // above: weight of y = 1 at larger p
  for_each_value(weights, [&](double one, double zero) {
    pairs += zero * (above + one / 2);
    above += one;
    zeros += zero;
  });
  return above > 0 && zeros > 0 ? pairs / (above * zeros) : kUndefined;
}

double Ranking::average_precision(const VectorXd& weights) const {
  double hits = 0, all = 0, sum = 0;
  for_each_value(weights, [&](double one, double zero) {
    hits += one;
    all += one + zero;
    if (one > 0) sum += one * (hits / all);
  });
  return hits > 0 ? sum / hits : kUndefined;
}

}  // namespace plumbline
