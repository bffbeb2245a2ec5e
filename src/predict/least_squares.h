// Linear regression by least squares:  f(x) = mean y + (x − mean x) β,   β of least norm among those that minimise
// ‖y − mean y − (X − mean X) β‖, columns scaled to a standard deviation of 1.
//
// Directions of X whose variance is below 1e-12 of the largest count as none. O(n q²). Error when shapes disagree,
// there are no rows or columns, or a cell is not finite.
#pragma once

#include <Eigen/Core>

#include "predict/predictor.h"

namespace plumbline {

class LeastSquares final : public Predictor {
 public:
  LeastSquares(const Eigen::MatrixXd& x, const Eigen::VectorXd& y);

  Eigen::VectorXd predict(const Eigen::MatrixXd& x) const override;

  double intercept() const { return intercept_; }
  const Eigen::VectorXd& coefficients() const { return coefficients_; }

 private:
  double intercept_ = 0;
  Eigen::VectorXd coefficients_;
};

Learner least_squares_learner();

}  // namespace plumbline
