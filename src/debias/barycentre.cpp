#include "debias/barycentre.h"

#include <algorithm>
#include <limits>

#include "debias/linear_algebra.h"

namespace plumbline {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kTiny = std::numeric_limits<double>::epsilon();

}  // namespace

Barycentre bures_barycentre(const std::vector<MatrixXd>& covariances, const VectorXd& weights, double tolerance,
                            int max_iterations) {
  Barycentre out;
  const Eigen::Index d = covariances.front().rows();
  out.centre = MatrixXd::Zero(d, d);
  for (std::size_t k = 0; k < covariances.size(); ++k)
    out.centre += weights[static_cast<Eigen::Index>(k)] * covariances[k];
  out.maps.resize(covariances.size());
  while (true) {
    const SymmetricEigen eigen = symmetric_eigen(out.centre);
    const VectorXd roots = eigen.values.cwiseMax(kTiny * eigen.values[0]).cwiseSqrt();
    const MatrixXd root = eigen.vectors * roots.asDiagonal() * eigen.vectors.transpose(),
                   inverse = eigen.vectors * roots.cwiseInverse().asDiagonal() * eigen.vectors.transpose();
    MatrixXd sum = MatrixXd::Zero(d, d);
    for (std::size_t k = 0; k < covariances.size(); ++k) {
      const MatrixXd product = root * covariances[k] * root;
      const SymmetricEigen inner = symmetric_eigen((product + product.transpose()) / 2);
      const VectorXd half = inner.values.cwiseMax(kTiny * inner.values[0]).cwiseSqrt();
      const MatrixXd of_map = root * inner.vectors * half.cwiseSqrt().cwiseInverse().asDiagonal();
      out.maps[k] = of_map * of_map.transpose();
      sum += weights[static_cast<Eigen::Index>(k)] * (inner.vectors * half.asDiagonal() * inner.vectors.transpose());
    }
    const MatrixXd mean = inverse * sum * inverse;
    out.converged = (mean - MatrixXd::Identity(d, d)).cwiseAbs().maxCoeff() <= tolerance;
    if (out.converged || out.iterations >= max_iterations) return out;
    const MatrixXd next = mean * out.centre * mean;
    out.centre = (next + next.transpose()) / 2;
    ++out.iterations;
  }
}

}  // namespace plumbline
