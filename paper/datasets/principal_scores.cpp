#include "paper/datasets/principal_scores.h"

#include <fmt/format.h>

#include <cmath>

#include "debias/linear_algebra.h"
#include "plumbline/error.h"

namespace plumbline {

using Eigen::Index;
using Eigen::MatrixXd;

PrincipalScores::PrincipalScores(const MatrixXd& rows) {
  const Index n = rows.rows(), q = rows.cols();
  if (n == 0 || q == 0) throw Error(fmt::format("there is nothing to take axes of: {} rows, {} columns", n, q));
  if (!rows.allFinite()) throw Error("the rows to take axes of have a cell that is not a finite number");
  mean_ = rows.colwise().mean();
  scale_ = ((rows.rowwise() - mean_).array().square().colwise().mean()).sqrt();
  for (double& scale : scale_)
    if (scale == 0) scale = 1;
  const MatrixXd z = (rows.rowwise() - mean_).array().rowwise() / scale_.array();
  axes_ = symmetric_eigen(z.transpose() * z / static_cast<double>(n)).vectors;
  const MatrixXd scores = of(rows);
  for (Index j = 0; j < q; ++j) {
    Index largest = 0;
    scores.col(j).cwiseAbs().maxCoeff(&largest);
    if (scores(largest, j) < 0) axes_.col(j) *= -1;
  }
}

MatrixXd PrincipalScores::of(const MatrixXd& rows) const {
  if (rows.cols() != mean_.size())
    throw Error(fmt::format("the rows have {} columns and the axes {}", rows.cols(), mean_.size()));
  // Sums in one order for every row: a matrix product may add up its last rows in another one.
  MatrixXd scores = MatrixXd::Zero(rows.rows(), axes_.cols());
  for (Index j = 0; j < axes_.cols(); ++j)
    for (Index i = 0; i < mean_.size(); ++i)
      scores.col(j).array() += (rows.col(i).array() - mean_[i]) / scale_[i] * axes_(i, j);
  return scores;
}

}  // namespace plumbline
