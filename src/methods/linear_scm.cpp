#include "methods/linear_scm.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/ordered.h"
#include "methods/chain_diagnostics.h"
#include "methods/sample.h"
#include "plumbline/error.h"
#include "plumbline/poll.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Eigen::VectorXi;

constexpr double kFewRows = 20;  // that the first sweep sees

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
  prior.check();
  require(rhat_limit > 1, "rhat_limit", rhat_limit, "above 1");
  require(least_draws >= 0, "least_draws", least_draws, "at least 0");
  require(threads >= 0, "threads", threads, "at least 1, or 0 for one a core");
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
      draw_trade(rows, options.prior, random, at);
      draw_latent(rows, at, random, latent);
      draw_effects(rows, latent, options.prior, random, at);
      draw_shifts(rows, options.prior, random, latent, at);
      draw_noise(rows, latent, options.prior, random, at);
      poll();
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
