// Moments of matrices, and how far two statistics are apart.
#pragma once

#include <algorithm>
#include <cmath>

#include "plumbline/moments.h"
#include "random_data.h"

namespace plumbline::testing {

inline Moments moments_of(const Columns& a, const Columns& b, Moments::Kind kind = Moments::Kind::full,
                          const UpdateOptions& options = {}) {
  Moments m(a.cols(), b.cols(), kind);
  m.update(a, b, options);
  return m;
}

// The largest difference of two scatters, each cell relative to the geometric mean of its two variances.
inline double distance(const Moments& x, const Moments& y) {
  const VectorXd a = y.scatter_diagonal_a().cwiseSqrt().cwiseMax(1e-300);
  const VectorXd b = y.scatter_bb().diagonal().cwiseSqrt().cwiseMax(1e-300);
  double worst = std::abs(x.weight() - y.weight()) / y.weight();
  const auto take = [&](const MatrixXd& difference, const VectorXd& rows, const VectorXd& cols) {
    worst = std::max(worst, (difference.array() / (rows * cols.transpose()).array()).abs().maxCoeff());
  };
  take(x.scatter_bb() - y.scatter_bb(), b, b);
  take(x.scatter_ba() - y.scatter_ba(), b, a);
  take((x.scatter_diagonal_a() - y.scatter_diagonal_a()).asDiagonal(), a, a);
  if (x.kind() == Moments::Kind::full && y.kind() == Moments::Kind::full) take(x.scatter_aa() - y.scatter_aa(), a, a);
  const double root = std::sqrt(y.weight());
  worst = std::max(worst, ((x.mean_a() - y.mean_a()).array() / a.array() * root).abs().maxCoeff());
  return std::max(worst, ((x.mean_b() - y.mean_b()).array() / b.array() * root).abs().maxCoeff());
}

}  // namespace plumbline::testing
