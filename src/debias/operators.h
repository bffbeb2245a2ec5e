// The symmetric operators G = RᵀR / n on which the sparse solver runs, as a concept: a size, its trace, y = G x, and a
// limit to its rank. deflate(w, g) takes G to G − ggᵀ, for g = Gw and wᵀGw = 1. leading_eigenvector is found by a
// decomposition of as many dimensions as the limit; a vector of no meaning, or zero, if nothing is left.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <concepts>
#include <utility>

#include "debias/linear_algebra.h"
#include "kernels/kernels.h"

namespace plumbline {

template <class Op>
concept SymmetricOperator = requires(Op& op, const Op& same, const Eigen::VectorXd& x, Eigen::VectorXd& y) {
  { same.size() } -> std::same_as<Eigen::Index>;
  { same.rank_limit() } -> std::same_as<Eigen::Index>;
  { same.trace() } -> std::same_as<double>;
  { same.leading_eigenvector() } -> std::same_as<Eigen::VectorXd>;
  same.apply(x, y);
  op.deflate(x, x);
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
    const bool is_sparse = 2 * (x.array() != 0).count() < size();
    const kernels::Dispatch& kernel = kernels::active();
    (is_sparse ? kernel.transposed_matvec : kernel.symmetric_matvec)({gram_.data(), size(), size()}, x.data(),
                                                                     y.data());
  }
  void deflate(const Eigen::VectorXd&, const Eigen::VectorXd& g) { gram_.noalias() -= g * g.transpose(); }
  Eigen::VectorXd leading_eigenvector() const { return symmetric_eigen(gram_).vectors.col(0); }

 private:
  Eigen::MatrixXd gram_;
};

// G never formed: O(nq) a product. The score s = Rw is a unit vector, so that G − ggᵀ = Rᵀ(I − ssᵀ)R.
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
  void deflate(const Eigen::VectorXd& w, const Eigen::VectorXd& g) {
    const Eigen::VectorXd score = residual_ * w;
    residual_.noalias() -= score * g.transpose();
  }
  Eigen::VectorXd leading_eigenvector() const {
    if (residual_.rows() >= residual_.cols()) return symmetric_eigen(residual_.transpose() * residual_).vectors.col(0);
    const Eigen::VectorXd left = symmetric_eigen(residual_ * residual_.transpose()).vectors.col(0);
    return (residual_.transpose() * left).normalized();
  }

 private:
  Eigen::MatrixXd residual_;
};

}  // namespace plumbline
