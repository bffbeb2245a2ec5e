#include "reference_algebra.h"

#include <Eigen/Dense>

namespace plumbline::testing {

using Eigen::MatrixXd;

ReferenceSvd reference_svd(const MatrixXd& m) {
  const Eigen::JacobiSVD<MatrixXd> svd(m, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

MatrixXd range_of(const MatrixXd& m) {
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(m);
  return qr.householderQ() * MatrixXd::Identity(m.rows(), qr.rank());
}

MatrixXd complement_of(const MatrixXd& m) {
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(m);
  return qr.householderQ() * MatrixXd::Identity(m.rows(), m.rows()).rightCols(m.rows() - qr.rank());
}

MatrixXd least_squares(const MatrixXd& m, const MatrixXd& y) {
  return Eigen::ColPivHouseholderQR<MatrixXd>(m).solve(y);
}

Eigen::VectorXd leading_eigenvector(const MatrixXd& symmetric) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(symmetric).eigenvectors().rightCols(1);
}

MatrixXd inverse(const MatrixXd& m) { return m.inverse(); }

}  // namespace plumbline::testing
