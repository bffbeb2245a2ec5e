// A linear-Gaussian structural model of the features, with one latent for each person that the group does not reach
// (the "fair level" of Kusner et al. 2017, counterfactual fairness), and its posterior by Gibbs sampling.
//
//   U ~ N(0, 1)        z_j = c_{s,j} + w_j U + σ_j ε_j        ε_j ~ N(0, 1)
//
//   c_{g,j} ~ N(0, offset_sd²)       w_j ~ N(0, loading_sd²)       σ_j² ~ InverseGamma(noise_shape, noise_scale)
//
// s: n groups, a: n × q, z_j = (a_j − mean_j) / sd_j with the mean and standard deviation of the training rows. With
// known parameters the latent is normal:
//
//   U | a, s ~ N(h · (z − c_s), v)        v = 1 / (1 + Σ_j w_j² / σ_j²)        h_j = v w_j / σ_j²
//
// One sweep draws U of all rows given the parameters, then for each feature w_j and c_{·,j} given U and σ_j², then for
// each group how far U + δ, c − w δ, which explain the features as well, lie from U, c, then σ_j² given all. It needs
// of U only its sums (LatentSums), and these can be drawn without U itself: in an orthonormal basis of the span of the
// groups' indicators and the features about their groups' means, the noise of U is as many independent normals, and
// what lies outside of it adds a chi-squared number to Σ U². A sweep costs O(levels · q + q²) for any n.
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
#include <random>
#include <string>
#include <vector>

namespace plumbline {

struct ScmOptions {
  int chains = 4;     // ≥ 1
  int warmup = 1000;  // sweeps of each chain before its first draw, ≥ 0
  int draws = 1000;   // kept of each chain, ≥ 4
  int thin = 40;      // sweeps for each draw, ≥ 1
  std::uint64_t seed = 0;
  double offset_sd = 10;  // > 0, as all of the priors' numbers
  double loading_sd = 1;
  double noise_shape = 1;
  double noise_scale = 0.1;
  double rhat_limit = 1.01;  // > 1: chains whose R-hat is above it have not converged
  double least_draws = 400;  // ≥ 0: nor have those that are worth fewer draws
  int threads = 0;           // 0: one a core

  void check() const;  // throws Error naming the field
};

struct ScmParameters {
  Eigen::MatrixXd offsets;    // levels × q: c
  Eigen::VectorXd loadings;   // q: w
  Eigen::VectorXd variances;  // q: σ²

  double latent_variance() const;        // v
  Eigen::VectorXd latent_slope() const;  // h
};

// All that the posterior of the parameters depends on: of z, the groups' sizes and means, and the scatter about these.
struct ScmStatistics {
  ScmStatistics(const Eigen::MatrixXd& z, const Eigen::VectorXi& s, int levels);

  ScmStatistics weighing(double factor) const;  // of rows that weigh so much instead of 1

  Eigen::VectorXd counts;   // n_g
  Eigen::MatrixXd means;    // levels × q; 0 for a group without rows
  Eigen::MatrixXd root;     // r × q, rootᵀ root = the scatter within groups, r its rank
  Eigen::VectorXd squares;  // its diagonal
  double rows = 0;
  double free = 0;  // dimensions outside of the groups' indicators and the features
};

// Of one draw of U in every row.
struct LatentSums {
  Eigen::VectorXd means;  // of each group
  Eigen::VectorXd cross;  // Σ (U − its group's mean)(z_j − its group's mean)
  double square = 0;      // Σ (U − its group's mean)²
};

// Draws of one chain.
class ScmRandom {
 public:
  ScmRandom(std::uint64_t seed, std::uint32_t chain);
  double normal() { return normal_(engine_); }
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  double gamma(double shape) { return std::gamma_distribution<double>(shape)(engine_); }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

// The conditional distributions of a sweep.
void draw_latent(const ScmStatistics& data, const ScmParameters& at, ScmRandom& random, LatentSums& out);
void draw_effects(const ScmStatistics& data, const LatentSums& latent, const ScmOptions& options, ScmRandom& random,
                  ScmParameters& at);  // loadings and offsets
void draw_shifts(const ScmStatistics& data, const ScmOptions& options, ScmRandom& random, LatentSums& latent,
                 ScmParameters& at);  // δ, of the latent and the offsets
void draw_noise(const ScmStatistics& data, const LatentSums& latent, const ScmOptions& options, ScmRandom& random,
                ScmParameters& at);  // variances

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
