#include "methods/linear_scm.h"

#include <fmt/format.h>

#include <cmath>

#include "debias/linear_algebra.h"
#include "methods/chain_diagnostics.h"
#include "methods/sample.h"
#include "parallel/ordered.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Eigen::VectorXi;

constexpr double kFewRows = 20;

ScmParameters start(const ScmStatistics& data, ScmRandom& random) {
  const Index q = data.means.cols();
  ScmParameters out{data.means, VectorXd(q), VectorXd(q)};
  for (Index j = 0; j < q; ++j) {
    const double explained = random.uniform(0.1, 0.9), sign = random.normal() < 0 ? -1 : 1;
    out.loadings[j] = sign * std::sqrt(explained);
    out.variances[j] = 1 - explained;
  }
  return out;
}

void require(bool holds, const char* field, double value, const char* constraint) {
  if (!holds) throw Error(fmt::format("{} is {}; it must be {}", field, value, constraint));
}

}  // namespace

void ScmOptions::check() const {
  require(chains >= 1, "chains", chains, "at least 1");
  require(warmup >= 0, "warmup", warmup, "at least 0");
  require(draws >= 4, "draws", draws, "at least 4");
  require(thin >= 1, "thin", thin, "at least 1");
  require(offset_sd > 0 && std::isfinite(offset_sd), "offset_sd", offset_sd, "positive and finite");
  require(loading_sd > 0 && std::isfinite(loading_sd), "loading_sd", loading_sd, "positive and finite");
  require(noise_shape > 0 && std::isfinite(noise_shape), "noise_shape", noise_shape, "positive and finite");
  require(noise_scale > 0 && std::isfinite(noise_scale), "noise_scale", noise_scale, "positive and finite");
  require(rhat_limit > 1, "rhat_limit", rhat_limit, "above 1");
  require(least_draws >= 0, "least_draws", least_draws, "at least 0");
  require(threads >= 0, "threads", threads, "at least 1, or 0 for one a core");
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
void draw_effects(const ScmStatistics& data, const LatentSums& latent, const ScmOptions& options, ScmRandom& random,
                  ScmParameters& at) {
  const Index levels = data.counts.size(), q = data.means.cols();
  const double offset_precision = 1 / (options.offset_sd * options.offset_sd);
  for (Index j = 0; j < q; ++j) {
    const double noise = 1 / at.variances[j];
    double precision = 1 / (options.loading_sd * options.loading_sd) + latent.square * noise;
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
void draw_shifts(const ScmStatistics& data, const ScmOptions& options, ScmRandom& random, LatentSums& latent,
                 ScmParameters& at) {
  const double offset_precision = 1 / (options.offset_sd * options.offset_sd);
  for (Index g = 0; g < data.counts.size(); ++g) {
    const double precision = data.counts[g] + offset_precision * at.loadings.squaredNorm();
    const double pull = offset_precision * at.offsets.row(g).dot(at.loadings) - data.counts[g] * latent.means[g];
    const double shift = pull / precision + random.normal() / std::sqrt(precision);
    latent.means[g] += shift;
    at.offsets.row(g) -= shift * at.loadings.transpose();
  }
}

void draw_noise(const ScmStatistics& data, const LatentSums& latent, const ScmOptions& options, ScmRandom& random,
                ScmParameters& at) {
  for (Index j = 0; j < data.means.cols(); ++j) {
    const double w = at.loadings[j];
    double squares = data.squares[j] - 2 * w * latent.cross[j] + w * w * latent.square;
    for (Index g = 0; g < data.counts.size(); ++g) {
      const double error = data.means(g, j) - at.offsets(g, j) - w * latent.means[g];
      squares += data.counts[g] * error * error;
    }
    const double precision = random.gamma(options.noise_shape + data.rows / 2);
    at.variances[j] = (options.noise_scale + std::max(squares, 0.0) / 2) / precision;
  }
}

LinearScm::LinearScm(const MatrixXd& a, const VectorXi& s, int levels, const ScmOptions& options) {
  options.check();
  check_people(a, s, levels);
  if (a.rows() < 2) throw Error(fmt::format("a has {} rows; a structural model needs at least two", a.rows()));
  shares_ = group_shares(s, levels);
  mean_ = a.colwise().mean();
  scale_ = ((a.rowwise() - mean_).colwise().squaredNorm() / static_cast<double>(a.rows())).cwiseSqrt();
  for (double& scale : scale_)
    if (scale == 0) scale = 1;
  if (!scale_.allFinite()) throw Error("a has a column whose squares a double cannot hold; rescale it");
  const MatrixXd z = (a.rowwise() - mean_).array().rowwise() / scale_.array();
  const ScmStatistics data(z, s, levels);
  const VectorXd along = data.root.rows() > 0 ? VectorXd(data.root.row(0)) : VectorXd::Ones(a.cols());

  draws_.resize(static_cast<std::size_t>(options.chains) * static_cast<std::size_t>(options.draws));
  run_parallel(options.chains, thread_count(options.threads, options.chains), [&](Index chain, int) {
    ScmRandom random(options.seed, static_cast<std::uint32_t>(chain));
    ScmParameters at = start(data, random);
    LatentSums latent;
    const auto sweep = [&](const ScmStatistics& rows) {
      draw_latent(rows, at, random, latent);
      draw_effects(rows, latent, options, random, at);
      draw_shifts(rows, options, random, latent, at);
      draw_noise(rows, latent, options, random, at);
    };
    for (int i = 0; i < options.warmup; ++i)
      sweep(data.weighing(std::pow(std::min(kFewRows / data.rows, 1.0), std::max(1 - 2.0 * i / options.warmup, 0.0))));
    for (int d = 0; d < options.draws; ++d) {
      for (int i = 0; i < options.thin; ++i) sweep(data);
      ScmParameters& draw = draws_[static_cast<std::size_t>(chain) * static_cast<std::size_t>(options.draws) +
                                   static_cast<std::size_t>(d)];
      draw = at;
      if (draw.loadings.dot(along) < 0) draw.loadings = -draw.loadings;
    }
  });

  slope_ = VectorXd::Zero(a.cols());
  shift_ = VectorXd::Zero(levels);
  for (const ScmParameters& draw : draws_) {
    const VectorXd h = draw.latent_slope() / static_cast<double>(draws_.size());
    slope_ += h;
    shift_ += draw.offsets * h;
  }
  diagnose(options);
}

void LinearScm::diagnose(const ScmOptions& options) {
  const Index q = slope_.size(), levels = shift_.size();
  MatrixXd chains(options.draws, options.chains);
  std::string worst;
  largest_rhat_ = 0;
  least_draws_ = std::numeric_limits<double>::infinity();
  const auto look = [&](const std::string& name, const auto& value) {
    for (std::size_t d = 0; d < draws_.size(); ++d) chains.data()[d] = value(draws_[d]);
    const double rhat = split_rhat(chains);
    if (rhat > largest_rhat_) worst = name;
    largest_rhat_ = std::max(largest_rhat_, rhat);
    least_draws_ = std::min(least_draws_, effective_sample_size(chains));
  };
  for (Index j = 0; j < q; ++j) {
    look(fmt::format("the loading of feature {}", j), [&](const ScmParameters& p) { return p.loadings[j]; });
    look(fmt::format("the noise of feature {}", j), [&](const ScmParameters& p) { return std::log(p.variances[j]); });
    for (Index g = 0; g < levels; ++g)
      if (shares_[g] > 0)
        look(fmt::format("the offset of feature {} in group {}", j, g),
             [&](const ScmParameters& p) { return p.offsets(g, j); });
  }
  if (largest_rhat_ > options.rhat_limit || least_draws_ < options.least_draws)
    warning_ = fmt::format(
        "the chains have not converged: R-hat goes up to {:.3f}, for {}, with a limit of {}, and the draws are worth "
        "{:.0f} independent ones, of {} asked for; sample for longer, or do without the latent",
        largest_rhat_, worst, options.rhat_limit, least_draws_, options.least_draws);
}

VectorXd LinearScm::latent_mean(const MatrixXd& a, const VectorXi& s) const {
  check_people(a, s, static_cast<int>(shift_.size()));
  if (a.cols() != slope_.size())
    throw Error(fmt::format("a has {} columns; the model was fitted to {}", a.cols(), slope_.size()));
  check_known(shares_, s);
  const VectorXd slope = slope_.array() / scale_.transpose().array();
  VectorXd out = a * slope;
  for (Index i = 0; i < s.size(); ++i) out[i] -= mean_ * slope + shift_[s[i]];
  return out;
}

}  // namespace plumbline
