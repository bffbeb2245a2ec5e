// Random samples of people for laws: groups that shift the features, and an outcome that depends on both.
#pragma once

#include <cmath>

#include "methods/sample.h"
#include "random_data.h"

namespace plumbline::testing {

inline VectorXd random_outcomes(Random& random, const VectorXd& eta) {
  return eta.unaryExpr([&](double e) { return random.uniform(0, 1) < 1 / (1 + std::exp(-e)) ? 1.0 : 0.0; });
}

// Every level has at least one row of each outcome.
inline Sample random_people(Random& random, Index rows, Index features, int levels) {
  Sample out;
  out.levels = levels;
  out.s = Eigen::VectorXi::NullaryExpr(rows, [&] { return static_cast<int>(random.integer(0, levels - 1)); });
  for (int g = 0; g < levels; ++g) out.s[2 * g] = out.s[2 * g + 1] = g;
  const MatrixXd means = random.matrix(levels, features);
  out.a = random.matrix(rows, features) * random.matrix(features, features);
  for (Index i = 0; i < rows; ++i) out.a.row(i) += means.row(out.s[i]);
  const VectorXd effect = random.matrix(levels, 1);
  VectorXd eta = 0.5 * (out.a * random.matrix(features, 1)) / std::sqrt(static_cast<double>(features));
  for (Index i = 0; i < rows; ++i) eta[i] += effect[out.s[i]];
  out.y = random_outcomes(random, eta);
  for (int g = 0; g < levels; ++g) {
    out.y[2 * g] = 0;
    out.y[2 * g + 1] = 1;
  }
  return out;
}

template <class Vector>
Vector permuted(const Vector& x, const std::vector<Index>& order) {
  return x(order, Eigen::all);
}

inline std::vector<Index> random_order(Random& random, Index rows) {
  std::vector<Index> order(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) order[static_cast<std::size_t>(i)] = i;
  for (Index i = rows - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.integer(0, i))]);
  return order;
}

inline double largest(const MatrixXd& x) { return x.cwiseAbs().maxCoeff(); }

}  // namespace plumbline::testing
