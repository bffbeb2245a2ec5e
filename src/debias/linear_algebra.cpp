#include "debias/linear_algebra.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "debias/large_eigen.h"
#include "kernels/kernels.h"
#include "plumbline/error.h"

namespace plumbline {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr Index kLarge = 300;  // columns from which on large_eigen.h is faster

}  // namespace

void expect_converged(Eigen::ComputationInfo info) {
  if (info != Eigen::Success) throw Error("a decomposition of the covariances did not converge; are they finite?");
}

SymmetricEigen symmetric_eigen(const MatrixXd& symmetric) {
  if (symmetric.rows() >= kLarge) return large_symmetric_eigen(symmetric);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(symmetric);
  expect_converged(solver.info());
  return {solver.eigenvalues().reverse(), solver.eigenvectors().rowwise().reverse()};
}

ExtendedEigen extended_symmetric_eigen(const Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>> solver(symmetric);
  expect_converged(solver.info());
  return {solver.eigenvalues().reverse().cast<double>(), solver.eigenvectors().rowwise().reverse()};
}

VectorXd symmetric_eigenvalues(const MatrixXd& symmetric) {
  if (symmetric.rows() >= kLarge) return large_symmetric_eigenvalues(symmetric);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(symmetric, Eigen::EigenvaluesOnly);
  expect_converged(solver.info());
  return solver.eigenvalues().reverse();
}

PivotedCholesky pivoted_cholesky(const MatrixXd& s, double tolerance) {
  const Index q = s.rows();
  VectorXd left = s.diagonal(), factors;
  MatrixXd columns(q, q);
  PivotedCholesky out;
  while (out.pivots.size() < static_cast<std::size_t>(q)) {
    Index next = 0;
    const double most = left.maxCoeff(&next);
    if (!(most > tolerance)) break;
    const auto done = static_cast<Index>(out.pivots.size());
    auto column = columns.col(done);
    column = s.col(next);
    factors = -columns.row(next).head(done);
    kernels::active().transposed_matvec({columns.data(), done, q}, factors.data(), column.data());
    column /= std::sqrt(most);
    for (const Index pivot : out.pivots) column[pivot] = 0;
    column[next] = std::sqrt(most);
    left -= column.cwiseAbs2();
    out.pivots.push_back(next);
    for (const Index pivot : out.pivots) left[pivot] = 0;
  }
  const auto rank = static_cast<Index>(out.pivots.size());
  out.l = columns(out.pivots, Eigen::seqN(0, rank));
  return out;
}

void solve_lower(const MatrixXd& l, MatrixXd& m) {
  if (m.size() > 0) l.triangularView<Eigen::Lower>().solveInPlace(m);
}

MatrixXd solve(const MatrixXd& m, const MatrixXd& n) { return m.partialPivLu().solve(n); }

}  // namespace plumbline
