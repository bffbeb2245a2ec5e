// Ridge regression of several outcomes from sums over rows, the penalty of each by generalised cross-validation.
//
//   w = (G + λ I)⁻¹ c,     G = XᵀX / W, c = Xᵀy / W of centred x and y, x standardised
//   λ minimises  (yᵀy / W − 2 cᵀw + wᵀGw) / (1 − (1 + tr (G + λ I)⁻¹G) / n)²  over 28 values from 1e-6 to 1e3
//
// G = Q T Qᵀ is reduced once (tridiagonal.h); a penalty then costs O(D) an outcome.
#pragma once

#include <Eigen/Core>

namespace plumbline {

// Sums of w z zᵀ over rows of z = (x, y, 1): a symmetric matrix of which the lower triangle counts.
struct RidgeSums {
  Eigen::MatrixXd products;
  double rows = 0;  // (Σ w)² / Σ w²
};

// y ≈ base + weightsᵀ x, of the first `width` columns of x and the y from column `first_outcome` on. A column of x that
// does not vary has no weight.
struct RidgeFit {
  Eigen::MatrixXd weights;  // width × outcomes
  Eigen::VectorXd base;
};
RidgeFit ridge(const RidgeSums& sums, Eigen::Index width, Eigen::Index first_outcome);

}  // namespace plumbline
