#include "metrics/continuous_counterfactual.h"

#include <fmt/format.h>

#include "data/random_stream.h"
#include "debias/linear_algebra.h"
#include "plumbline/error.h"

namespace plumbline {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

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

GapOptions GapOptions::within(const MatrixXd& b, int draws, std::uint64_t seed) {
  return {b.colwise().minCoeff(), b.colwise().maxCoeff(), draws, seed};
}

ContinuousGap continuous_gap(const ContinuousMethod& method, const Counterfactuals& world, const MatrixXd& b,
                             const GapOptions& options) {
  if (b.rows() == 0 || b.rows() != world.rows())
    throw Error(
        fmt::format("b has {} rows and there are counterfactuals of {}; there must be as many, and one at least",
                    b.rows(), world.rows()));
  if (options.low.size() != b.cols() || options.high.size() != b.cols())
    throw Error(fmt::format("b has {} columns; its range is given for {}", b.cols(), options.low.size()));
  if (options.draws < 1 || options.draws > 1'000'000)
    throw Error(fmt::format("draws is {}; it must be from 1 to 1,000,000", options.draws));
  const VectorXd own = method.predict(world.features(b), b);
  RandomStream random(options.seed, 1, 0);
  MatrixXd other(b.rows(), b.cols());
  ContinuousGap sum;
  for (int draw = 0; draw < options.draws; ++draw) {
    for (Index j = 0; j < b.cols(); ++j)
      for (Index i = 0; i < b.rows(); ++i)
        other(i, j) = options.low[j] + (options.high[j] - options.low[j]) * random.uniform();
    const VectorXd moved = method.predict(world.features(other), other) - own;
    sum.absolute += moved.cwiseAbs().mean();
    sum.square += moved.squaredNorm() / static_cast<double>(moved.size());
  }
  return {sum.absolute / options.draws, sum.square / options.draws};
}

}  // namespace plumbline
