#include "predict/logistic_likelihood.h"

#include <algorithm>
#include <cmath>

#include "base/ordered.h"
#include "kernels/views.h"

namespace plumbline {
namespace {

constexpr Index kLeafRows = 8 * kernels::kTileRows;
constexpr Index kStride = kernels::kTileStride;

}  // namespace

LogisticLikelihood::LogisticLikelihood(const Eigen::MatrixXd& x, const Eigen::VectorXd& y,
                                       const Eigen::VectorXd& weights, bool intercept, int threads)
    : x_(x),
      columns_(x),
      y_(y.data()),
      w_(weights.size() == 0 ? nullptr : weights.data()),
      first_(intercept ? 1 : 0),
      origin_(Eigen::VectorXd::Zero(x.cols())),
      weight_(w_ ? weights.sum() : static_cast<double>(x.rows())),
      threads_(thread_count(threads, (x.rows() + kLeafRows - 1) / kLeafRows)) {
  if (intercept && x.cols() > 0) kernels::active().mean[0](kernels::view(columns_, 0, x.rows()), w_, origin_.data());
  const Index m = parameters();
  leaves_.resize(static_cast<std::size_t>(threads_));
  for (Leaf& leaf : leaves_) {
    leaf.sum = {0, Eigen::VectorXd(m), Eigen::MatrixXd(m, m)};
    leaf.part.resize(m);
    leaf.tile.resize(static_cast<std::size_t>(std::max<Index>(m, 1) * kStride));
    leaf.rows.resize(static_cast<std::size_t>(5 * kStride));
  }
}

void LogisticLikelihood::evaluate(const Eigen::VectorXd& coefficients, Likelihood& out) {
  const Index m = parameters(), n = x_.rows();
  out.value = 0;
  out.gradient.setZero(m);
  out.hessian.setZero(m, m);
  run_ordered((n + kLeafRows - 1) / kLeafRows, threads_,
              [&](Index i, int slot) {
                sum_leaf(coefficients, i * kLeafRows, std::min(kLeafRows, n - i * kLeafRows),
                         leaves_[static_cast<std::size_t>(slot)]);
              },
              [&](Index, int slot) {
                const Likelihood& leaf = leaves_[static_cast<std::size_t>(slot)].sum;
                out.value += leaf.value;
                out.gradient += leaf.gradient;
                out.hessian += leaf.hessian;
              });
}

void LogisticLikelihood::sum_leaf(const Eigen::VectorXd& coefficients, Index first, Index count, Leaf& leaf) const {
  const kernels::Dispatch& kernel = kernels::active();
  const Index m = parameters(), last = first + count;
  double* const tile = leaf.tile.data();
  double* const columns = tile + first_ * kStride;
  double *const eta = leaf.rows.data(), *const y = eta + kStride, *const w = y + kStride, *const residual = w + kStride,
                *const root = residual + kStride;
  leaf.sum.value = 0;
  leaf.sum.gradient.setZero();
  leaf.sum.hessian.setZero();
  for (Index at = first; at < last; at += kernels::kTileRows) {
    const Index n = std::min<Index>(kernels::kTileRows, last - at), end = kernels::padded(n);
    const kernels::Block block = kernels::view(columns_, at, n);
    kernel.pack[0](block, nullptr, origin_.data(), columns);
    if (first_ == 1) std::fill_n(tile, end, 1.0);
    std::copy_n(y_ + at, n, y);
    if (w_)
      std::copy_n(w_ + at, n, w);
    else
      std::fill_n(w, n, 1.0);
    std::fill(y + n, y + end, 0.0);
    std::fill(w + n, w + end, 0.0);

    kernel.affine({coefficients.data(), 1, m}, nullptr, nullptr, nullptr, tile, n, eta);
    leaf.sum.value += kernel.logistic(eta, y, w, n, residual, root);
    kernel.sums(tile, residual, n, m, leaf.part.data());
    leaf.sum.gradient += leaf.part;
    kernel.pack[0](block, root, origin_.data(), columns);
    if (first_ == 1) std::copy_n(root, end, tile);
    kernel.scatter(tile, n, m, m, leaf.sum.hessian.data(), m, nullptr, {});
  }
}

LogisticLikelihood::Move LogisticLikelihood::move(const Eigen::VectorXd& step) const {
  Eigen::ArrayXd change = Eigen::ArrayXd::Constant(x_.rows(), first_ == 1 ? step[0] : 0);
  for (Index j = 0; j < x_.cols(); ++j) change += (x_.col(j).array() - origin_[j]) * step[first_ + j];
  Move out;
  for (Index i = 0; i < x_.rows(); ++i) {
    if (w_ && w_[i] == 0) continue;
    out.largest = std::max(out.largest, std::abs(change[i]));
    out.wrong = std::max(out.wrong, y_[i] == 1 ? -change[i] : change[i]);
  }
  return out;
}

}  // namespace plumbline
