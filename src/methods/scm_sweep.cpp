#include "methods/scm_sweep.h"

#include <fmt/format.h>

#include <cmath>

#include "debias/linear_algebra.h"
#include "plumbline/error.h"

namespace plumbline {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Eigen::VectorXi;

namespace {

constexpr double kSmallestTrade = -6;  // logarithm of the smallest scale of log t

}  // namespace

void ScmPrior::check() const {
  const auto require = [](const char* field, double value) {
    if (!(value > 0 && std::isfinite(value)))
      throw Error(fmt::format("{} is {}; it must be positive and finite", field, value));
  };
  require("offset_sd", offset_sd);
  require("loading_sd", loading_sd);
  require("noise_shape", noise_shape);
  require("noise_scale", noise_scale);
}

ScmRandom::ScmRandom(std::uint64_t seed, std::uint32_t chain) {
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), chain};
  engine_.seed(words);
}

double ScmParameters::latent_variance() const {
  return 1 / (1 + (loadings.array().square() / variances.array()).sum());
}

VectorXd ScmParameters::latent_slope() const { return latent_variance() * (loadings.array() / variances.array()); }

ScmStatistics::ScmStatistics(const MatrixXd& z, const VectorXi& s, int levels)
    : counts(VectorXd::Zero(levels)), means(MatrixXd::Zero(levels, z.cols())), rows(static_cast<double>(z.rows())) {
  for (Index i = 0; i < z.rows(); ++i) {
    counts[s[i]] += 1;
    means.row(s[i]) += z.row(i);
  }
  double groups = 0;
  for (int g = 0; g < levels; ++g) {
    if (counts[g] == 0) continue;
    means.row(g) /= counts[g];
    groups += 1;
  }
  MatrixXd within = z;
  for (Index i = 0; i < z.rows(); ++i) within.row(i) -= means.row(s[i]);
  const MatrixXd scatter = within.transpose() * within;
  const SymmetricEigen eigen = symmetric_eigen(scatter);
  Index rank = 0;
  while (rank < z.cols() && eigen.values[rank] > 1e-13 * rows) ++rank;
  root = eigen.values.head(rank).cwiseSqrt().asDiagonal() * eigen.vectors.leftCols(rank).transpose();
  squares = scatter.diagonal();
  free = std::max(rows - groups - static_cast<double>(rank), 0.0);
}

ScmStatistics ScmStatistics::weighing(double factor) const {
  ScmStatistics out = *this;
  out.counts *= factor;
  out.root *= std::sqrt(factor);
  out.squares *= factor;
  out.rows *= factor;
  out.free *= factor;
  return out;
}

// With M = Σ (z − c_s)(z − c_s)ᵀ and u_j = w_j / σ_j²: |w wᵀ + diag(σ²)| = Π σ_j² / v, and the inverse is
// diag(1 / σ²) − v u uᵀ.
double log_density(const ScmStatistics& data, const ScmPrior& prior, const ScmParameters& at) {
  const auto w = at.loadings.array(), variance = at.variances.array();
  const VectorXd u = w / variance;
  const double v = at.latent_variance();
  double squares = (data.squares.array() / variance).sum(), along = (data.root * u).squaredNorm();
  for (Index g = 0; g < data.counts.size(); ++g) {
    const auto off = (data.means.row(g) - at.offsets.row(g)).transpose();
    const double part = off.dot(u);
    squares += data.counts[g] * (off.array().square() / variance).sum();
    along += data.counts[g] * part * part;
  }
  const double noises = variance.log().sum();
  return -data.rows / 2 * (noises - std::log(v)) - (squares - v * along) / 2 -
         w.square().sum() / (2 * prior.loading_sd * prior.loading_sd) - (prior.noise_shape + 1) * noises -
         (prior.noise_scale / variance).sum();
}

// Where two features hang together with no third one, the data say nothing of t, and draws of w given U and of U given
// w would take steps of 1 / √n along it. log t is of a random scale, since what is accepted depends on the data;
// t and 1 / t are equally likely, and (w, σ²) is mapped with a determinant of 1.
void draw_trade(const ScmStatistics& data, const ScmPrior& prior, ScmRandom& random, ScmParameters& at) {
  const Index q = at.loadings.size();
  if (q < 2) return;
  const Index i = random.below(q), j = (i + 1 + random.below(q - 1)) % q;
  const double t = std::exp(random.normal() * std::exp(random.uniform(kSmallestTrade, 0)));
  ScmParameters other = at;
  const auto move = [&](Index k, double factor) {
    other.loadings[k] = at.loadings[k] * factor;
    other.variances[k] = at.variances[k] + at.loadings[k] * at.loadings[k] * (1 - factor * factor);
  };
  move(i, t);
  move(j, 1 / t);
  const double threshold = std::log(random.uniform(0, 1));
  if (!(other.variances.minCoeff() > 0)) return;
  if (threshold < log_density(data, prior, other) - log_density(data, prior, at)) at = std::move(other);
}

