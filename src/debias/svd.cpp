#include "debias/svd.h"

#include <Eigen/SVD>

#include "debias/linear_algebra.h"

namespace plumbline {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Svd thin_svd(const MatrixXd& m) {
  if (m.size() == 0) return {MatrixXd(m.rows(), 0), VectorXd(0), MatrixXd(m.cols(), 0)};  // Eigen would read it
  const Eigen::BDCSVD<MatrixXd> svd(m, Eigen::ComputeThinU | Eigen::ComputeThinV);
  expect_converged(svd.info());
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

VectorXd singular_values(const MatrixXd& m) {
  if (m.size() == 0) return VectorXd(0);
  const Eigen::BDCSVD<MatrixXd> svd(m);
  expect_converged(svd.info());
  return svd.singularValues();
}

}  // namespace plumbline
