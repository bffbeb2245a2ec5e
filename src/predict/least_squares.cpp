#include "predict/least_squares.h"

#include <fmt/format.h>

#include "debias/linear_algebra.h"
#include "plumbline/error.h"

namespace plumbline {

using Eigen::MatrixXd;
using Eigen::VectorXd;

LeastSquares::LeastSquares(const MatrixXd& x, const VectorXd& y) {
  constexpr double kNoise = 1e-12;
  if (x.rows() == 0 || x.cols() == 0)
    throw Error(fmt::format("x has {} rows and {} columns; a regression needs one of both", x.rows(), x.cols()));
  if (x.rows() != y.size())
    throw Error(fmt::format("x has {} rows and y has {}; they must have the same rows", x.rows(), y.size()));
  if (!x.allFinite() || !y.allFinite()) throw Error("x or y has a cell that is not finite; cells must be numbers");
  const Eigen::RowVectorXd mean = x.colwise().mean();
  MatrixXd z = x.rowwise() - mean;
  Eigen::RowVectorXd scale = z.colwise().norm();
  for (double& s : scale)
    if (s == 0) s = 1;
  z.array().rowwise() /= scale.array();
  const SymmetricEigen gram = symmetric_eigen(z.transpose() * z);
  const VectorXd inverse = gram.values.unaryExpr([&](double v) { return v > kNoise * gram.values[0] ? 1 / v : 0.0; });
  const VectorXd along = gram.vectors.transpose() * (z.transpose() * VectorXd(y.array() - y.mean()));
  coefficients_ = (gram.vectors * inverse.cwiseProduct(along)).cwiseQuotient(scale.transpose());
  intercept_ = y.mean() - mean.dot(coefficients_);
}

VectorXd LeastSquares::predict(const MatrixXd& x) const {
  if (x.cols() != coefficients_.size())
    throw Error(fmt::format("x has {} columns; the regression was fitted to {}", x.cols(), coefficients_.size()));
  return intercept_ + (x * coefficients_).array();
}

Learner least_squares_learner() {
  return [](const MatrixXd& x, const VectorXd& y) { return std::make_unique<const LeastSquares>(x, y); };
}

}  // namespace plumbline
