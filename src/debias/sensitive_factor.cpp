#include "debias/sensitive_factor.h"

#include <cmath>
#include <limits>

#include "debias/linear_algebra.h"

namespace plumbline {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Extended = Moments::Extended;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kRounding = 32 * kEpsilon;  // of an entry of Σ, several times what is seen
constexpr double kZero = 1e-18;

struct Spectrum {
  VectorXd values;
  Extended vectors;
  double zero = 0;  // values up to it count as zero
};

Spectrum spectrum_of(const Extended& correlation) {
  const Index p = correlation.rows();
  if (p <= kExtendedColumns) {
    ExtendedEigen eigen = extended_symmetric_eigen(correlation);
    const double zero = eigen.values[0] * kZero;
    return {std::move(eigen.values), std::move(eigen.vectors), zero};
  }
  const SymmetricEigen eigen = symmetric_eigen(correlation.cast<double>());
  return {eigen.values, eigen.vectors.cast<long double>(), eigen.values[0] * static_cast<double>(p) * kEpsilon};
}

}  // namespace

SensitiveFactor factor_sensitive(const Covariance& c) {
  const Spectrum spectrum = spectrum_of(c.bb);
  const VectorXd& values = spectrum.values;
  const VectorXd spread = c.aa_diagonal.cwiseSqrt();
  std::vector<Index> kept;
  for (Index i = 0; i < values.size(); ++i) {
    if (!(values[i] > spectrum.zero)) continue;
    const VectorXd covariance = c.ba.transpose() * spectrum.vectors.col(i).cast<double>();
    if (values[i] > kRounding * values[0] || (covariance.cwiseAbs().array() > kRounding * spread.array()).any())
      kept.push_back(i);
  }
  SensitiveFactor factor;
  factor.whitener.resize(static_cast<Index>(kept.size()), values.size());
  for (Index i = 0; i < factor.rank(); ++i) {
    const Index at = kept[static_cast<std::size_t>(i)];
    const long double root = std::sqrt(static_cast<long double>(values[at]));
    factor.whitener.row(i) =
        (spectrum.vectors.col(at).array() / (root * c.b.scale.cast<long double>().array())).cast<double>().transpose();
  }
  if (!kept.empty()) factor.condition = std::sqrt(values[0] / values[kept.back()]);
  set_covariances(c, factor);
  return factor;
}

void set_covariances(const Covariance& c, SensitiveFactor& factor) {
  const Extended z = factor.whitener.cast<long double>() * c.b.scale.cast<long double>().asDiagonal();
  factor.whitener_of_working = z.cast<double>();
  factor.az = c.ba.transpose() * factor.whitener_of_working.transpose();
  if (c.bb.rows() <= kExtendedColumns) {
    const Extended bz = c.bb * z.transpose();
    factor.bz = bz.cast<double>();
    factor.zz = (z * bz).cast<double>();
  } else {
    factor.bz = c.bb.cast<double>() * factor.whitener_of_working.transpose();
    factor.zz = factor.whitener_of_working * factor.bz;
  }
}

MatrixXd regression_on_sensitive(const SensitiveFactor& factor) {
  if (factor.rank() == 0) return MatrixXd(0, factor.az.rows());
  return solve(factor.zz, factor.az.transpose());
}

}  // namespace plumbline
