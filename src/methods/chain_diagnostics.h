// Whether Markov chains have forgotten where they started, and how many independent draws theirs are worth.
//
// draws: n × m, a chain in each column. Both split every chain into halves, 2m chains of N = ⌊n/2⌋ draws with means μ_k
// and variances s_k² (divided by N − 1):
//
//   W = mean of s_k²      B/N = variance of μ_k      V = (N − 1)/N · W + B/N
//
//   split_rhat              √(V / W): 1 for chains that agree; 1.01 is the usual limit
//   effective_sample_size   2mN / (1 + 2 Σ_t ρ_t),   ρ_t = 1 − (W − mean of c_k(t)) / V
//
// with c_k(t) the autocovariance of chain k at lag t (divided by N), summed over pairs ρ_2t + ρ_2t+1 as long as these
// are positive and made to fall (Geyer); at most 2mN log₁₀(2mN). (Gelman et al., Bayesian Data Analysis, 3rd
// edition, 11.4; Vehtari et al. 2021.) A quantity that is constant in all chains has R-hat 1 and as many draws as there
// are; constants that differ have R-hat infinite and a sample size of 1.
//
// Error unless n ≥ 4 and m ≥ 1 and every draw is finite.
#pragma once

#include <Eigen/Core>

namespace plumbline {

double split_rhat(const Eigen::MatrixXd& draws);
double effective_sample_size(const Eigen::MatrixXd& draws);

}  // namespace plumbline
