#include "debias/sensitive_factor.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

namespace plumbline {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

SensitiveFactor factor_sensitive(const MatrixXd& bb) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(bb);
  const VectorXd& values = eigen.eigenvalues();
  const Index p = values.size();
  const double largest = values[p - 1];
  const double smallest = largest * static_cast<double>(p) * std::numeric_limits<double>::epsilon();
  Index rank = 0;
  while (rank < p && values[p - 1 - rank] > smallest) ++rank;
  SensitiveFactor factor;
  factor.whitener = eigen.eigenvectors().rightCols(rank) * values.tail(rank).cwiseSqrt().cwiseInverse().asDiagonal();
  if (rank > 0) factor.condition = std::sqrt(largest / values[p - rank]);
  return factor;
}

MatrixXd regression_on_sensitive(const SensitiveFactor& factor, const MatrixXd& bb, const MatrixXd& ba) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const MatrixXd& z = factor.whitener;
  MatrixXd lambda = z * (z.transpose() * ba);
  const Wide wide_bb = bb.cast<long double>(), wide_ba = ba.cast<long double>();
  for (int step = 0; step < 2; ++step) {
    const MatrixXd rest = (wide_ba - wide_bb * lambda.cast<long double>()).cast<double>();
    lambda += z * (z.transpose() * rest);
  }
  return lambda;
}

}  // namespace plumbline
