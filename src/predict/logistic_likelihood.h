// The log-likelihood of logistic regression with its first two derivatives, in one pass over the rows.
//
//   η = c₀ + (x − o)ᵀ c      ℓ = Σ w (y η − log(1 + e^η))      g = Σ w (y − p) x̃      H = Σ w p(1 − p) x̃ x̃ᵀ
//
// with x̃ = (1, x − o) and coefficients (c₀, c), or without their first parts where there is no intercept. The origin o
// is the weighted mean, or 0 without an intercept. Rows go through in tiles, H as the scatter of √(w p(1 − p)) x̃ by the
// kernel that sums moments; leaves of rows are summed in parallel and added up in order. Nothing is allocated for a row
// or a tile. x, y and w are viewed and must outlive this.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "plumbline/columns.h"

namespace plumbline {

struct Likelihood {
  double value = 0;          // ℓ
  Eigen::VectorXd gradient;  // g
  Eigen::MatrixXd hessian;   // H, its lower triangle
};

class LogisticLikelihood {
 public:
  // Empty weights: all one.
  LogisticLikelihood(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, const Eigen::VectorXd& weights, bool intercept,
                     int threads);

  Index parameters() const { return x_.cols() + first_; }
  const Eigen::VectorXd& origin() const { return origin_; }
  double weight() const { return weight_; }

  void evaluate(const Eigen::VectorXd& coefficients, Likelihood& out);

  // What a step does to the rows of positive weight: the largest |Δη|, and the largest move of an η away from its y.
  struct Move {
    double largest = 0, wrong = 0;
  };
  Move move(const Eigen::VectorXd& step) const;

 private:
  struct Leaf {
    Likelihood sum;
    Eigen::VectorXd part;            // of the gradient, from one tile
    std::vector<double> tile, rows;  // rows: η, y, w, the residual and the root, a tile's column each
  };
  void sum_leaf(const Eigen::VectorXd& coefficients, Index first, Index count, Leaf& leaf) const;

  const Eigen::MatrixXd& x_;
  Columns columns_;  // of x
  const double* y_;
  const double* w_;  // null: all one
  Index first_;      // 1 with an intercept
  Eigen::VectorXd origin_;
  double weight_ = 0;
  int threads_;
  std::vector<Leaf> leaves_;  // one a thread
};

}  // namespace plumbline
