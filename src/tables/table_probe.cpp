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

RegionMoments regions_of(const RegionMoments& like, const SampledRows& sample, const std::vector<Index>& rows,
                         int threads) {
  RegionMoments out = like.empty();
  const std::vector<double> weights = chosen(sample.weights, rows);
  out.update(MatrixXd(sample.a(rows, Eigen::all)), MatrixXd(sample.b(rows, Eigen::all)), {threads, weights});
  return out;
}

// The rows of a sample that have none of these keys.
SampledRows without_keys(const SampledRows& sample, const SampledRows& held_out) {
  std::vector<std::uint64_t> keys = held_out.keys;
  std::sort(keys.begin(), keys.end());
  std::vector<Index> rest;
  for (std::size_t i = 0; i < sample.keys.size(); ++i)
    if (!std::binary_search(keys.begin(), keys.end(), sample.keys[i])) rest.push_back(static_cast<Index>(i));
  if (rest.empty()) throw Error("no row is left to fit a map to");
  return sample.only(rest);
}

// The rows of the least keys, in their order.
SampledRows of_least_keys(const SampledRows& sample, Index count) {
  if (static_cast<Index>(sample.keys.size()) <= count) return sample;
  std::vector<std::uint64_t> keys = sample.keys;
  std::nth_element(keys.begin(), keys.begin() + count, keys.end());
  const std::uint64_t end = keys[static_cast<std::size_t>(count)];
  std::vector<Index> kept;
  for (std::size_t i = 0; i < sample.keys.size(); ++i)
    if (sample.keys[i] < end) kept.push_back(static_cast<Index>(i));
  return sample.only(kept);
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

LawRows LawRows::of(SampledRows sample, Index probe_rows) {
  LawRows out;
  out.learned = of_least_keys(sample, kDistributionRows);
  if (probe_rows == 0) return out;
  const auto count = static_cast<Index>(sample.keys.size());
  if (count == kDistributionRows + probe_rows) {
    out.probe = ProbeSample{.rows = without_keys(sample, out.learned), .is_new = true};
  } else {
    SampledRows refitted = of_least_keys(out.learned, std::max(kRefittedRows, 2 * probe_rows));
    SampledRows probed = of_least_keys(refitted, probe_rows);
    out.probe = ProbeSample{.rows = std::move(probed), .learned = std::move(refitted)};
  }
  return out;
}

Fit fit_without(const Fit& whole, const ProbeSample& sample, std::span<const Index> held_out,
                const TableProbeOptions& how) {
  const int threads = how.threads;
  const AffineParts& parts = whole.model.parts();
  const SampledRows& rows = sample.rows;
  const Index n = rows.a.rows();
  const std::vector<Index> out_rows(held_out.begin(), held_out.end()), rest = others(n, held_out);
  const bool is_all = rows.rows == n;
  if (sample.learned) {
    const SampledRows left = without_keys(*sample.learned, rows.only(out_rows));
    Fit out = whole;
    out.distribution = Distribution::fit(left.a, left.b, whole.distribution->groups(), whole.options.distribution,
                                         left.weights, threads);
    return out;
  }
  if (sample.regions)
    return plumbline::fit(is_all ? regions_of(*sample.regions, rows, rest, threads)
                                 : sample.regions->without(regions_of(*sample.regions, rows, out_rows, threads)),
                          whole.options);
  if (sample.moments || parts.expansion) {
    const Moments::Kind kind = sample.moments ? sample.moments->kind() : Moments::Kind::full;
    const Moments left = !sample.moments || is_all
                             ? moments_of(whole, rows, rest, kind, threads)
                             : sample.moments->without(moments_of(whole, rows, out_rows, kind, threads));
    return how.solve(left, whole.options, parts.expansion);
  }
  if (rest.empty()) throw Error("no row is left to fit a map to");
  const MatrixXd a = rows.a(rest, Eigen::all), b = rows.b(rest, Eigen::all);
  const std::vector<double> weights = chosen(rows.weights, rest);
  return fit(a, b, whole.options,
             {.feature_names = parts.feature_names,
              .sensitive_names = parts.sensitive_names,
              .weights = weights,
              .threads = threads});
}

Probe probe_fit(const Fit& fit, const ProbeSample& sample, const TableProbeOptions& options) {
  if (sample.is_new) return probe_new_rows(fit, sample.rows, options);
  const bool has_moments = sample.moments || sample.regions;
  const std::int64_t rows = sample.learned ? sample.learned->a.rows() : has_moments ? sample.rows.rows : 0;
  return run(
      fit, sample.rows, rows < 2 * sample.rows.a.rows() ? 2 : 1,
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
