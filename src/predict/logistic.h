// Logistic regression by maximum likelihood: P(y = 1 | x) = p = 1 / (1 + e^{−η}),  η = β₀ + xᵀβ.
//
//   ℓ(β₀, β) = Σ w_i (y_i η_i − log(1 + e^{η_i}))          maximised:  ℓ − ridge/2 ‖β‖²
//
// x: n × m without a constant column, y: n of 0 and 1, w: n weights, W = Σ w. The ridge is 1/C of scikit-learn; the
// intercept is free of it. Weights count rows: a weight of 2 is the row twice, one of 0 no row.
//
// Newton's method with a line search, from 0, until  max_j |∂_j| / W ≤ tolerance,  ∂_j the derivative of the maximised
// function by the coefficient of column j scaled to standard deviation 1 (to mean square 1 without an intercept), so
// that units do not matter. One pass over the rows for each iteration, in tiles; the same bits for any number of
// threads.
//
// Redundant columns: without a ridge, a column of which the intercept and the columns before it explain all but 1e-11
// of its variance gets coefficient 0 and standard error 0, and is listed. Predictions are those of any other choice.
//
// Separation: when the gradient is below the tolerance but the next step would still raise the likelihood of some rows
// by moving their η by over 0.1, and of none lower it, the likelihood has no maximum: p goes to 0 or 1 in these rows.
// The status says so, and the coefficients, finite, are those reached.
//
// Standard errors are of the inverse of −∂²: (Σ w p(1 − p) x xᵀ + ridge)⁻¹, the intercept's among them. Where the data
// are separated they mean nothing.
//
// Error when shapes disagree, there are no rows of positive weight, an outcome is neither 0 nor 1, a cell or weight is
// not finite, a weight is negative, the squares of a column leave the range of a double, or an option is out of range.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "predict/predictor.h"

namespace plumbline {

struct LogisticOptions {
  double ridge = 0;          // ≥ 0
  bool intercept = true;     // β₀; false: 0
  double tolerance = 1e-10;  // > 0
  int max_iterations = 100;  // ≥ 1
  int threads = 0;           // 0: one a core

  void check() const;  // throws Error naming the field
};

enum class LogisticStatus { converged, separated, iteration_limit };

const char* name_of(LogisticStatus status);

struct LogisticFit {
  Eigen::VectorXd coefficients, standard_errors;  // m
  double intercept = 0, intercept_error = 0;
  std::vector<Eigen::Index> redundant;  // columns left out, ascending
  double log_likelihood = 0;            // ℓ, without the ridge
  double gradient = 0;                  // max_j |∂_j| / W
  int iterations = 0;                   // Newton steps
  LogisticStatus status = LogisticStatus::converged;
  std::string warning;  // a sentence unless converged
};

class LogisticRegression final : public Predictor {
 public:
  explicit LogisticRegression(LogisticFit fit) : fit_(std::move(fit)) {}

  const LogisticFit& fit() const { return fit_; }
  Eigen::VectorXd predict(const Eigen::MatrixXd& x) const override;  // p
  std::string warning() const override { return fit_.warning; }

 private:
  LogisticFit fit_;
};

// Empty weights: all one.
LogisticRegression fit_logistic(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, const LogisticOptions& options = {},
                                const Eigen::VectorXd& weights = {});

Learner logistic_learner(const LogisticOptions& options = {});

}  // namespace plumbline
