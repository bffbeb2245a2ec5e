#include "tables/table_probe.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<Index> others(Index rows, std::span<const Index> held_out) {
  std::vector<Index> out;
  auto next = held_out.begin();
  for (Index i = 0; i < rows; ++i)
    if (next != held_out.end() && *next == i)
      ++next;
    else
      out.push_back(i);
  return out;
}

std::vector<double> chosen(const std::vector<double>& weights, const std::vector<Index>& rows) {
  std::vector<double> out;
  if (!weights.empty())
    for (const Index i : rows) out.push_back(weights[static_cast<std::size_t>(i)]);
  return out;
}

Moments moments_of(const Fit& fit, const SampledRows& sample, const std::vector<Index>& rows, Moments::Kind kind,
                   int threads) {
  const AffineParts& parts = fit.model.parts();
  const std::vector<double> weights = chosen(sample.weights, rows);
  const MatrixXd a = sample.a(rows, Eigen::all);
  MatrixXd b = sample.b(rows, Eigen::all);
  if (parts.expansion) b = parts.expansion->transform(b, weights);
  Moments out(parts.feature_names, parts.sensitive_names, kind);
  out.update(a, b, {threads, weights});
  return out;
}

// The fit without some rows of the sample.
Fit fit_without(const Fit& whole, const ProbeSample& sample, std::span<const Index> held_out,
                const TableProbeOptions& how) {
  const int threads = how.threads;
  const AffineParts& parts = whole.model.parts();
  const SampledRows& rows = sample.rows;
  const Index n = rows.a.rows();
  const std::vector<Index> rest = others(n, held_out);
  if (whole.options.remove == Remove::mean && (sample.moments || parts.expansion)) {
    const Moments::Kind kind = sample.moments ? sample.moments->kind() : Moments::Kind::full;
    const bool is_all = !sample.moments || rows.rows == n;
    const Moments left =
        is_all ? moments_of(whole, rows, rest, kind, threads)
               : sample.moments->without(moments_of(whole, rows, {held_out.begin(), held_out.end()}, kind, threads));
    return how.solve(left, whole.options, parts.expansion);
  }
  if (rest.empty()) throw Error("no row is left to fit a map to");
  const MatrixXd a = rows.a(rest, Eigen::all), b = rows.b(rest, Eigen::all);
  const std::vector<double> weights = chosen(rows.weights, rest);
  return fit(a, b, whole.options,
             {.feature_names = parts.feature_names,
              .sensitive_names = parts.expansion ? parts.expansion->input_names() : parts.sensitive_names,
              .groups = whole.distribution ? whole.distribution->groups() : std::vector<FeatureGroup>(),
              .weights = weights,
              .threads = threads});
}

RowsMap map_of(std::shared_ptr<const Fit> fit) {
  return
      [fit = std::move(fit)](const Columns& a, const Columns& b, const MutableColumns& out, const ApplyOptions& how) {
        fit->apply(a, fit->needs_sensitive() ? b : b.select({}), out, how);
      };
}

std::vector<std::string> names_of(const Fit& fit) {
  const AffineParts& parts = fit.model.parts();
  return parts.expansion ? parts.expansion->input_names() : parts.sensitive_names;
}

Probe run(const Fit& fit, const SampledRows& rows, int parts, const MapWithout& map_without,
          const TableProbeOptions& options) {
  return probe(rows.a, rows.b, names_of(fit), map_without,
               {.parts = parts,
                .threads = options.threads,
                .weights = rows.weights,
                .further = options.further,
                .progress = options.progress});
}

}  // namespace

MatrixXd reencoded(const MatrixXd& features, const Encoding& from, const Encoding& to) {
  MatrixXd out = MatrixXd::Zero(features.rows(), static_cast<Index>(to.feature_names().size()));
  Index source = 0, target = 0;
  for (std::size_t c = 0; c < from.features.size(); ++c) {
    const TableColumn &before = from.features[c], &after = to.features[c];
    for (Index k = 0; k < before.width(); ++k) {
      Index at = k;
      if (before.kind == ColumnKind::category) {
        const auto& levels = after.levels;
        const bool is_level = k < static_cast<Index>(before.levels.size());
        const auto found =
            is_level ? std::lower_bound(levels.begin(), levels.end(), before.levels[static_cast<std::size_t>(k)])
                     : levels.end();
        const bool is_kept = found != levels.end() && *found == before.levels[static_cast<std::size_t>(k)];
        at = is_kept ? found - levels.begin() : static_cast<Index>(levels.size());
      }
      out.col(target + at) += features.col(source + k);
    }
    if (after.held) out.col(target).setConstant(*after.held);
    source += before.width();
    target += after.width();
  }
  return out;
}

Probe probe_fit(const Fit& fit, const ProbeSample& sample, const TableProbeOptions& options) {
  const bool is_small = !sample.moments || fit.options.remove != Remove::mean ||
                        sample.rows.rows < 2 * static_cast<std::int64_t>(sample.rows.a.rows());
  return run(
      fit, sample.rows, is_small ? 2 : 1,
      [&](std::span<const Index> held_out) {
        return map_of(std::make_shared<Fit>(fit_without(fit, sample, held_out, options)));
      },
      options);
}

Probe probe_new_rows(const Fit& fit, const SampledRows& rows, const TableProbeOptions& options) {
  const auto map = std::make_shared<Fit>(fit);
  return run(
      fit, rows, 1, [&](std::span<const Index>) { return map_of(map); }, options);
}

}  // namespace plumbline
