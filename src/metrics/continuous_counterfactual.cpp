#include "metrics/continuous_counterfactual.h"

#include <fmt/format.h>

#include "base/ordered.h"
#include "base/random_stream.h"
#include "debias/svd.h"
#include "plumbline/error.h"

namespace plumbline {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd Counterfactuals::features_of_row(Index row, const MatrixXd& b) const {
  MatrixXd out;
  for (Index i = 0; i < b.rows(); ++i) {
    const MatrixXd all = features(b.row(i).replicate(rows(), 1));
    if (i == 0) out.resize(b.rows(), all.cols());
    out.row(i) = all.row(row);
  }
  return out;
}

AdditiveNoise::AdditiveNoise(const ContinuousSample& training, const MatrixXd& a, const MatrixXd& b) : a_(a), b_(b) {
  training.check();
  if (a.cols() != training.a.cols() || b.cols() != training.b.cols() || a.rows() != b.rows())
    throw Error(
        fmt::format("the rows have {} × {} features and {} × {} sensitive cells; the training part has {} and {} "
                    "columns",
                    a.rows(), a.cols(), b.rows(), b.cols(), training.a.cols(), training.b.cols()));
  const MatrixXd x = training.b.rowwise() - training.b.colwise().mean();
  const Svd svd = thin_svd(x);
  const double tolerance = 1e-12 * svd.values.maxCoeff();
  const VectorXd inverse = svd.values.unaryExpr([&](double v) { return v > tolerance ? 1 / v : 0.0; });
  slopes_ = svd.v * inverse.asDiagonal() * (svd.u.transpose() * training.a);
}

MatrixXd AdditiveNoise::features(const MatrixXd& b) const { return a_ + (b - b_) * slopes_; }

MatrixXd LawCounterfactuals::features(const MatrixXd& b) const {
  MatrixXd out(a_.rows(), a_.cols());
  distribution_.counterfactual(a_, b_, b, out, {.threads = 1});
  return out;
}

GapOptions GapOptions::within(const MatrixXd& b, int draws, std::uint64_t seed) {
  return {b.colwise().minCoeff(), b.colwise().maxCoeff(), draws, seed};
}

std::vector<ContinuousGap> continuous_gaps(std::span<const ContinuousMethod* const> methods,
                                           const Counterfactuals& world, const MatrixXd& b, const GapOptions& options) {
  if (b.rows() == 0 || b.rows() != world.rows())
    throw Error(
        fmt::format("b has {} rows and there are counterfactuals of {}; there must be as many, and one at least",
                    b.rows(), world.rows()));
  if (options.low.size() != b.cols() || options.high.size() != b.cols())
    throw Error(fmt::format("b has {} columns; its range is given for {}", b.cols(), options.low.size()));
  if (options.draws < 1 || options.draws > 1'000'000)
    throw Error(fmt::format("draws is {}; it must be from 1 to 1,000,000", options.draws));
  const MatrixXd features = world.features(b);
  const auto count = static_cast<Index>(methods.size());
  MatrixXd own(b.rows(), count), absolute(options.draws, count), square(options.draws, count);
  for (Index m = 0; m < count; ++m) own.col(m) = methods[static_cast<std::size_t>(m)]->predict(features, b);
  run_parallel(options.draws, thread_count(options.threads, options.draws), [&](Index draw, int) {
    RandomStream random(options.seed, 1, draw * b.size());
    MatrixXd other(b.rows(), b.cols());
    for (Index j = 0; j < b.cols(); ++j)
      for (Index i = 0; i < b.rows(); ++i)
        other(i, j) = options.low[j] + (options.high[j] - options.low[j]) * random.uniform();
    const MatrixXd moved = world.features(other);
    for (Index m = 0; m < count; ++m) {
      const VectorXd gap = methods[static_cast<std::size_t>(m)]->predict(moved, other) - own.col(m);
      absolute(draw, m) = gap.cwiseAbs().mean();
      square(draw, m) = gap.squaredNorm() / static_cast<double>(gap.size());
    }
  });
  std::vector<ContinuousGap> out;
  for (Index m = 0; m < count; ++m) out.push_back({absolute.col(m).mean(), square.col(m).mean()});
  return out;
}

ContinuousGap continuous_gap(const ContinuousMethod& method, const Counterfactuals& world, const MatrixXd& b,
                             const GapOptions& options) {
  const ContinuousMethod* const one = &method;
  return continuous_gaps({&one, 1}, world, b, options).front();
}

}  // namespace plumbline
