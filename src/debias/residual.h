// What is left of A' once B is removed, as a linear map and its covariance.
//
//   aware   r = a' − Kᵀ z           z, K as in sensitive_factor.h      Σ_R = Σ_AA − Σ_AZ K
//   blind   r = a' − F G a'         W = Σ_AA^{−1/2}                    Σ_R = Σ_AA − W⁺ P W⁺
//           P the projector onto range(W Σ_AZ), G = XᵀW, F = Σ_AZ Y (G Σ_AZ Y)⁻¹, X, Y the singular vectors of W Σ_AZ
//
// F G = W⁺ P W is the oblique projector onto range(Σ_AB) that changes a' least in mean square; this F makes
// cov(r, B) vanish to the rounding of G a', whose terms are up to κ(A) times larger than their sum. It does not depend
// on the units of a', so W is taken in units of each feature's spread, where a small unit is not mistaken for a missing
// dimension. A singular value of W Σ_AZ is a canonical correlation; up to 1e-12 it is taken for rounding, for each one
// removed costs a dimension.
//
// A feature of which no more of its variance is left than rounding leaves (no_variance in covariance.h) is fully
// explained by B: r is set to zero there, for a later scaling would blow up what there is.
#pragma once

#include "debias/covariance.h"
#include "debias/sensitive_factor.h"

namespace plumbline {

struct Residual {
  Eigen::MatrixXd regression;  // K, aware: r × q, else empty
  Eigen::MatrixXd f, g;        // blind: q × r and r × q, else empty
  Eigen::VectorXd variance;    // of each r_j
  Eigen::MatrixXd covariance;  // Σ_R, empty for cross-only moments
  std::vector<Index> fully_explained;
};

// With noise in b of the given variances (in units of b; none: no noise) K = (M − Z Σ_N Zᵀ)⁻¹ Σ_ZA and Σ_R = Σ_AA −
// Σ_AZ K, the covariance given the true b. Throws Error if the variances are more than b or the features allow.
Residual aware_residual(const Covariance& c, const SensitiveFactor& b, const Eigen::VectorXd& noise_b = {});

// Throws Error for cross-only moments.
Residual blind_residual(const Covariance& c, const SensitiveFactor& b);

}  // namespace plumbline
