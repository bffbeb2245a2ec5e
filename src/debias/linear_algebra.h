// The dense decompositions that a fit and its certificate need, instantiated once. Each throws Error where it does not
// converge, which covariances of finite numbers are not known to do.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace plumbline {

// S = V diag(values) Vᵀ for a symmetric S, values falling.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& symmetric);

void expect_converged(Eigen::ComputationInfo info);  // throws Error

// The same beyond the precision of a double, for small matrices.
struct ExtendedEigen {
  Eigen::VectorXd values;
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> vectors;
};
ExtendedEigen extended_symmetric_eigen(const Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>& symmetric);

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& symmetric);

// S(pivots, pivots) = L Lᵀ, L lower triangular, for a positive semidefinite S. A pivot is the
// row with the largest part that the earlier ones do not explain, as long as that is above `tolerance`: the pivots are
// a basis of the rows of S up to it. O(q² r) for r pivots.
struct PivotedCholesky {
  Eigen::MatrixXd l;
  std::vector<Eigen::Index> pivots;
};
PivotedCholesky pivoted_cholesky(const Eigen::MatrixXd& s, double tolerance);

// L⁻¹ M, in place.
void solve_lower(const Eigen::MatrixXd& l, Eigen::MatrixXd& m);

// M⁻¹ N.
Eigen::MatrixXd solve(const Eigen::MatrixXd& m, const Eigen::MatrixXd& n);

}  // namespace plumbline
