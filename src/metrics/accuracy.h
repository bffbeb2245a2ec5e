// How well predictions p agree with outcomes y of 0 and 1, in rows of weight w, W = Σ w.
//
//   soft_accuracy       Σ w (p y + (1 − p)(1 − y)) / W                                     the paper's ACC
//   hard_accuracy       Σ w 1[(p > ½) = y] / W
//   auc                 P(p of a row with y = 1 > p of one with y = 0), ties counting one half
//   average_precision   Σ_k (R_k − R_{k−1}) P_k over the distinct p, falling; R_k and P_k the recall and the precision
//                       of predicting 1 for p at least the k-th of them (scikit-learn's definition)
//
// A weight of 2 is the row twice; empty weights are all one. auc is NaN where one of the outcomes has no weight, and
// average_precision where y = 1 has none: they are not defined then. O(n log n), or O(n) for each vector of weights
// once the rows are ranked.
//
// Error when shapes disagree, there are no rows or no weight, an outcome is neither 0 nor 1, p is not finite, or a
// weight is negative or not finite.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace plumbline {

double soft_accuracy(const Eigen::VectorXd& p, const Eigen::VectorXd& y, const Eigen::VectorXd& weights = {});
double hard_accuracy(const Eigen::VectorXd& p, const Eigen::VectorXd& y, const Eigen::VectorXd& weights = {});
double auc(const Eigen::VectorXd& p, const Eigen::VectorXd& y, const Eigen::VectorXd& weights = {});
double average_precision(const Eigen::VectorXd& p, const Eigen::VectorXd& y, const Eigen::VectorXd& weights = {});

// The rows in order of p, for many vectors of weights.
class Ranking {
 public:
  Ranking(const Eigen::VectorXd& p, const Eigen::VectorXd& y);

  double auc(const Eigen::VectorXd& weights = {}) const;
  double average_precision(const Eigen::VectorXd& weights = {}) const;

 private:
  // Calls see(weight of y = 1, weight of y = 0) for each distinct p, falling.
  template <class See>
  void for_each_value(const Eigen::VectorXd& weights, const See& see) const;

  std::vector<Eigen::Index> order_;    // p falling
  std::vector<bool> ends_, positive_;  // of each place in that order: whether it is the last of its p; whether y = 1
};

}  // namespace plumbline
