// What a fit computes before it is written as a model: the moments in working units, the factor of B, what is left of
// A, and below full rank the directions that are kept.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "debias/covariance.h"
#include "debias/residual.h"
#include "debias/sensitive_factor.h"
#include "plumbline/fit.h"
#include "plumbline/sob.h"

namespace plumbline {

struct Problem {
  Covariance c;
  SensitiveFactor b;
  Residual r;
};

// ã = right leftᵀ r below full rank; scores are leftᵀ r.
struct Factors {
  Eigen::MatrixXd left, right;
  std::vector<SobStatus> status = {};
  std::vector<std::string> notes = {};
  std::vector<int> iterations = {};
};

// Throws Error if every sensitive column is constant.
Problem set_up(const Moments& moments, const FitOptions& options);

// What is kept of the residual; none at full rank.
std::optional<Factors> factors_of(const FitOptions& options, const Problem& problem);

// What there is to say of it in words, and of the components of SOB.
void finish(Fit& fit, const Problem& problem, const std::optional<Factors>& factors);

}  // namespace plumbline
