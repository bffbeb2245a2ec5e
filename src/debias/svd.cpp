#include "debias/svd.h"

#include <Eigen/SVD>

#include "plumbline/error.h"

namespace plumbline {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

void expect_converged(const Eigen::BDCSVD<MatrixXd>& svd) {
  if (svd.info() != Eigen::Success)
    throw Error("singular values of the covariances did not converge; are they finite?");
}

}  // namespace

Svd thin_svd(const MatrixXd& m) {
  if (m.size() == 0) return {MatrixXd(m.rows(), 0), VectorXd(0), MatrixXd(m.cols(), 0)};  // Eigen would read it
  const Eigen::BDCSVD<MatrixXd> svd(m, Eigen::ComputeThinU | Eigen::ComputeThinV);
  expect_converged(svd);
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

VectorXd singular_values(const MatrixXd& m) {
  if (m.size() == 0) return VectorXd(0);
  const Eigen::BDCSVD<MatrixXd> svd(m);
  expect_converged(svd);
  return svd.singularValues();
}

}  // namespace plumbline
