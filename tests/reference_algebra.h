// Decompositions to compare with, by Eigen on the data itself, compiled once for all tests.
#pragma once

#include <Eigen/Core>

namespace plumbline::testing {

// M = U diag(values) Vᵀ, thin, values falling.
struct ReferenceSvd {
  Eigen::MatrixXd u;
  Eigen::VectorXd values;
  Eigen::MatrixXd v;
};
ReferenceSvd reference_svd(const Eigen::MatrixXd& m);

// Orthonormal columns that span those of M, and those that are orthogonal to all of M, by a rank-revealing QR.
Eigen::MatrixXd range_of(const Eigen::MatrixXd& m);
Eigen::MatrixXd complement_of(const Eigen::MatrixXd& m);

// The x of least ‖m x − y‖.
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& m, const Eigen::MatrixXd& y);

// Of the largest eigenvalue of a symmetric matrix, of length 1.
Eigen::VectorXd leading_eigenvector(const Eigen::MatrixXd& symmetric);

Eigen::MatrixXd inverse(const Eigen::MatrixXd& m);

}  // namespace plumbline::testing
