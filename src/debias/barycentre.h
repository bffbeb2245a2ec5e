// The Bures–Wasserstein barycentre of covariances, and the maps that take each to it.
//
//   S = argmin Σ_k π_k d²(S, Σ_k),   d²(S, Σ) = tr S + tr Σ − 2 tr (S^½ Σ S^½)^½
//   T_k = S^½ (S^½ Σ_k S^½)^{−½} S^½,  T_k Σ_k T_k = S
//
// by the fixed point S ← M S M, M = Σ_k π_k T_k, which is the identity at S. Starts at Σ_k π_k Σ_k.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace plumbline {

struct Barycentre {
  Eigen::MatrixXd centre;
  std::vector<Eigen::MatrixXd> maps;
  int iterations = 0;
  bool converged = false;
};

// Of positive definite Σ_k; π sums to one. Converged when no entry of M − I is above the tolerance.
Barycentre bures_barycentre(const std::vector<Eigen::MatrixXd>& covariances, const Eigen::VectorXd& weights,
                            double tolerance, int max_iterations);

}  // namespace plumbline
