// The unit vector of the penalised matrix decomposition:
//
//   u = S_θ(g) / ‖S_θ(g)‖₂,   S_θ(x) = sign(x) max(|x| − θ, 0),   with the smallest θ ≥ 0 for which ‖u‖₁ ≤ h.
//
// With m entries above θ, of mean ḡ and with V = Σ (|g_i| − ḡ)², ‖S_θ‖₁ = h ‖S_θ‖₂ is solved by
//
//   θ = ḡ − h √( V / (m (m − h²)) ).
//
// More than h² entries tied for the largest |g| leave no such θ; then u is equal on the first ⌊h²⌋ of them.
// Preconditions: 1 ≤ h, g not zero.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace plumbline {

// `scratch` keeps its memory from call to call.
void unit_soft_threshold(const Eigen::VectorXd& g, double h, std::vector<double>& scratch, Eigen::VectorXd& u);

}  // namespace plumbline
