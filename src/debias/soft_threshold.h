// The unit vector of the penalised matrix decomposition:
//
//   u = S_θ(g) / ‖S_θ(g)‖₂,   S_θ(x) = sign(x) max(|x| − θ, 0),   with the smallest θ ≥ 0 for which ‖u‖₁ ≤ h.
//
// In t_i = 1 − |g_i| / max|g|, which keeps what near-ties differ by, and τ = 1 − θ / max|g|, with m entries below τ, of
// mean t̄ and with V = Σ (t_i − t̄)², ‖S_θ‖₁ = h ‖S_θ‖₂ is solved by
//
//   τ = t̄ + h √( V / (m (m − h²)) ).
//
// The set below τ is guessed from the root of the call before, and from each root that it gives; if it does not settle
// soon, it is searched for. More than h² entries tied for the largest |g|, to 1e-14 of it, leave no such θ; then u is
// equal on the first ⌊h²⌋ of them. Preconditions: 1 ≤ h, g not zero.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace plumbline {

// What one call leaves to the next.
struct SoftThresholdScratch {
  std::vector<double> entries;  // t
  double root = 0;              // τ; 0: not known
};

void unit_soft_threshold(const Eigen::VectorXd& g, double h, SoftThresholdScratch& scratch, Eigen::VectorXd& u);

}  // namespace plumbline
