// A rank-revealing change of B to r uncorrelated columns of unit variance that span it:
//
//   z = Z (b − μ_B),   Z (r × p),   cov(z) = M ≈ I
//
// and the regression of A' on them,  K = M⁻¹ cov(z, a')  (r × q).
//
// Z is rounded to doubles first, and all that follows is of that very Z, with the digits beyond a double that cov(b)
// has: the moments of a' − Kᵀz with z then vanish to rounding, whatever the condition of B. In each row z is a sum that
// cancels, known to ε κ(B), so that n rows show a correlation of some ε κ(B) / √n. A plain Λ = Σ_BB⁺ Σ_BA would have to
// be rounded itself, and leave ε κ(B) in the moments too.
//
// B is judged by the eigenvalues of its correlation matrix. Up to 1e-18 of the largest (p ε of it where there are over
// 64 columns, whose products are in plain doubles) they count as zero: a one-hot B is collinear, which is normal. What
// such a direction could still correlate with A is below the root of that. Rounding in the data leaves up to some 10 ε
// of a zero, so up to 32 ε a direction is kept only if its covariance with some feature is beyond rounding, too: a
// direction that is none would cost blind mode a dimension.
#pragma once

#include "debias/covariance.h"

namespace plumbline {

struct SensitiveFactor {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> whitener;  // Z, in the units of b
  Eigen::MatrixXd whitener_of_working;                                              // the same in those of b'
  Eigen::MatrixXd bz;                                                               // cov(b', z), p × r
  Eigen::MatrixXd az;                                                               // cov(a', z), q × r
  Eigen::MatrixXd zz;                                                               // M
  double condition = 1;  // of the kept part of B': √(λ_1 / λ_r)

  Eigen::Index rank() const { return whitener.rows(); }
};

SensitiveFactor factor_sensitive(const Covariance& c);

// The covariances for a Z that is given, as for a model's on later data.
void set_covariances(const Covariance& c, SensitiveFactor& factor);

// K.
Eigen::MatrixXd regression_on_sensitive(const SensitiveFactor& factor);

}  // namespace plumbline
