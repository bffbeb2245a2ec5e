#include "debias/fit_spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/random_stream.h"
#include "debias/choose_rows.h"
#include "debias/learn_spread.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Correlations of the features with B after the map, and what it changed, from the moments.
void describe_after(const LearnedSpread& learned, double alpha, Certificate& out) {
  const Covariance& c = learned.problem.c;
  const std::vector<std::string>& features = learned.model.parts().feature_names;
  const std::vector<std::string>& sensitive = learned.model.parts().sensitive_names;
  const double rest = 1 - alpha;
  const MatrixXd with_b = alpha * learned.with_b + rest * c.ba.transpose();
  const VectorXd variance =
      (alpha * alpha * learned.variance + 2 * alpha * rest * learned.with_a + rest * rest * c.aa_diagonal)
          .cwiseMax(0.0);
  out.after = {};
  out.varying = 0;
  FeatureTable& table = *out.by_feature;
  const VectorXd moved = (c.aa_diagonal - 2 * learned.with_a + learned.most).cwiseMax(0.0) * (alpha * alpha);
  for (Index j = 0; j < variance.size(); ++j) {
    const bool varies = variance[j] > kNoVariance * c.aa_diagonal[j];
    out.varying += varies ? 1 : 0;
    double explained = 0;
    if (varies) {
      const VectorXd with_z = alpha == 1 ? VectorXd::Zero(0) : VectorXd(rest * learned.problem.b.az.row(j).transpose());
      explained = std::min(1.0, with_z.squaredNorm() / variance[j]);
    }
    if (explained > out.after.explained.value)
      out.after.explained = {explained, features[static_cast<std::size_t>(j)], ""};
    table.explained_after[j] = explained;
    table.change[j] = c.aa_diagonal[j] > 0 ? std::sqrt(moved[j] / c.aa_diagonal[j]) : 0;
    for (Index l = 0; l < with_b.cols(); ++l) {
      const auto own = static_cast<double>(c.bb(l, l));
      const double r = varies && own > 0 ? std::min(1.0, std::abs(with_b(j, l)) / std::sqrt(own * variance[j])) : 0;
      if (table.correlation_after.size() > 0) table.correlation_after(j, l) = r;
      if (r > out.after.correlation.value)
        out.after.correlation = {r, features[static_cast<std::size_t>(j)], sensitive[static_cast<std::size_t>(l)]};
    }
  }
  const double total = c.aa_diagonal.sum();
  out.change = total > 0 ? std::sqrt(moved.sum() / total) : 0;
}

void set_strength(double alpha, Certificate& out) {
  out.alpha = alpha;
  if (!out.minimum_change) return;
  out.minimum_change = alpha * *out.minimum_change;
  out.loss = std::max(0.0, out.change - *out.minimum_change);
}

}  // namespace

void set_removed(const FitOptions& options, Certificate& out) {
  out.removed = options.remove;
  if (options.remove == Remove::distribution) {  // the least change of maps that are affine given b says nothing of it
    out.minimum_change.reset();
    out.loss.reset();
  }
  if (options.remove != Remove::mean) set_strength(options.alpha, out);
}

void set_measured(Certificate measured, Fit& fit) {
  set_removed(fit.options, measured);
  measured.notes.insert(measured.notes.begin(), fit.certificate.notes.begin(), fit.certificate.notes.end());
  std::erase(measured.notes, kOfMoments);
  fit.certificate = std::move(measured);
}

Fit fit(const RegionMoments& moments, const FitOptions& options) {
  options.check();
  if (options.remove != Remove::spread)
    throw Error("moments within regions are what equal spreads need; set remove to spread");
  LearnedSpread learned = learn_spread(moments, options);
  Fit out{learned.model, {}, options, {}};
  out.spread = learned.spread;
  out.certificate = certify(learned.model, moments.whole());
  describe_after(learned, options.alpha, out.certificate);
  set_removed(options, out.certificate);
  finish(out, learned.problem, learned.factors);
  std::vector<std::string>& notes = out.certificate.notes;
  notes.insert(notes.end(), learned.notes.begin(), learned.notes.end());
  notes.emplace_back(kOfMoments);
  return out;
}

Fit fit_spread(const Columns& a, const Columns& b, const FitOptions& options, const TableOptions& table) {
  RegionMoments moments = [&] {
    const Moments unnamed(a.cols(), b.cols(), Moments::Kind::cross);
    const std::vector<std::string> features =
        table.feature_names.empty() ? unnamed.feature_names() : table.feature_names;
    const std::vector<std::string> sensitive =
        table.sensitive_names.empty() ? unnamed.sensitive_names() : table.sensitive_names;
    std::optional<Expansion> expansion;
    if (table.expand) expansion = Expansion::fit(b, sensitive, *table.expand, table.weights);
    const ChosenRows rows = choose_rows(b, table.weights, kRegionSample);
    return RegionMoments(Partition::fit(rows.cells, options.spread.partition, rows.weights), std::move(expansion),
                         features, sensitive, options.moments_for(a.rows(), a.cols()));
  }();
  const UpdateOptions update{table.threads, table.weights};
  moments.update(a, b, update);
  Fit out = fit(moments, options);
  Measurement measurement(out.model, moments.whole().kind(), out.rows_map());
  measurement.set_of_fit();
  measurement.update(a, b, update);
  set_measured(measurement.certificate(), out);
  return out;
}

}  // namespace plumbline
