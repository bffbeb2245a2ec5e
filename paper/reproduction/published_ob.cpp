#include "paper/reproduction/published_ob.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "base/random_stream.h"
#include "debias/linear_algebra.h"
#include "plumbline/error.h"

namespace plumbline::published {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Eigen::VectorXi;

namespace {

constexpr double kNoise = 1e-10;  // of the largest eigenvalue: what rounding leaves where there is nothing

void check_batch(const MatrixXd& a, const VectorXd& b, Index k) {
  if (a.rows() != b.size()) throw Error(fmt::format("the batch has {} rows and {} numbers b", a.rows(), b.size()));
  if (a.rows() == 0) throw Error("the batch has no rows");
  if (k < 1 || k > a.cols())
    throw Error(fmt::format("the rank is {}; it must be from 1 to the {} features", k, a.cols()));
}

// Means and slopes of a batch; where b is constant, its slopes are 0. All features are kept.
BatchMap residual_map(const MatrixXd& a, const VectorXd& b) {
  BatchMap out{.means = a.colwise().mean(),
               .slopes = Eigen::RowVectorXd::Zero(a.cols()),
               .sensitive_mean = b.mean(),
               .axes = MatrixXd::Identity(a.cols(), a.cols())};
  const VectorXd centred = b.array() - out.sensitive_mean;
  const double square = centred.squaredNorm();
  if (square > 0) out.slopes = centred.transpose() * recentred(a) / square;
  return out;
}

MatrixXd residual(const BatchMap& map, const MatrixXd& a, const VectorXd& b) {
  MatrixXd out = a.rowwise() - map.means;
  out -= (b.array() - map.sensitive_mean).matrix() * map.slopes;
  return out;
}

using MapOfBatch = std::function<BatchMap(const MatrixXd& a, const VectorXd& b)>;

FittedContinuous fit_by_map(const ContinuousSample& training, const Learner& learner, const MapOfBatch& map_of,
                            Batches batches) {
  training.check();
  if (training.b.cols() != 1)
    throw Error(fmt::format("b has {} columns; the paper's formulas are for one", training.b.cols()));
  if (batches == Batches::refit_each)
    return fit_transformed(training, learner,
                           [map_of](const MatrixXd& a, const MatrixXd& b) { return map_of(a, b.col(0))(a, b.col(0)); });
  return fit_transformed(
      training, learner,
      [map = map_of(training.a, training.b.col(0))](const MatrixXd& a, const MatrixXd& b) { return map(a, b.col(0)); });
}

}  // namespace

MatrixXd recentred(const MatrixXd& a) { return a.rowwise() - a.colwise().mean(); }

MatrixXd BatchMap::operator()(const MatrixXd& a, const VectorXd& b) const { return residual(*this, a, b) * axes; }

BatchMap ob_map(const MatrixXd& a, const VectorXd& b, Index k) {
  check_batch(a, b, k);
  const MatrixXd u = symmetric_eigen(a.transpose() * a).vectors.leftCols(k);
  BatchMap out = residual_map(a, b);
  out.axes = u * u.transpose();
  return out;
}

MatrixXd ob_of_batch(const MatrixXd& a, const VectorXd& b, Index k) { return ob_map(a, b, k)(a, b); }

void BatchSobOptions::check() const {
  if (rank < 1) throw Error(fmt::format("rank is {}; it must be at least 1", rank));
  if (!(tolerance > 0)) throw Error(fmt::format("tolerance is {}; it must be above 0", tolerance));
  if (max_iterations < 1) throw Error(fmt::format("max_iterations is {}; it must be at least 1", max_iterations));
}

// With R = (I − P)A and G = RᵀR, scores are s = R w: all that Algorithm 1 asks for is a product with G.
BatchMap sob_map(const MatrixXd& a, const VectorXd& b, const BatchSobOptions& options) {
  options.check();
  check_batch(a, b, options.rank);
  const Index q = a.cols(), k = options.rank;
  BatchMap out = residual_map(a, b);
  const MatrixXd r = residual(out, a, b);
  const MatrixXd g = r.transpose() * r;
  const auto batch = static_cast<std::uint64_t>(a.rows() * 1009 + std::llround(b.sum()));
  RandomStream random(options.seed * 1'000'003 + batch, static_cast<int>(q * k), 0);
  MatrixXd weights = MatrixXd::Zero(q, k), axes(q, k);
  for (Index j = 0; j < k; ++j) {
    VectorXd u(q), w = VectorXd::Zero(q);
    for (double& cell : u) cell = random.normal();
    u.normalize();
    const MatrixXd before = weights.leftCols(j);
    for (int t = 0; t < options.max_iterations; ++t) {
      VectorXd next_w = u - before * (before.transpose() * (g * u));
      next_w /= std::sqrt(std::max(next_w.dot(g * next_w), 1e-300));
      const VectorXd next_u = (g * next_w).normalized();
      const VectorXd moved = next_w - w;
      const bool still =
          (next_u - u).norm() <= options.tolerance || std::sqrt(moved.dot(g * moved)) <= options.tolerance;
      u = next_u;
      w = next_w;
      if (still) break;
    }
    weights.col(j) = w;
    axes.col(j) = u;
  }
  const VectorXd d = (weights.transpose() * g * axes).diagonal();
  out.axes = weights * d.asDiagonal() * axes.transpose();
  return out;
}

MatrixXd sob_of_batch(const MatrixXd& a, const VectorXd& b, const BatchSobOptions& options) {
  return sob_map(a, b, options)(a, b);
}

Learner least_norm(const LogisticOptions& options) {
  return [options](const MatrixXd& x, const VectorXd& y) -> std::unique_ptr<const Predictor> {
    const SymmetricEigen gram = symmetric_eigen(x.transpose() * x);
    const auto rank = (gram.values.array() > kNoise * gram.values.maxCoeff()).count();
    const MatrixXd row_space = gram.vectors.leftCols(rank);
    LogisticFit fit = fit_logistic(x * row_space, y, options).fit();
    fit.coefficients = row_space * fit.coefficients;
    fit.standard_errors.resize(0);
    fit.redundant.clear();
    return std::make_unique<LogisticRegression>(std::move(fit));
  };
}

std::unique_ptr<const FittedMethod> fit_ob_on_every_batch(const Sample& training, const LogisticOptions& logistic,
                                                          Use use, Index k) {
  return fit_pipeline(
      training, least_norm(logistic),
      [k](const MatrixXd& a, const VectorXi& s) { return ob_of_batch(a, s.cast<double>(), k); }, use);
}

std::unique_ptr<const FittedMethod> fit_sob_on_every_batch(const Sample& training, const LogisticOptions& logistic,
                                                           Use use, const BatchSobOptions& options) {
  return fit_pipeline(
      training, least_norm(logistic),
      [options](const MatrixXd& a, const VectorXi& s) { return sob_of_batch(a, s.cast<double>(), options); }, use);
}

std::unique_ptr<const FittedMethod> fit_recentred_on_every_batch(const Sample& training,
                                                                 const LogisticOptions& logistic) {
  return fit_pipeline(
      training, logistic_learner(logistic), [](const MatrixXd& a, const VectorXi&) { return recentred(a); },
      Use::alone);
}

FittedContinuous fit_ob(const ContinuousSample& training, const Learner& learner, Index k, Batches batches) {
  return fit_by_map(
      training, learner, [k](const MatrixXd& a, const VectorXd& b) { return ob_map(a, b, k); }, batches);
}

FittedContinuous fit_sob(const ContinuousSample& training, const Learner& learner, const BatchSobOptions& options,
                         Batches batches) {
  return fit_by_map(
      training, learner, [options](const MatrixXd& a, const VectorXd& b) { return sob_map(a, b, options); }, batches);
}

}  // namespace plumbline::published
