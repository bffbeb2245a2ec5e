// The text and JSON forms of a certificate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/names.h"
#include "base/printable.h"
#include "debias/certificate_json.h"
#include "debias/population_forms.h"
#include "debias/price_forms.h"
#include "debias/probe_forms.h"
#include "plumbline/certificate.h"

namespace plumbline {
namespace {

constexpr std::string_view kCertificateFormat = "plumbline-certificate";
constexpr int kCertificateVersion = 3;    // 1 had other names of what is before and after, 2 nothing of new rows
constexpr double kNoLoss = 1e-12;         // rounding
constexpr double kNoSquaredLoss = 1e-14;  // of what is summed as squares, as a change near 0 is

bool is_rounding(double change, double least) {
  return std::abs(change - least) <= kNoLoss || std::abs(change * change - least * least) <= kNoSquaredLoss;
}

std::string largest(const std::optional<Eigen::VectorXd>& values) {
  if (!values) return "-";
  return values->size() == 0 ? "0" : fmt::format("{:.3g}", values->maxCoeff());
}

Json strongest_json(const Strongest& s) {
  return {{"value", s.value}, {"feature", s.feature}, {"sensitive", s.sensitive}};
}

Json maybe(const std::optional<Eigen::VectorXd>& x) { return x ? json_of(*x) : Json(); }
Json maybe(const std::optional<double>& x) { return x ? Json(*x) : Json(); }

Json side_json(const BeforeAfter& side) {
  return {{"correlation", strongest_json(side.correlation)},
          {"explained", strongest_json(side.explained)},
          {"canonical", maybe(side.canonical)}};
}

Strongest strongest_from(const Json& in) {
  const double value = number_at(in, "value");
  if (value < 0 || value > 1) bad_member("value", "is not a share or a correlation, from 0 to 1");
  return {value, value_at<std::string>(in, "feature"), value_at<std::string>(in, "sensitive")};
}

std::optional<Eigen::VectorXd> maybe_vector(const Json& in, const char* what) {
  if (member(in, what).is_null()) return std::nullopt;
  return vector_at(in, what);
}

std::optional<double> maybe_number(const Json& in, const char* what) {
  if (member(in, what).is_null()) return std::nullopt;
  return number_at(in, what);
}

BeforeAfter side_from(const Json& in) {
  const bool is_old = in.contains("max_correlation");
  return {strongest_from(member(in, is_old ? "max_correlation" : "correlation")),
          strongest_from(member(in, is_old ? "max_explained" : "explained")),
          maybe_vector(in, is_old ? "canonical_correlations" : "canonical")};
}

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Json table_json(const FeatureTable& table) {
  return {{"features", table.features},
          {"sensitive", table.sensitive},
          {"change", json_of(table.change)},
          {"explained_before", json_of(table.explained_before)},
          {"explained_after", json_of(table.explained_after)},
          {"correlation_before", json_of(Rows(table.correlation_before))},
          {"correlation_after", json_of(Rows(table.correlation_after))}};
}

FeatureTable table_from(const Json& in) {
  FeatureTable out;
  out.features = strings_at(in, "features");
  out.sensitive = strings_at(in, "sensitive");
  const auto q = static_cast<Index>(out.features.size()), p = static_cast<Index>(out.sensitive.size());
  const auto column = [&](const char* what) {
    Eigen::VectorXd x = vector_at(in, what);
    if (x.size() != q) bad_member(what, "has not a number for each feature");
    return x;
  };
  out.change = column("change");
  out.explained_before = column("explained_before");
  out.explained_after = column("explained_after");
  const auto matrix = [&](const char* what) -> Eigen::MatrixXd {
    if (list_at(in, what).empty()) return {};
    Rows x = matrix_at(in, what, p);
    if (x.rows() != q) bad_member(what, "has not a row for each feature");
    return x;
  };
  out.correlation_before = matrix("correlation_before");
  out.correlation_after = matrix("correlation_after");
  return out;
}

// The features that changed most: what explained them, and what is left of that.
std::string most_changed(const FeatureTable& table) {
  constexpr std::size_t kShown = 10;
  std::vector<std::size_t> order(table.features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto by_change = [&](std::size_t i, std::size_t j) { return table.change[Index(i)] > table.change[Index(j)]; };
  const std::size_t shown = std::min(kShown, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(), by_change);
  std::string out = fmt::format("\n  {:<34}{:>12}{:>12}   {}\n", "feature", "changed by", "explained", "most of it by");
  for (std::size_t i = 0; i < shown; ++i) {
    const auto j = static_cast<Index>(order[i]);
    std::string whose;
    if (Index l = 0; table.correlation_before.size() > 0 && table.correlation_before.row(j).maxCoeff(&l) > 0)
      whose = fmt::format("{} ({:.1f} %)", printable(table.sensitive[static_cast<std::size_t>(l)]),
                          100 * table.correlation_before(j, l) * table.correlation_before(j, l));
    out += fmt::format("  {:<34}{:>10.1f} %{:>10.1f} %   {}\n", printable(table.features[order[i]]),
                       100 * table.change[j], 100 * table.explained_before[j], whose);
  }
  if (order.size() > shown)
    out += fmt::format("  and {}\n", counted(static_cast<std::int64_t>(order.size() - shown), "feature"));
  return out;
}

std::string atoms_in_words(const std::vector<Atom>& atoms) {
  std::vector<std::string> each;
  for (const Atom& atom : atoms)
    each.push_back(fmt::format("{} ({}: {:.0f} %)", atom.feature, atom.value, 100 * atom.share));
  return fmt::format(
      "of {} one value has more than {:.0f} % of the rows: {}; in aware mode that value becomes numbers that depend on "
      "the sensitive columns, which trees read back; blind mode makes none, and to remove the distribution, not only "
      "the mean, keeps the value as it is",
      counted(static_cast<std::int64_t>(atoms.size()), "feature"), 100 * Atom::kShare, listed(each));
}

Remove removed_from(const std::string& text) {
  for (const Remove removed : {Remove::mean, Remove::spread, Remove::distribution})
    if (text == name_of(removed)) return removed;
  bad_member("removed", "is not mean, spread or distribution");
}

Json json_of(const std::vector<Atom>& atoms) {
  Json out = Json::array();
  for (const Atom& atom : atoms)
    out.push_back({{"feature", atom.feature}, {"value", atom.value}, {"share", atom.share}});
  return out;
}

std::vector<Atom> atoms_from(const Json& in) {
  std::vector<Atom> out;
  for (const Json& atom : list_at(in, "atoms")) {
    out.push_back(
        {value_at<std::string>(atom, "feature"), value_at<std::string>(atom, "value"), number_at(atom, "share")});
    if (!(out.back().share >= 0 && out.back().share <= 1)) bad_member("share", "is not from 0 to 1");
  }
  return out;
}

// Where a model still reads a sensitive column back.
std::string what_would_help(const Certificate& c) {
  constexpr double kLittle = 0.1;  // of exposure: R² .01, AUC .55
  if (!c.probe || c.probe->most_exposed(false).exposure <= kLittle) return "";
  if (c.alpha < 1) return "; full strength would help";
  switch (c.removed) {
    case Remove::mean:
      return "; removing the distribution, not only the mean, would help";
    case Remove::spread:
      return "; removing the distribution, not only mean and spread, would help";
    case Remove::distribution:
      return "; more rows to fit would help";
  }
  return "";
}

}  // namespace

std::string Certificate::in_words() const {
  const auto share = [](const Strongest& s) { return 100 * s.value * s.value; };
  const double left = share(after.correlation);
  std::string out = before.correlation.sensitive.empty()
                        ? "before: no sensitive column explains any of a feature"
                        : fmt::format("before: {} explains up to {:.0f}% of a feature",
                                      printable(before.correlation.sensitive), share(before.correlation));
  out += fmt::format("; after: {}% along a line; ",
                     left > 0 && left < 0.5 && !holds() ? "under 1" : fmt::format("{:.0f}", left));
  return out + (probe ? plumbline::in_words(*probe) + what_would_help(*this)
                      : "what a flexible model, such as boosted trees, can still read back was not measured");
}

std::string Certificate::to_text() const {
  std::string out = fmt::format("Certificate: {}, {}, {}\n\n", counted(rows, "row"), counted(features, "feature"),
                                counted(sensitive, "sensitive column"));
  const auto line = [&](std::string_view what, const std::string& first, const std::string& second,
                        const std::string& whose) {
    out += fmt::format("  {:<34}{:>12}{:>12}   {}\n", what, first, second, whose);
  };
  const auto pair = [](const Strongest& s) {
    if (s.feature.empty()) return std::string();
    const std::string feature = printable(s.feature);
    return s.sensitive.empty() ? feature : feature + " ~ " + printable(s.sensitive);
  };
  line("", "before", "after", "strongest before");
  line("largest |correlation|", fmt::format("{:.3g}", before.correlation.value),
       fmt::format("{:.3g}", after.correlation.value), pair(before.correlation));
  line("most explained by all together", fmt::format("{:.1f} %", 100 * before.explained.value),
       fmt::format("{:.1f} %", 100 * after.explained.value), pair(before.explained));
  line("largest canonical correlation", largest(before.canonical), largest(after.canonical), "");
  if (deviation)
    out += fmt::format(
        "\n  on rows that the fit has not seen: {:.2f} standard errors at most{}; chance alone leaves up to "
        "{:.2f} with probability .99\n",
        deviation->value, deviation->feature.empty() ? "" : " (" + pair(*deviation) + ")", chance);
  if (independence) out += plumbline::to_text(*independence);
  if (population) out += plumbline::to_text(*population);
  if (price) out += plumbline::to_text(*price);
  out += fmt::format("\n  change of the features  {:.4g}  (‖A − Ã‖ / ‖A‖", change);
  if (minimum_change && is_rounding(change, *minimum_change))
    out += alpha == 1 ? "; the least that leaves no correlation at this rank" : "; the least of this rank and strength";
  else if (minimum_change && change > *minimum_change)
    out += fmt::format("; the least possible is {:.4g}, given away {:.2g}", *minimum_change, *loss);
  else if (minimum_change)
    out += fmt::format("; to leave no correlation on these data would take {:.4g}", *minimum_change);
  out += fmt::format(")\n  dimensions kept         {} of {}", rank, features);
  if (variance_by_rank && rank < features)
    out += fmt::format("; the best {} hold {:.1f} % of the variance that B leaves", rank,
                       100 * (rank > 0 ? (*variance_by_rank)[rank - 1] : 0.0));
  if (alpha != 1)
    out += fmt::format("\n  strength                {:.4g}: part of the influence is left on purpose", alpha);
  out += fmt::format("\n  sensitive columns       rank {} of {}, condition {:.3g}\n", sensitive_rank, sensitive,
                     sensitive_condition);
  if (!constant_features.empty()) out += fmt::format("  constant features       {}\n", listed(constant_features));
  if (!constant_sensitive.empty()) out += fmt::format("  constant sensitive      {}\n", listed(constant_sensitive));
  if (!fully_explained.empty())
    out += fmt::format("  fully explained         {}: the sensitive columns explain all of these\n",
                       listed(fully_explained));
  if (by_feature && by_feature->features.size() > 1) out += most_changed(*by_feature);
  if (probe) out += plumbline::to_text(*probe);
  if (!atoms.empty()) out += fmt::format("  note: {}\n", printable_line(atoms_in_words(atoms)));
  for (const std::string& note : notes) out += fmt::format("  note: {}\n", printable_line(note));
  out += fmt::format("\n  {}\n", certificate_caveat(removed));
  return out;
}

Json json_of(const Certificate& c) {
  Json out;
  out["rows"] = c.rows;
  out["weight"] = c.weight;
  out["features"] = c.features;
  out["sensitive"] = c.sensitive;
  out["before"] = side_json(c.before);
  out["after"] = side_json(c.after);
  out["removed"] = name_of(c.removed);
  out["rank"] = c.rank;
  out["alpha"] = c.alpha;
  out["change"] = c.change;
  out["minimum_change"] = maybe(c.minimum_change);
  out["loss"] = maybe(c.loss);
  out["variance_by_rank"] = maybe(c.variance_by_rank);
  out["sensitive_rank"] = c.sensitive_rank;
  out["sensitive_condition"] = c.sensitive_condition;
  out["constant_features"] = c.constant_features;
  out["constant_sensitive"] = c.constant_sensitive;
  out["fully_explained"] = c.fully_explained;
  out["notes"] = c.notes;
  out["varying"] = c.varying;
  if (c.by_feature) out["by_feature"] = table_json(*c.by_feature);
  if (c.deviation) {
    out["deviation"] = strongest_json(*c.deviation);
    out["chance"] = c.chance;
  }
  if (c.left_rank) out["left_rank"] = *c.left_rank;
  if (c.population) out["population"] = json_of(*c.population);
  if (c.independence) out["independence"] = json_of(*c.independence);
  if (!c.atoms.empty()) out["atoms"] = json_of(c.atoms);
  if (c.price) out["price"] = json_of(*c.price);
  if (c.probe) out["probe"] = json_of(*c.probe);
  out["caveat"] = certificate_caveat(c.removed);
  return out;
}

Certificate certificate_from(const Json& in) {
  Certificate c;
  c.rows = value_at<std::int64_t>(in, "rows");
  c.weight = number_at(in, "weight");
  c.features = value_at<Index>(in, "features");
  c.sensitive = value_at<Index>(in, "sensitive");
  c.before = side_from(member(in, "before"));
  c.after = side_from(member(in, "after"));
  if (in.contains("removed")) c.removed = removed_from(value_at<std::string>(in, "removed"));
  c.rank = value_at<Index>(in, "rank");
  c.alpha = number_at(in, "alpha");
  c.change = number_at(in, "change");
  c.minimum_change = maybe_number(in, "minimum_change");
  c.loss = maybe_number(in, "loss");
  c.variance_by_rank = maybe_vector(in, "variance_by_rank");
  c.sensitive_rank = value_at<Index>(in, "sensitive_rank");
  c.sensitive_condition = number_at(in, "sensitive_condition");
  c.constant_features = strings_at(in, "constant_features");
  c.constant_sensitive = strings_at(in, "constant_sensitive");
  c.fully_explained = strings_at(in, "fully_explained");
  c.notes = strings_at(in, "notes");
  c.varying = in.contains("varying") ? value_at<Index>(in, "varying") : c.features;
  if (in.contains("by_feature")) c.by_feature = table_from(in["by_feature"]);
  if (in.contains("deviation")) {
    const Json& of = in["deviation"];
    c.deviation = {number_at(of, "value"), value_at<std::string>(of, "feature"),
                   value_at<std::string>(of, "sensitive")};
    c.chance = number_at(in, "chance");
  }
  if (in.contains("left_rank")) c.left_rank = value_at<Index>(in, "left_rank");
  if (in.contains("population")) c.population = population_from(in["population"]);
  if (in.contains("independence")) c.independence = independence_from(in["independence"]);
  if (in.contains("atoms")) c.atoms = atoms_from(in);
  if (in.contains("price")) c.price = price_from(in["price"]);
  if (in.contains("probe")) c.probe = probe_from(in["probe"]);
  if (c.varying < 0 || c.varying > c.features) bad_member("varying", "is no number of features");
  if (c.rows < 0 || !(c.weight >= 0)) bad_member("rows", "or 'weight' is negative");
  if (c.variance_by_rank && (c.rank < 0 || c.rank > c.variance_by_rank->size()))
    bad_member("rank", "does not fit variance_by_rank");
  return c;
}

std::string Certificate::to_json() const { return seal(kCertificateFormat, kCertificateVersion, json_of(*this)); }

Certificate Certificate::from_json(std::string_view text) {
  return certificate_from(unseal(text, kCertificateFormat, kCertificateVersion));
}

}  // namespace plumbline
