#include "debias/ridge.h"

#include <cmath>
#include <limits>

#include "debias/tridiagonal.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kPenalties = 28;
constexpr double kLeastPenalty = 1e-6, kMostPenalty = 1e3;
constexpr double kNoVariance = 1e-12;  // of the mean square

// T + λ I = L D Lᵀ, and the trace of its inverse.
struct Shifted {
  VectorXd pivots, factors;
  double inverse_trace = 0;
};

Shifted shifted(const Tridiagonal& t, double penalty) {
  const Index n = t.diagonal.size();
  Shifted out{VectorXd(n), VectorXd(std::max<Index>(n - 1, 0)), 0};
  VectorXd upward(n);
  out.pivots[0] = t.diagonal[0] + penalty;
  for (Index i = 1; i < n; ++i) {
    out.factors[i - 1] = t.off[i - 1] / out.pivots[i - 1];
    out.pivots[i] = t.diagonal[i] + penalty - out.factors[i - 1] * t.off[i - 1];
  }
  upward[n - 1] = t.diagonal[n - 1] + penalty;
  for (Index i = n - 2; i >= 0; --i) upward[i] = t.diagonal[i] + penalty - t.off[i] * t.off[i] / upward[i + 1];
  for (Index i = 0; i < n; ++i) out.inverse_trace += 1 / (out.pivots[i] + upward[i] - t.diagonal[i] - penalty);
  return out;
}

VectorXd solve(const Shifted& s, VectorXd x) {
  const Index n = x.size();
  for (Index i = 1; i < n; ++i) x[i] -= s.factors[i - 1] * x[i - 1];
  x.array() /= s.pivots.array();
  for (Index i = n - 2; i >= 0; --i) x[i] -= s.factors[i] * x[i + 1];
  return x;
}

}  // namespace

RidgeFit ridge(const RidgeSums& sums, Index width, Index first_outcome) {
  const Index last = sums.products.rows() - 1, outcomes = last - first_outcome;
  const double weight = sums.products(last, last);
  const VectorXd mean = sums.products.row(last).transpose() / weight;
  VectorXd inverse = VectorXd::Zero(width);
  for (Index j = 0; j < width; ++j) {
    const double square = sums.products(j, j) / weight, variance = square - mean[j] * mean[j];
    if (variance > kNoVariance * square) inverse[j] = 1 / std::sqrt(variance);
  }
  MatrixXd gram = sums.products.topLeftCorner(width, width).selfadjointView<Eigen::Lower>();
  gram =
      inverse.asDiagonal() * (gram / weight - mean.head(width) * mean.head(width).transpose()) * inverse.asDiagonal();
  MatrixXd cross = inverse.asDiagonal() * (sums.products.block(first_outcome, 0, outcomes, width).transpose() / weight -
                                           mean.head(width) * mean.segment(first_outcome, outcomes).transpose());
  const Tridiagonal t = tridiagonalised(std::move(gram));
  multiply_by_q_transposed(t, cross);

  MatrixXd best = MatrixXd::Zero(width, outcomes);
  VectorXd least = VectorXd::Constant(outcomes, std::numeric_limits<double>::infinity());
  for (int step = 0; step < kPenalties; ++step) {
    const double penalty = kLeastPenalty * std::pow(kMostPenalty / kLeastPenalty, step / (kPenalties - 1.0));
    const Shifted s = shifted(t, penalty);
    const double freedom = 1 + static_cast<double>(width) - penalty * s.inverse_trace;
    const double left = 1 - freedom / sums.rows;
    if (left <= 0.02) continue;  // it fits anything
    for (Index k = 0; k < outcomes; ++k) {
      const VectorXd w = solve(s, cross.col(k));
      const Index y = first_outcome + k;
      const double total = sums.products(y, y) / weight - mean[y] * mean[y];
      const double fit = w.dot(cross.col(k));  // wᵀ(G + λ)w = cᵀw
      const double residual = total - fit - penalty * w.squaredNorm();
      const double score = residual / (left * left);
      if (score < least[k]) {
        least[k] = score;
        best.col(k) = w;
      }
    }
  }
  multiply_by_q(t, best);
  RidgeFit out{inverse.asDiagonal() * best, {}};
  out.base = mean.segment(first_outcome, outcomes) - out.weights.transpose() * mean.head(width);
  return out;
}

}  // namespace plumbline
