// What the training part of a sample says of units and ranges.
//
//   OutcomeUnits   y to mean 0 and standard deviation 1 (divisor n) over the training part; Error if it has no spread
//   rows_outside   how many rows have a b that is not within the range of the training part
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "plumbline/error.h"

namespace plumbline {

struct OutcomeUnits {
  explicit OutcomeUnits(const Eigen::VectorXd& training)
      : mean(training.mean()), sd(std::sqrt((training.array() - mean).square().mean())) {
    if (!(sd > 0)) throw Error("the outcome has no spread in the training part");
  }

  Eigen::VectorXd of(const Eigen::VectorXd& y) const { return (y.array() - mean) / sd; }

  double mean, sd;
};

inline Eigen::Index rows_outside(const Eigen::VectorXd& training, const Eigen::VectorXd& b) {
  return (b.array() < training.minCoeff() || b.array() > training.maxCoeff()).count();
}

}  // namespace plumbline
