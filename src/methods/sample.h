// Rows of people: features, a group and an outcome.
//
// Error when shapes disagree, there are no rows, features or levels, a group is not from 0 to levels − 1, or a number
// is not finite. A level may be without rows (method.h says what follows).
#pragma once

#include <Eigen/Core>

namespace plumbline {

struct Sample {
  Eigen::MatrixXd a;  // n × q features
  Eigen::VectorXi s;  // n groups, 0 … levels − 1
  Eigen::VectorXd y;  // n outcomes: 0 or 1, or any number for a learner that takes it
  int levels = 0;

  Eigen::Index rows() const { return a.rows(); }
  void check() const;  // throws Error
};

// The part of check() that rows without an outcome can pass.
void check_people(const Eigen::MatrixXd& a, const Eigen::VectorXi& s, int levels);

// P(g) = n_g / n.
Eigen::VectorXd group_shares(const Eigen::VectorXi& s, int levels);

// Throws Error if a row is of a group of share 0.
void check_known(const Eigen::VectorXd& shares, const Eigen::VectorXi& s);

}  // namespace plumbline
