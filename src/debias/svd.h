// Singular values, instantiated once, in a file of its own: no other takes a compiler as long. Each throws Error if it
// does not converge, which is not known to happen for finite input.
#pragma once

#include <Eigen/Core>

namespace plumbline {

// M = U diag(values) Vᵀ, thin, values falling.
struct Svd {
  Eigen::MatrixXd u;
  Eigen::VectorXd values;
  Eigen::MatrixXd v;
};
Svd thin_svd(const Eigen::MatrixXd& m);
Eigen::VectorXd singular_values(const Eigen::MatrixXd& m);

}  // namespace plumbline
