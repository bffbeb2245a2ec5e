#include "random_data.h"

#include <Eigen/QR>

namespace plumbline::testing {
namespace {

MatrixXd orthonormalised(const MatrixXd& x) {
  return Eigen::HouseholderQR<MatrixXd>(x).householderQ() * MatrixXd::Identity(x.rows(), x.cols());
}

}  // namespace

MatrixXd Random::matrix(Index rows, Index cols) {
  return MatrixXd::NullaryExpr(rows, cols, [&] { return normal(); });
}

MatrixXd Random::orthonormal(Index rows, Index cols) { return orthonormalised(matrix(rows, cols)); }

MatrixXd Random::with_condition(Index rows, Index cols, double condition) {
  MatrixXd start = matrix(rows, cols);
  start.rowwise() -= start.colwise().mean().eval();
  const MatrixXd left = orthonormalised(start);
  VectorXd values(cols);
  for (Index j = 0; j < cols; ++j)
    values[j] = std::pow(condition, cols == 1 ? 0.0 : -static_cast<double>(j) / static_cast<double>(cols - 1));
  return std::sqrt(static_cast<double>(rows)) * left * values.asDiagonal() * orthonormal(cols, cols).transpose();
}

MatrixXd Random::one_hot(Index rows, Index levels) {
  MatrixXd out = MatrixXd::Zero(rows, levels);
  for (Index i = 0; i < rows; ++i) out(i, i < levels ? i : integer(0, levels - 1)) = 1;
  return out;
}

MatrixXd Random::features(const MatrixXd& b, Index cols) {
  const Index latent = integer(1, cols);
  MatrixXd a = b * matrix(b.cols(), cols) + matrix(b.rows(), latent) * matrix(latent, cols) + matrix(b.rows(), cols);
  for (Index j = 0; j < cols; ++j) a.col(j) = (a.col(j) * std::exp(uniform(-3, 3))).array() + uniform(-10, 10);
  return a;
}

MatrixXd centred(const MatrixXd& x) { return x.rowwise() - x.colwise().mean(); }

double max_correlation(const MatrixXd& x, const MatrixXd& y) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Wide u = x.cast<long double>(), v = y.cast<long double>();
  u.rowwise() -= u.colwise().mean().eval();
  v.rowwise() -= v.colwise().mean().eval();
  long double worst = 0;
  for (Index j = 0; j < u.cols(); ++j)
    for (Index l = 0; l < v.cols(); ++l) {
      const long double norm = u.col(j).norm() * v.col(l).norm();
      if (norm > 0) worst = std::max(worst, std::abs(u.col(j).dot(v.col(l))) / norm);
    }
  return static_cast<double>(worst);
}

}  // namespace plumbline::testing
