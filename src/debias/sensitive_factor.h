// A rank-revealing factor of Σ = Σ_B'B':  Z (p × r) with  Zᵀ Σ Z = I,  so that b'Z are r uncorrelated columns of unit
// variance that span B.
//
// Eigenvalues of Σ up to p ε times the largest count as zero: a one-hot B is collinear, which is normal. What such a
// direction could still correlate with A is below √(p ε), about 1e-8. Rounding in Σ leaves up to some 10 ε of a zero,
// so up to 32 ε a direction is kept only if its covariance with some feature is beyond rounding, too: a direction that
// is none would cost blind mode a dimension.
#pragma once

#include "debias/covariance.h"

namespace plumbline {

struct SensitiveFactor {
  Eigen::MatrixXd whitener;  // Z
  double condition = 1;      // of the kept part of B': √(λ_1 / λ_r)

  Eigen::Index rank() const { return whitener.cols(); }
};

SensitiveFactor factor_sensitive(const Covariance& c);

// Λ = Σ⁺ Σ_B'A' (p × q), refined with residuals in extended precision.
Eigen::MatrixXd regression_on_sensitive(const SensitiveFactor& factor, const Eigen::MatrixXd& bb,
                                        const Eigen::MatrixXd& ba);

}  // namespace plumbline
