// The symmetric operators G = RᵀR / n on which the sparse solver runs, as a concept: a size, its trace, y = G x.
#pragma once

#include <Eigen/Core>
#include <concepts>
#include <utility>

#include "kernels/kernels.h"

namespace plumbline {

template <class Op>
concept SymmetricOperator = requires(const Op& op, const Eigen::VectorXd& x, Eigen::VectorXd& y) {
  { op.size() } -> std::same_as<Eigen::Index>;
  { op.trace() } -> std::same_as<double>;
  op.apply(x, y);
};

// G held as a matrix: O(q²) a product, whatever n is, and less for a sparse x.
class GramOperator {
 public:
  explicit GramOperator(Eigen::MatrixXd gram) : gram_(std::move(gram)) {}

  Eigen::Index size() const { return gram_.rows(); }
  double trace() const { return gram_.trace(); }
  void apply(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
    y.setZero(size());
    kernels::active().transposed_matvec({gram_.data(), size(), size()}, x.data(), y.data());
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
  double trace() const { return residual_.squaredNorm(); }
  void apply(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
    const Eigen::VectorXd scores = residual_ * x;
    y.noalias() = residual_.transpose() * scores;
  }

 private:
  Eigen::MatrixXd residual_;
};

}  // namespace plumbline
