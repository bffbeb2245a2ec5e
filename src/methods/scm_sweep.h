// One sweep of Gibbs sampling for the structural model of linear_scm.h, with its prior and what it needs of the data.
//
//   U ~ N(0, 1)        z_j = c_{s,j} + w_j U + σ_j ε_j        ε_j ~ N(0, 1)
//
//   c_{g,j} ~ N(0, offset_sd²)       w_j ~ N(0, loading_sd²)       σ_j² ~ InverseGamma(noise_shape, noise_scale)
//
// z: n × q, s: n groups. With known parameters the latent is normal:
//
//   U | z, s ~ N(h · (z − c_s), v)        v = 1 / (1 + Σ_j w_j² / σ_j²)        h_j = v w_j / σ_j²
//
// A sweep draws, each given all else, and first of all a trade, given all but U:
//
//   trade      for two features w_i t, w_j / t, σ_i² + w_i² (1 − t²) and σ_j² + w_j² (1 − 1 / t²) in place of w_i, w_j,
//              σ_i² and σ_j², accepted by Metropolis: the variances of both features and their covariance stay
//   latent     U of all rows
//   effects    for each feature w_j and c_{·,j}: the coefficients of a Bayesian regression of z_j on U and indicators
//   shifts     for each group δ of U + δ, c − w δ, which explain the features as well as U, c do
//   noise      for each feature σ_j²
//
// It needs of U only its sums (LatentSums), and these can be drawn without U itself: in an orthonormal basis of the
// span of the groups' indicators and the features about their groups' means, the noise of U is as many independent
// normals, and what lies outside of it adds a chi-squared number to Σ U². A sweep costs O(levels · q + q²) for any n.
//
// log_density is that of the loadings and variances given z and the offsets, U integrated out, up to a constant:
//
//   log N(z; c_s, w wᵀ + diag(σ²)) + log p(w) + log p(σ²)
//
// What these are given has been checked.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>

namespace plumbline {

// All positive and finite.
struct ScmPrior {
  double offset_sd = 10;
  double loading_sd = 1;
  double noise_shape = 1;
  double noise_scale = 0.1;

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
  Eigen::Index below(Eigen::Index count) { return std::uniform_int_distribution<Eigen::Index>(0, count - 1)(engine_); }
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  double gamma(double shape) { return std::gamma_distribution<double>(shape)(engine_); }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

double log_density(const ScmStatistics& data, const ScmPrior& prior, const ScmParameters& at);

void draw_trade(const ScmStatistics& data, const ScmPrior& prior, ScmRandom& random, ScmParameters& at);
void draw_latent(const ScmStatistics& data, const ScmParameters& at, ScmRandom& random, LatentSums& out);
void draw_effects(const ScmStatistics& data, const LatentSums& latent, const ScmPrior& prior, ScmRandom& random,
                  ScmParameters& at);  // loadings and offsets
void draw_shifts(const ScmStatistics& data, const ScmPrior& prior, ScmRandom& random, LatentSums& latent,
                 ScmParameters& at);  // δ, of the latent and the offsets
void draw_noise(const ScmStatistics& data, const LatentSums& latent, const ScmPrior& prior, ScmRandom& random,
                ScmParameters& at);  // variances

}  // namespace plumbline
