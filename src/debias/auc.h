// AUC with its sampling variance, of rows that are compared within folds only.
//
//   θ = Σ_k π_k θ_k,   π_k ∝ W1_k W0_k,    θ_k = Σ_i w_i V_i / W1_k over the rows of fold k with y = 1,
//   V_i = the share, by weight, of the rows of fold k with y = 0 that score less than row i, ties counting one half,
//         and for a row with y = 0 the share of rows with y = 1 that score more
//   var = Σ_k π_k² (Σ_{y=1} w² (V − θ)² / W1_k² + Σ_{y=0} w² (V − θ)² / W0_k²)          De Long, De Long,
//   Clarke-Pearson
//
// Of two rows each is judged by what was learned from the other. Where nothing can be learned the two say the same, and
// var is twice as large. So it is taken times 1 + 1 / (1 + z⁴), z = (θ − 1/2) / (4 √var).
#pragma once

#include <Eigen/Core>
#include <span>

namespace plumbline {

class FoldedAuc {
 public:
  // Weights may be empty: all one. Folds without rows of both values say nothing.
  void add_fold(const Eigen::VectorXd& scores, const Eigen::VectorXd& y, const Eigen::VectorXd& weights);

  double value() const;

  // The ends of a 95 % interval; see plumbline/probe.h.
  struct Interval {
    double low = 0, high = 1;
  };
  Interval interval() const;

 private:
  double pairs_ = 0, sum_ = 0;  // Σ W1 W0, Σ W1 W0 θ_k
  // Σ over folds and rows of (π w / W)² V^0, V^1, V^2, times pairs²: the mean is known at the end.
  double squares_[3] = {0, 0, 0};
  double weight_[2] = {0, 0}, weight_squares_[2] = {0, 0};
};

}  // namespace plumbline
