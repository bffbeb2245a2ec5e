#include "debias/fit_distribution.h"

#include <fmt/format.h>

#include <algorithm>

#include "debias/choose_rows.h"
#include "debias/covariance.h"
#include "debias/fit_spread.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

AffineModel identity_of(const Moments& moments, bool standardize) {
  const Covariance c = working_covariance(moments, standardize);
  if (c.b.constant.size() == static_cast<std::size_t>(moments.sensitive()))
    throw Error("every sensitive column is constant, so that no feature can depend on them");
  AffineParts parts;
  parts.feature_names = moments.feature_names();
  parts.sensitive_names = moments.sensitive_names();
  parts.mean_a = c.a.mean;
  parts.mean_b = c.b.mean;
  parts.scale_a = c.a.scale;
  parts.scale_b = c.b.scale;
  parts.direct = Eigen::VectorXd::Ones(moments.features());
  parts.output = AffineParts::RowMajor::Zero(moments.features(), moments.sensitive());
  return AffineModel(std::move(parts));
}

std::vector<std::string> notes_of(const Distribution& distribution, std::int64_t learned, std::int64_t rows) {
  std::vector<std::string> out = {
      fmt::format("draws depend on the seed ({}) and the row alone: the same row always gets the same result",
                  distribution.seed())};
  if (learned < rows) out.push_back(fmt::format("laws were learned from {} of {} rows, at random", learned, rows));
  std::string list;
  for (const GroupChange& change : distribution.changes())
    list += fmt::format("{}{} {:.0f} %", list.empty() ? "" : ", ", change.name, 100 * change.changed);
  out.push_back(fmt::format("rows whose value became another one, by feature, in the order of the map: {}", list));
  return out;
}

}  // namespace

Fit fit_distribution(const Moments& moments, const Columns& a, const Columns& b, std::span<const double> weights,
                     const std::vector<FeatureGroup>& groups, const FitOptions& options, int threads) {
  options.check();
  Fit out{identity_of(moments, options.standardize), {}, options, {}};
  out.distribution = Distribution::fit(a, b, groups, options.distribution, weights, threads);
  out.certificate = certify(out.model, moments);
  set_removed(options, out.certificate);
  out.certificate.notes = notes_of(*out.distribution, a.rows(), moments.rows());
  return out;
}

Fit fit_distribution(const Columns& a, const Columns& b, const FitOptions& options, const TableOptions& table) {
  if (table.expand)
    throw Error("remove is distribution and b is to be expanded; it tells all values of b apart without terms");
  Moments moments(a.cols(), b.cols(), Moments::Kind::cross);
  moments = Moments(table.feature_names.empty() ? moments.feature_names() : table.feature_names,
                    table.sensitive_names.empty() ? moments.sensitive_names() : table.sensitive_names,
                    options.moments_for(a.rows(), a.cols()));
  const UpdateOptions update{table.threads, table.weights};
  moments.update(a, b, update);
  const std::vector<FeatureGroup> groups =
      table.groups.empty() ? feature_groups(moments.feature_names()) : table.groups;
  const bool is_large = a.rows() > kDistributionRows;
  Fit out = [&] {
    if (!is_large) return fit_distribution(moments, a, b, table.weights, groups, options, table.threads);
    const ChosenRows of_a = choose_rows(a, table.weights, kDistributionRows),
                     of_b = choose_rows(b, {}, kDistributionRows);
    return fit_distribution(moments, of_a.cells, of_b.cells, of_a.weights, groups, options, table.threads);
  }();
  Measurement measurement(out.model, moments.kind(), out.rows_map());
  measurement.set_of_fit();
  measurement.update(a, b, update);
  set_measured(measurement.certificate(), out);
  return out;
}

}  // namespace plumbline
