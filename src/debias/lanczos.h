// The leading eigenvector of a symmetric operator G that is not negative, by Lanczos' method: in an orthonormal basis
// V = [v_1 … v_m] of span(v, Gv, …, Gᵐ⁻¹v), G V = V T + β_m v_{m+1} e_mᵀ with T tridiagonal, and for the leading
// eigenpair T y = θ y
//
//   ‖G V y − θ V y‖ = β_m |y_m|.
//
// The basis is kept orthogonal to rounding and grows until that is small. Some fifty vectors are enough where the
// eigenvalue stands apart by a tenth, some hundred and fifty by a hundredth; one more than the rank of G always are.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "debias/operators.h"
#include "kernels/kernels.h"
#include "plumbline/poll.h"

namespace plumbline {

// The leading eigenpair of a symmetric tridiagonal matrix, which grows. It has positive eigenvalues, or is taken as
// zero.
class LeadingOfTridiagonal {
 public:
  // α, and the β between the last one and it.
  void grow(double diagonal, double beside) {
    if (!diagonal_.empty()) beside_.push_back(beside);
    diagonal_.push_back(diagonal);
    least_ = std::max(least_, diagonal);
  }

  // No less than it is the leading eigenvalue, of this matrix and of all that it grows to.
  double least() const { return least_; }

  // θ by halving, for above all eigenvalues, and only there, the pivots of σ − T are all positive; then y by solving
  // with them twice, without an exchange of rows. 0 if θ is not above 0, or near the ends of the range of a double.
  double solve(Eigen::VectorXd& y) {
    double most = 0;
    for (std::size_t i = 0; i < diagonal_.size(); ++i)
      most = std::max(most, diagonal_[i] + (i > 0 ? beside_[i - 1] : 0) + (i < beside_.size() ? beside_[i] : 0));
    if (!(most > kLeast && most < 1 / kLeast)) return 0;
    pivots_.resize(diagonal_.size());
    while (most - least_ > kNear * most && most > kLeast) {
      const double middle = least_ + (most - least_) / 2;
      (is_above(middle) ? most : least_) = middle;
    }
    if (!is_above(most) && !is_above(most *= 1 + kNear)) return 0;
    const auto last = diagonal_.size() - 1;
    y.setOnes(static_cast<Eigen::Index>(last + 1));
    double* const cells = y.data();
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < last; ++i) cells[i + 1] += beside_[i] / pivots_[i] * cells[i];
      cells[last] /= pivots_[last];
      for (std::size_t i = last; i-- > 0;) cells[i] = (cells[i] + beside_[i] * cells[i + 1]) / pivots_[i];
      y.normalize();
    }
    return most;
  }

 private:
  static constexpr double kNear = 1e-12, kLeast = 1e-290;

  bool is_above(double value) {
    pivots_[0] = value - diagonal_[0];
    for (std::size_t i = 0; i < beside_.size(); ++i) {
      if (!(pivots_[i] > 0)) return false;
      pivots_[i + 1] = value - diagonal_[i + 1] - beside_[i] * (beside_[i] / pivots_[i]);
    }
    return pivots_.back() > 0;
  }

  std::vector<double> diagonal_, beside_, pivots_;
  double least_ = 0;
};

// With a residual of at most `tolerance` times the eigenvalue; empty if rounding is in the way, or G is zero. v is any
// vector that has a share in it.
template <SymmetricOperator Op>
Eigen::VectorXd leading_by_lanczos(const Op& op, Eigen::VectorXd v, double tolerance) {
  using Eigen::Index;
  constexpr Index kRoom = 64;  // vectors, at first
  constexpr Index kLook = 8;   // steps from one look at T to the next
  const Index q = op.size(), most = std::min(q, op.rank_limit() + 1);
  const kernels::Dispatch& kernel = kernels::active();
  Eigen::MatrixXd basis(q, std::min(most, kRoom));
  Eigen::VectorXd r, y, shares(basis.cols());
  LeadingOfTridiagonal t;
  double beta = 0;
  v.normalize();
  for (Index k = 0; k < most; ++k) {
    if (k == basis.cols()) {
      basis.conservativeResize(q, std::min(most, 2 * k));
      shares.resize(basis.cols());
    }
    poll();
    basis.col(k) = v;
    op.apply(v, r);
    const double alpha = v.dot(r);
    r -= alpha * v;
    if (k > 0) r -= beta * basis.col(k - 1);
    t.grow(alpha, beta);
    // What rounding has left of the basis.
    const kernels::Matrix so_far{basis.data(), k + 1, q};
    shares.head(k + 1).setZero();
    kernel.matvec(so_far, r.data(), shares.data());
    shares.head(k + 1) *= -1;
    kernel.transposed_matvec(so_far, shares.data(), r.data());
    beta = r.norm();
    if ((k + 1) % kLook == 0 || k + 1 == most || beta <= tolerance * t.least()) {
      const double theta = t.solve(y);
      if (!(theta > 0)) return {};
      if (beta * std::abs(y[k]) <= tolerance * theta) {
        v.setZero();
        kernel.transposed_matvec(so_far, y.data(), v.data());
        return v.normalized();
      }
    }
    v = r / beta;
  }
  return {};
}

}  // namespace plumbline
