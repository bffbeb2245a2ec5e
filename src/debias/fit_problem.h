// What a fit computes before it is written as a model: the moments in working units, the factor of B, what is left of
// A, and below full rank the directions that are kept.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "debias/covariance.h"
#include "debias/residual.h"
#include "debias/sensitive_factor.h"
#include "plumbline/sob.h"

namespace plumbline {

struct Problem {
  Covariance c;
  SensitiveFactor b;
  Residual r;
  Eigen::VectorXd noise_b;  // variances, in units of b; empty: no noise
};

// ã = right leftᵀ r below full rank; scores are leftᵀ r.
struct Factors {
  Eigen::MatrixXd left, right;
  std::vector<SobStatus> status = {};
  std::vector<std::string> notes = {};
  std::vector<int> iterations = {};
};

}  // namespace plumbline
