#include "debias/barycentre.h"

#include <algorithm>
#include <limits>

#include "debias/linear_algebra.h"

namespace plumbline {

using Eigen::MatrixXd;
using Eigen::VectorXd;

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
    const MatrixXd root = eigen.vectors * eigen.values.cwiseMax(0).cwiseSqrt().asDiagonal() * eigen.vectors.transpose();
    MatrixXd mean = MatrixXd::Zero(d, d);
    for (std::size_t k = 0; k < covariances.size(); ++k) {
      const MatrixXd product = root * covariances[k] * root;
      const SymmetricEigen inner = symmetric_eigen((product + product.transpose()) / 2);
      const double least = std::numeric_limits<double>::epsilon() * inner.values[0];
      const MatrixXd half =
          root * inner.vectors * inner.values.cwiseMax(least).cwiseSqrt().cwiseSqrt().cwiseInverse().asDiagonal();
      out.maps[k] = half * half.transpose();
      mean += weights[static_cast<Eigen::Index>(k)] * out.maps[k];
    }
    out.converged = (mean - MatrixXd::Identity(d, d)).cwiseAbs().maxCoeff() <= tolerance;
    if (out.converged || out.iterations >= max_iterations) return out;
    const MatrixXd next = mean * out.centre * mean;
    out.centre = (next + next.transpose()) / 2;
    ++out.iterations;
  }
}

}  // namespace plumbline
