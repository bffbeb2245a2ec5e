// Solves for equal spreads: from moments within regions to the affine model and what comes after it
// (plumbline/spread.h).
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "debias/fit_problem.h"
#include "plumbline/fit.h"
#include "plumbline/region_moments.h"

namespace plumbline {

struct LearnedSpread {
  AffineModel model;
  Spread spread;
  Problem problem;  // of what φ(b) and w(b) leave
  std::optional<Factors> factors;
  Eigen::MatrixXd with_b;    // cov(s̃, b'), dimensions × φ's columns
  Eigen::VectorXd with_a;    // cov(R s̃, a') of each feature with itself
  Eigen::VectorXd most;      // E (R T_k r)², summed over regions: no less than the variance of R s̃
  Eigen::VectorXd variance;  // of R s̃, if s̃ has the covariance of the barycentre
  std::vector<std::string> notes;
};

LearnedSpread learn_spread(const RegionMoments& moments, const FitOptions& options);

}  // namespace plumbline
