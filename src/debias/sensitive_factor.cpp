#include "debias/sensitive_factor.h"

#include <cmath>
#include <limits>

#include "debias/linear_algebra.h"

namespace plumbline {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kRounding = 32 * kEpsilon;  // of an entry of Σ, several times what is seen

}  // namespace

SensitiveFactor factor_sensitive(const Covariance& c) {
  const SymmetricEigen eigen = symmetric_eigen(c.bb);
  const Index p = eigen.values.size();
  const double largest = eigen.values[0], zero = largest * static_cast<double>(p) * kEpsilon;
  const VectorXd spread = c.aa_diagonal.cwiseSqrt();
  std::vector<Index> kept;
  for (Index i = 0; i < p; ++i) {
    const double value = eigen.values[i];
    if (!(value > zero)) continue;
    const VectorXd covariance = c.ba.transpose() * eigen.vectors.col(i);
    if (value > kRounding * largest || (covariance.cwiseAbs().array() > kRounding * spread.array()).any())
      kept.push_back(i);
  }
  SensitiveFactor factor;
  factor.whitener = eigen.vectors(Eigen::all, kept) * eigen.values(kept).cwiseSqrt().cwiseInverse().asDiagonal();
  if (!kept.empty()) factor.condition = std::sqrt(largest / eigen.values[kept.back()]);
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
