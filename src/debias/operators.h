// The symmetric operators G = RᵀR / n on which the sparse solver runs, as a concept: a size, its trace, y = G x, and a
// limit to its rank. For WᵀGW = I, leading_eigenvector is that of G − GW (GW)ᵀ by a decomposition of as many dimensions
// as the limit; a vector of no meaning, or zero, if nothing is left.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <concepts>
#include <utility>

#include "debias/linear_algebra.h"
#include "kernels/kernels.h"

namespace plumbline {

template <class Op>
concept SymmetricOperator = requires(const Op& op, const Eigen::VectorXd& x, Eigen::VectorXd& y,
                                     const Eigen::MatrixXd& w, const Eigen::MatrixXd& gw) {
  { op.size() } -> std::same_as<Eigen::Index>;
  { op.rank_limit() } -> std::same_as<Eigen::Index>;
  { op.trace() } -> std::same_as<double>;
  op.apply(x, y);
  { op.leading_eigenvector(w, gw) } -> std::same_as<Eigen::VectorXd>;
};

// G held as a matrix: O(q²) a product, whatever n is, and less for a sparse x.
class GramOperator {
 public:
  explicit GramOperator(Eigen::MatrixXd gram) : gram_(std::move(gram)) {}

  Eigen::Index size() const { return gram_.rows(); }
  Eigen::Index rank_limit() const { return size(); }
  double trace() const { return gram_.trace(); }
  void apply(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
    y.setZero(size());
    kernels::active().transposed_matvec({gram_.data(), size(), size()}, x.data(), y.data());
  }
  Eigen::VectorXd leading_eigenvector(const Eigen::MatrixXd&, const Eigen::MatrixXd& gw) const {
    return symmetric_eigen(gram_ - gw * gw.transpose()).vectors.col(0);
  }

 private:
  Eigen::MatrixXd gram_;
};

// G never formed: O(nq) a product.
class ResidualOperator {
 public:
  // `residual` is R / √n.
  explicit ResidualOperator(Eigen::MatrixXd residual) : residual_(std::move(residual)) {}

  Eigen::Index size() const { return residual_.cols(); }
  Eigen::Index rank_limit() const { return std::min(residual_.rows(), residual_.cols()); }
  double trace() const { return residual_.squaredNorm(); }
  void apply(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
    const Eigen::VectorXd scores = residual_ * x;
    y.noalias() = residual_.transpose() * scores;
  }
  Eigen::VectorXd leading_eigenvector(const Eigen::MatrixXd& w, const Eigen::MatrixXd& gw) const {
    if (residual_.rows() >= residual_.cols())
      return symmetric_eigen(residual_.transpose() * residual_ - gw * gw.transpose()).vectors.col(0);
    // Scores S = RW are orthonormal, so that G − GW (GW)ᵀ = Rᵀ(I − SSᵀ)R.
    const Eigen::MatrixXd scores = residual_ * w;
    const auto project = [&](const Eigen::MatrixXd& x) -> Eigen::MatrixXd {
      return x - scores * (scores.transpose() * x);
    };
    const Eigen::MatrixXd left = project(project(residual_ * residual_.transpose()).transpose());
    return (residual_.transpose() * project(symmetric_eigen(left).vectors.col(0))).col(0).normalized();
  }

 private:
  Eigen::MatrixXd residual_;
};

}  // namespace plumbline
