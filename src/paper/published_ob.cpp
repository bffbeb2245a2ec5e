#include "paper/published_ob.h"

#include <fmt/format.h>

#include <cmath>

#include "data/random_stream.h"
#include "debias/linear_algebra.h"
#include "plumbline/error.h"

namespace plumbline::published {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Eigen::VectorXi;

namespace {

constexpr double kNoise = 1e-10;  // of the largest eigenvalue: what rounding leaves where there is nothing

void check_batch(const MatrixXd& a, const VectorXi& s, Index k) {
  if (a.rows() != s.size()) throw Error(fmt::format("the batch has {} rows and {} groups", a.rows(), s.size()));
  if (a.rows() == 0) throw Error("the batch has no rows");
  if (k < 1 || k > a.cols())
    throw Error(fmt::format("the rank is {}; it must be from 1 to the {} features", k, a.cols()));
}

// x less its regression on 1 and b; where b is constant, less its mean.
MatrixXd residual(const MatrixXd& x, const VectorXi& s) {
  const VectorXd b = s.cast<double>().array() - s.cast<double>().mean();
  MatrixXd out = recentred(x);
  const double square = b.squaredNorm();
  if (square > 0) out -= b * (b.transpose() * out / square);
  return out;
}

}  // namespace

MatrixXd recentred(const MatrixXd& a) { return a.rowwise() - a.colwise().mean(); }

MatrixXd ob_of_batch(const MatrixXd& a, const VectorXi& s, Index k) {
  check_batch(a, s, k);
  const MatrixXd u = symmetric_eigen(a.transpose() * a).vectors.leftCols(k);
  return residual(a * u, s) * u.transpose();
}

void BatchSobOptions::check() const {
  if (rank < 1) throw Error(fmt::format("rank is {}; it must be at least 1", rank));
  if (!(tolerance > 0)) throw Error(fmt::format("tolerance is {}; it must be above 0", tolerance));
  if (max_iterations < 1) throw Error(fmt::format("max_iterations is {}; it must be at least 1", max_iterations));
}

// With R = (I − P)A and G = RᵀR, scores are s = R w: all that Algorithm 1 asks for is a product with G.
MatrixXd sob_of_batch(const MatrixXd& a, const VectorXi& s, const BatchSobOptions& options) {
  options.check();
  check_batch(a, s, options.rank);
  const Index q = a.cols(), k = options.rank;
  const MatrixXd r = residual(a, s);
  const MatrixXd g = r.transpose() * r;
  const auto batch = static_cast<std::uint64_t>(a.rows() * 1009 + s.cast<Index>().sum());
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
  return r * (weights * d.asDiagonal() * axes.transpose());
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
      training, least_norm(logistic), [k](const MatrixXd& a, const VectorXi& s) { return ob_of_batch(a, s, k); }, use);
}

std::unique_ptr<const FittedMethod> fit_sob_on_every_batch(const Sample& training, const LogisticOptions& logistic,
                                                           Use use, const BatchSobOptions& options) {
  return fit_pipeline(
      training, least_norm(logistic),
      [options](const MatrixXd& a, const VectorXi& s) { return sob_of_batch(a, s, options); }, use);
}

std::unique_ptr<const FittedMethod> fit_recentred_on_every_batch(const Sample& training,
                                                                 const LogisticOptions& logistic) {
  return fit_pipeline(
      training, logistic_learner(logistic), [](const MatrixXd& a, const VectorXi&) { return recentred(a); },
      Use::alone);
}

}  // namespace plumbline::published
