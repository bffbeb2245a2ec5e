// S = Q T Qᵀ for a symmetric S: T tridiagonal, Q the product of Householder's reflections I − f v vᵀ.
#pragma once

#include <Eigen/Core>

namespace plumbline {

struct Tridiagonal {
  Eigen::VectorXd diagonal, off;
  Eigen::MatrixXd reflectors;  // v of reflection j is (0, …, 0, 1, reflectors below row j + 1 in column j)
  Eigen::VectorXd factors;
};

// In blocks, so that half of the work is a product of matrices.
Tridiagonal tridiagonalised(Eigen::MatrixXd s);

void multiply_by_q(const Tridiagonal& t, Eigen::MatrixXd& m);             // M ← Q M
void multiply_by_q_transposed(const Tridiagonal& t, Eigen::MatrixXd& m);  // M ← Qᵀ M

}  // namespace plumbline
