// A linear-Gaussian structural model of the features, with one latent for each person that the group does not reach
// (the "fair level" of Kusner et al. 2017, counterfactual fairness), and its posterior by Gibbs sampling.
//
//   U ~ N(0, 1)        z_j = c_{s,j} + w_j U + σ_j ε_j        ε_j ~ N(0, 1)
//
// s: n groups, a: n × q, z_j = (a_j − mean_j) / sd_j with the mean and standard deviation of the training rows. The
// priors, the latent given the parameters, N(h · (z − c_s), v), and the steps of a sweep are in scm_sweep.h.
//
// The sign of (w, U) is not determined: each draw is turned so that w points along the first principal direction of the
// features about their groups' means. Chains start apart from each other, and R-hat and the effective sample size
// (chain_diagnostics.h) of every parameter tell whether they met; that they did not is a status. During the first half
// of the warm-up the weight of the rows grows from that of a few to 1, so that a chain can leave a poor mode before it
// is too deep. Features that hardly hang together within groups, such as principal components, have no one latent
// behind them: there are several good modes, and chains do not meet.
//
// Chain k depends on the seed and k alone: the same bits for any number of threads. Error when shapes disagree, a
// number is not finite, there are fewer than two rows, or an option is out of range.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include "methods/scm_sweep.h"

namespace plumbline {

struct ScmOptions {
  int chains = 4;     // ≥ 1
  int warmup = 1000;  // sweeps of each chain before its first draw, ≥ 0
  int draws = 1000;   // kept of each chain, ≥ 4
  int thin = 40;      // sweeps for each draw, ≥ 1
  std::uint64_t seed = 0;
  ScmPrior prior = {};
  double rhat_limit = 1.01;  // > 1: chains whose R-hat is above it have not converged
  double least_draws = 400;  // ≥ 0: nor have those that are worth fewer draws
  int threads = 0;           // 0: one a core

  void check() const;  // throws Error naming the field
};

enum class ScmStatus { converged, not_converged };

class LinearScm {
 public:
  LinearScm(const Eigen::MatrixXd& a, const Eigen::VectorXi& s, int levels, const ScmOptions& options = {});

  const std::vector<ScmParameters>& draws() const { return draws_; }  // chain by chain, in units of z
  double largest_rhat() const { return largest_rhat_; }
  double least_effective_draws() const { return least_draws_; }
  ScmStatus status() const { return warning_.empty() ? ScmStatus::converged : ScmStatus::not_converged; }
  const std::string& warning() const { return warning_; }  // a sentence unless converged

  // E[U | a, s, training rows], the mean over the draws of h · (z − c_s), for any rows of groups with training rows.
  Eigen::VectorXd latent_mean(const Eigen::MatrixXd& a, const Eigen::VectorXi& s) const;

 private:
  void diagnose(const ScmOptions& options);

  Eigen::RowVectorXd mean_, scale_;
  Eigen::VectorXd shares_;
  std::vector<ScmParameters> draws_;
  double largest_rhat_ = 1, least_draws_ = 0;
  std::string warning_;
  Eigen::VectorXd slope_;  // mean of h
  Eigen::VectorXd shift_;  // of each group: mean of h · c_g
};

}  // namespace plumbline
