// Rows of features a, sensitive columns b that are numbers, and an outcome y that is one.
//
// Error when shapes disagree, there are no rows, features or sensitive columns, or a number is not finite.
#pragma once

#include <Eigen/Core>

namespace plumbline {

struct ContinuousSample {
  Eigen::MatrixXd a;  // n × q
  Eigen::MatrixXd b;  // n × p
  Eigen::VectorXd y;  // n

  Eigen::Index rows() const { return a.rows(); }
  void check() const;  // throws Error
};

}  // namespace plumbline