// U = h · (z − c_s) + √v e. The parts of e along the indicators, along the features and outside of both are
// independent.
void draw_latent(const ScmStatistics& data, const ScmParameters& at, ScmRandom& random, LatentSums& out) {
  const double v = at.latent_variance(), deviation = std::sqrt(v);
  const VectorXd h = at.latent_slope();
  out.means.setZero(data.counts.size());
  for (Index g = 0; g < data.counts.size(); ++g)
    if (data.counts[g] > 0)
      out.means[g] =
          (data.means.row(g) - at.offsets.row(g)).dot(h) + deviation * random.normal() / std::sqrt(data.counts[g]);
  VectorXd along = data.root * h;
  for (double& x : along) x += deviation * random.normal();
  out.cross.noalias() = data.root.transpose() * along;
  out.square = along.squaredNorm();
  if (data.free > 0) out.square += 2 * v * random.gamma(data.free / 2);
}

// Of the regression of z_j on the indicators and U: first w_j with the offsets integrated out, then each offset by
// itself.
void draw_effects(const ScmStatistics& data, const LatentSums& latent, const ScmPrior& prior, ScmRandom& random,
                  ScmParameters& at) {
  const Index levels = data.counts.size(), q = data.means.cols();
  const double offset_precision = 1 / (prior.offset_sd * prior.offset_sd);
  for (Index j = 0; j < q; ++j) {
    const double noise = 1 / at.variances[j];
    double precision = 1 / (prior.loading_sd * prior.loading_sd) + latent.square * noise;
    double pull = latent.cross[j] * noise;
    for (Index g = 0; g < levels; ++g) {
      // n_g u² / σ² less what the offset takes over
      const double weight = data.counts[g] * noise;
      const double left = weight * offset_precision / (weight + offset_precision);
      precision += left * latent.means[g] * latent.means[g];
      pull += left * latent.means[g] * data.means(g, j);
    }
    at.loadings[j] = pull / precision + random.normal() / std::sqrt(precision);
    for (Index g = 0; g < levels; ++g) {
      const double weight = data.counts[g] * noise, sum = weight + offset_precision;
      const double mean = weight * (data.means(g, j) - at.loadings[j] * latent.means[g]) / sum;
      at.offsets(g, j) = mean + random.normal() / std::sqrt(sum);
    }
  }
}

// Without it the means of the latent and the offsets, each given the other, would hardly move.
void draw_shifts(const ScmStatistics& data, const ScmPrior& prior, ScmRandom& random, LatentSums& latent,
                 ScmParameters& at) {
  const double offset_precision = 1 / (prior.offset_sd * prior.offset_sd);
  for (Index g = 0; g < data.counts.size(); ++g) {
    const double precision = data.counts[g] + offset_precision * at.loadings.squaredNorm();
    const double pull = offset_precision * at.offsets.row(g).dot(at.loadings) - data.counts[g] * latent.means[g];
    const double shift = pull / precision + random.normal() / std::sqrt(precision);
    latent.means[g] += shift;
    at.offsets.row(g) -= shift * at.loadings.transpose();
  }
}

void draw_noise(const ScmStatistics& data, const LatentSums& latent, const ScmPrior& prior, ScmRandom& random,
                ScmParameters& at) {
  for (Index j = 0; j < data.means.cols(); ++j) {
    const double w = at.loadings[j];
    double squares = data.squares[j] - 2 * w * latent.cross[j] + w * w * latent.square;
    for (Index g = 0; g < data.counts.size(); ++g) {
      const double error = data.means(g, j) - at.offsets(g, j) - w * latent.means[g];
      squares += data.counts[g] * error * error;
    }
    const double precision = random.gamma(prior.noise_shape + data.rows / 2);
    at.variances[j] = (prior.noise_scale + std::max(squares, 0.0) / 2) / precision;
  }
}

}  // namespace plumbline
