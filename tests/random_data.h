// Random inputs for laws: shapes and numbers follow from a seed alone.
#pragma once

#include <Eigen/Core>
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

  MatrixXd matrix(Index rows, Index cols);

  // Orthonormal columns, rows ≥ cols.
  MatrixXd orthonormal(Index rows, Index cols);

  // Centred, with singular values spread evenly in logarithm from √n down to √n / condition.
  MatrixXd with_condition(Index rows, Index cols, double condition);

  // One column per level, exactly one 1 in a row, every level present.
  MatrixXd one_hot(Index rows, Index levels);

  // Features that depend on b linearly, with columns of different means and spreads.
  MatrixXd features(const MatrixXd& b, Index cols);

 private:
  std::mt19937_64 engine_;
};

inline std::span<const double> span_of(const VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

MatrixXd centred(const MatrixXd& x);

// max |corr(x_j, y_l)|, in long double; columns without spread count as uncorrelated.
double max_correlation(const MatrixXd& x, const MatrixXd& y);

}  // namespace plumbline::testing
