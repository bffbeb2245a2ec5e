// Random inputs for laws: shapes and numbers follow from a seed alone.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "plumbline/columns.h"

namespace plumbline::testing {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  Index integer(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(engine_); }
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  double normal() { return std::normal_distribution<double>()(engine_); }
  double student(double degrees) { return std::student_t_distribution<double>(degrees)(engine_); }

  MatrixXd matrix(Index rows, Index cols) {
    return MatrixXd::NullaryExpr(rows, cols, [&] { return normal(); });
  }

  // Orthonormal columns, rows ≥ cols.
  MatrixXd orthonormal(Index rows, Index cols) {
    return Eigen::HouseholderQR<MatrixXd>(matrix(rows, cols)).householderQ() * MatrixXd::Identity(rows, cols);
  }

  // Centred, with singular values spread evenly in logarithm from √n down to √n / condition.
  MatrixXd with_condition(Index rows, Index cols, double condition) {
    MatrixXd start = matrix(rows, cols);
    start.rowwise() -= start.colwise().mean().eval();
    const MatrixXd left = Eigen::HouseholderQR<MatrixXd>(start).householderQ() * MatrixXd::Identity(rows, cols);
    VectorXd values(cols);
    for (Index j = 0; j < cols; ++j)
      values[j] = std::pow(condition, cols == 1 ? 0.0 : -static_cast<double>(j) / static_cast<double>(cols - 1));
    return std::sqrt(static_cast<double>(rows)) * left * values.asDiagonal() * orthonormal(cols, cols).transpose();
  }

  // One column per level, exactly one 1 in a row, every level present.
  MatrixXd one_hot(Index rows, Index levels) {
    MatrixXd out = MatrixXd::Zero(rows, levels);
    for (Index i = 0; i < rows; ++i) out(i, i < levels ? i : integer(0, levels - 1)) = 1;
    return out;
  }

  // Features that depend on b linearly, with columns of different means and spreads.
  MatrixXd features(const MatrixXd& b, Index cols) {
    const Index latent = integer(1, cols);
    MatrixXd a = b * matrix(b.cols(), cols) + matrix(b.rows(), latent) * matrix(latent, cols) + matrix(b.rows(), cols);
    for (Index j = 0; j < cols; ++j) a.col(j) = (a.col(j) * std::exp(uniform(-3, 3))).array() + uniform(-10, 10);
    return a;
  }

 private:
  std::mt19937_64 engine_;
};

inline std::span<const double> span_of(const VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

inline MatrixXd centred(const MatrixXd& x) { return x.rowwise() - x.colwise().mean(); }

// max |corr(x_j, y_l)|, in long double; columns without spread count as uncorrelated.
inline double max_correlation(const MatrixXd& x, const MatrixXd& y) {
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
