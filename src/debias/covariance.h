// Second moments in working units,  a' = (a − μ_A) / σ_A  and  b' = (b − μ_B) / σ_B:
//
//   bb = Σ_B'B' (p × p)      ba = Σ_B'A' (p × q)      aa = Σ_A'A' (q × q, if the moments are full)
//
// bb keeps the digits beyond a double that the moments have, for the condition of B multiplies its errors.
//
// σ_A is the standard deviation, or 1 without standardising; σ_B is always the standard deviation, which changes
// nothing but the scale on which the rank of B is judged. A column whose spread is within rounding of its mean is
// constant: its row and column here are exactly zero, and its σ is 1 unless it is given.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "plumbline/moments.h"

namespace plumbline {

// Up to so many sensitive columns the moments have the products with each other in twice the precision.
inline constexpr Index kExtendedColumns = 64;

// A column that keeps no more than this share of its variance is taken to keep nothing but rounding. Once a B of some
// condition is removed from it, the share is known less well: covariances with the least direction of B to ε κ(B), and
// its variance to ε' κ(B)², ε' that of a long double, or of a double for more columns than above. No more than 1e-4 is
// ever taken for nothing.
inline constexpr double kNoVariance = 1e-13;
inline double no_variance(double condition, Index sensitive) {
  constexpr double kDouble = std::numeric_limits<double>::epsilon();
  constexpr auto kLong = static_cast<double>(std::numeric_limits<long double>::epsilon());
  const double of_variance = 4 * (sensitive <= kExtendedColumns ? kLong : kDouble) * condition * condition;
  return std::clamp(std::max(16 * kDouble * condition, of_variance), kNoVariance, 1e-4);
}

struct Units {
  Eigen::VectorXd mean, scale;
  std::vector<Index> constant;
};

struct Covariance {
  Units a, b;
  Moments::Extended bb;
  Eigen::MatrixXd ba;
  Eigen::VectorXd aa_diagonal;
  std::optional<Eigen::MatrixXd> aa;
};

// Throws Error if the moments have no weight.
Covariance working_covariance(const Moments& moments, bool standardize);

// The same in units of which only the scale is given: those of a model, for data that it was not fitted to.
Covariance covariance_in_units(const Moments& moments, const Eigen::VectorXd& scale_a, const Eigen::VectorXd& scale_b);

// The same of the true b, b as observed being that and independent noise of these variances, in units of b; as it is if
// none are given.
Covariance without_noise(Covariance c, const Eigen::VectorXd& noise_b);

}  // namespace plumbline
