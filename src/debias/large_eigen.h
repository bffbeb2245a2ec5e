// S = V diag(values) Vᵀ for a symmetric S that is larger than the caches.
//
//   S = Q T Qᵀ         T tridiagonal, by Householder's reflections, in blocks: half of the work is a product of
//   matrices T → diag(values)   by QR steps with Wilkinson's shift V = Q G₁ G₂ …      the rotations of many steps at
//   once, for some rows of Q at a time
//
// Values fall. V is orthonormal and S V = V diag(values) to rounding of ‖S‖, for equal values too. Eigen takes each
// rotation through all of V and each reflection through all of S: with 2,000 columns it waits for memory five times
// longer. Throws Error if the steps do not converge, which no finite S is known to do.
#pragma once

#include "debias/linear_algebra.h"

namespace plumbline {

SymmetricEigen large_symmetric_eigen(const Eigen::MatrixXd& symmetric);
Eigen::VectorXd large_symmetric_eigenvalues(const Eigen::MatrixXd& symmetric);

}  // namespace plumbline
