#include "debias/residual.h"

#include <limits>

#include "debias/linear_algebra.h"
#include "debias/svd.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kUncorrelated = 1e-12;
constexpr double kLeastTruth = 1e-6;  // of the variance of a direction of b, to be told from noise

void drop_fully_explained(const VectorXd& before, double share, Residual& r) {
  for (Index j = 0; j < before.size(); ++j) {
    if (before[j] == 0 || r.variance[j] > share * before[j]) continue;
    r.fully_explained.push_back(j);
    r.variance[j] = 0;
    if (r.covariance.size() == 0) continue;
    r.covariance.row(j).setZero();
    r.covariance.col(j).setZero();
  }
}

// K. What is left of B must vary in each direction of z, and none of it where B does not vary.
MatrixXd regression_without_noise(const Covariance& c, const SensitiveFactor& b, const VectorXd& noise_b) {
  const VectorXd working = noise_b.cwiseQuotient(c.b.scale.cwiseAbs2());
  const MatrixXd left = b.zz - b.whitener_of_working * working.asDiagonal() * b.whitener_of_working.transpose();
  const MatrixXd whole = c.bb.cast<double>() - MatrixXd(working.asDiagonal());
  const double least = symmetric_eigenvalues(whole).minCoeff();
  if (b.rank() == 0 || !(symmetric_eigenvalues(left).minCoeff() > kLeastTruth) || least < -kUncorrelated)
    throw Error(
        "the reliabilities leave a combination of the sensitive columns no variance of its own: they are too low for "
        "columns that are correlated so much; give higher ones, or leave out one of the columns");
  return solve(left, b.az.transpose());
}

}  // namespace

Residual aware_residual(const Covariance& c, const SensitiveFactor& b, const VectorXd& noise_b) {
  Residual r;
  r.regression = noise_b.size() > 0 ? regression_without_noise(c, b, noise_b) : regression_on_sensitive(b);
  r.variance = c.aa_diagonal - b.az.cwiseProduct(r.regression.transpose()).rowwise().sum();
  if (c.aa) {
    const MatrixXd explained = b.az * r.regression;
    r.covariance = *c.aa - (explained + explained.transpose()) / 2;
  }
  if (noise_b.size() > 0 && (r.variance.array() < -kUncorrelated * c.aa_diagonal.array()).any())
    throw Error(
        "with these reliabilities the sensitive columns would explain more than all of a feature; give higher ones");
  drop_fully_explained(c.aa_diagonal, no_variance(b.condition, c.bb.rows()), r);
  return r;
}

Residual blind_residual(const Covariance& c, const SensitiveFactor& b) {
  if (!c.aa) throw Error("mode is blind, which needs full moments; these are cross-only");
  const VectorXd spread = (c.aa_diagonal.array() > 0).select(c.aa_diagonal.cwiseSqrt(), 1.0);
  const VectorXd inverse = spread.cwiseInverse();
  const SymmetricEigen eigen = symmetric_eigen(inverse.asDiagonal() * *c.aa * inverse.asDiagonal());
  const Index q = eigen.values.size();
  const double smallest = eigen.values[0] * static_cast<double>(q) * std::numeric_limits<double>::epsilon();
  Index kept = 0;
  while (kept < q && eigen.values[kept] > smallest) ++kept;
  const VectorXd root = eigen.values.head(kept).cwiseSqrt();
  const auto vectors = eigen.vectors.leftCols(kept);
  MatrixXd whiten = root.cwiseInverse().asDiagonal() * vectors.transpose() * inverse.asDiagonal();
  for (const Index j : c.a.constant) whiten.col(j).setZero();  // an eigenvector has rounding there

  const MatrixXd& k = b.az;
  const Svd svd = thin_svd(whiten * k);
  Index correlated = 0;
  while (correlated < svd.values.size() && svd.values[correlated] > kUncorrelated) ++correlated;
  const auto x = svd.u.leftCols(correlated);

  Residual r;
  r.g = x.transpose() * whiten;
  const MatrixXd ky = k * svd.v.leftCols(correlated);
  r.f = correlated == 0 ? MatrixXd(q, 0) : MatrixXd(solve((r.g * ky).transpose(), ky.transpose()).transpose());
  MatrixXd removed = spread.asDiagonal() * vectors * root.asDiagonal() * x;
  for (const Index j : c.a.constant) removed.row(j).setZero();
  r.covariance = *c.aa - removed * removed.transpose();
  r.variance = r.covariance.diagonal();
  drop_fully_explained(c.aa_diagonal, no_variance(b.condition, c.bb.rows()), r);
  return r;
}

}  // namespace plumbline
