#include "plumbline/population.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/chi_square.h"
#include "debias/linear_algebra.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;

constexpr std::int64_t kMostSimulated = 32;  // beyond it the closed form stands alone
constexpr std::uint64_t kSeed = 20;

double correlation_of(double x) { return x / std::sqrt(1 + x * x); }

double closed_form(double rows, double features, double sensitive) {
  const double t = std::sqrt(2 * std::log(2 / (1 - PopulationBound::kProbability)));
  const double below = std::sqrt(rows - 1) - std::sqrt(sensitive) - t;
  return below > 0 ? correlation_of((std::sqrt(features) + std::sqrt(sensitive) + t) / below) : 1;
}

// T of W = T Tᵀ ~ W_m(degrees), lower triangular.
void draw_factor(RandomStream& draws, double degrees, MatrixXd& t) {
  for (Eigen::Index i = 0; i < t.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) t(i, j) = draws.normal();
    t(i, i) = std::sqrt(draw_chi_square(draws, degrees - static_cast<double>(i)));
  }
}

// Of a positive semidefinite matrix; of a small one by its power 2^kSquarings, too small by a thousandth at most.
double largest_eigenvalue(const MatrixXd& m) {
  constexpr Eigen::Index kSmallest = 8;  // up to which this is faster
  constexpr int kSquarings = 7;
  if (m.rows() > kSmallest) return symmetric_eigenvalues(m).maxCoeff();
  MatrixXd power = m / m.trace(), square(m.rows(), m.cols());
  for (int i = 0; i < kSquarings; ++i) {
    square.noalias() = power.lazyProduct(power);
    power = square / square.trace();
  }
  return m.cwiseProduct(power).sum();
}

// The quantile of the largest eigenvalue of F E⁻¹.
double simulated_quantile(std::int64_t m, double of_f, double of_e) {
  const auto count = static_cast<std::size_t>(std::min<std::int64_t>(2000, 6000 / m));
  RandomStream draws(kSeed, 1, 0);
  MatrixXd f = MatrixXd::Zero(m, m), e = f;
  std::vector<double> largest(count);
  for (double& value : largest) {
    draw_factor(draws, of_f, f);
    draw_factor(draws, of_e, e);
    MatrixXd k = f;
    solve_lower(e, k);
    value = m == 1 ? k(0, 0) * k(0, 0) : largest_eigenvalue(k * k.transpose());
  }
  // One standard deviation up, so that the simulation's own error hardly ever makes the bound too small.
  const auto all = static_cast<double>(count);
  constexpr double kShare = PopulationBound::kProbability;
  const auto at =
      std::min(count, static_cast<std::size_t>(std::ceil(kShare * (all + 1) + std::sqrt(kShare * (1 - kShare) * all))));
  const auto quantile = largest.begin() + static_cast<std::ptrdiff_t>(at - 1);
  std::nth_element(largest.begin(), quantile, largest.end());
  return *quantile;
}

}  // namespace

PopulationBound population_bound(std::int64_t rows, std::int64_t features, std::int64_t sensitive) {
  if (rows < 1 || features < 1 || sensitive < 1)
    throw Error(fmt::format("rows, features and sensitive are {}, {} and {}; each must be at least 1", rows, features,
                            sensitive));
  PopulationBound out{1, 1, rows, features, sensitive, false};
  if (rows - 1 < sensitive) return out;
  const auto n = static_cast<double>(rows), q = static_cast<double>(features), p = static_cast<double>(sensitive);
  out.correlation = out.closed_form = closed_form(n, q, p);
  const std::int64_t m = std::min(features, sensitive);
  if (m > kMostSimulated) return out;
  out.correlation =
      correlation_of(std::sqrt(simulated_quantile(m, std::max(p, q), n - 1 - p + static_cast<double>(m))));
  out.is_simulated = true;
  return out;
}

std::optional<IndependenceTest> independence_test(const Eigen::VectorXd& canonical, double rows, double rows_of_fit,
                                                  std::int64_t features, std::int64_t sensitive) {
  const auto p = static_cast<double>(sensitive), q = static_cast<double>(features);
  if (!(rows > p + q + 1) || !(rows_of_fit > p + 2) || features < 1 || sensitive < 1) return std::nullopt;
  const double inflation = 1 + (rows - 1) / (rows_of_fit - p - 2);
  double sum = 0;
  for (const double r : canonical) {
    const double square = std::min(r * r, 1 - 1e-15);
    sum += std::log1p(square / (1 - square) / inflation);
  }
  IndependenceTest out;
  out.statistic = (rows - 1 - (p + q + 1) / 2) * sum;
  out.degrees = features * sensitive;
  out.p_value = chi_square_tail(out.statistic, p * q);
  return out;
}

}  // namespace plumbline
