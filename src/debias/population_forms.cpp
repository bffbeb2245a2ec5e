#include "debias/population_forms.h"

#include <fmt/format.h>

#include "base/names.h"

namespace plumbline {
namespace {

constexpr double kLevel = 0.05;

double share_at(const Json& in, const char* what) {
  const double share = number_at(in, what);
  if (!(share >= 0 && share <= 1)) bad_member(what, "is not from 0 to 1");
  return share;
}

std::int64_t count_at(const Json& in, const char* what) {
  const auto count = value_at<std::int64_t>(in, what);
  if (count < 1) bad_member(what, "is not positive");
  return count;
}

}  // namespace

std::string to_text(const PopulationBound& bound) {
  if (bound.correlation >= 1)
    return fmt::format(
        "\n  on new rows of the same kind: too few rows, {}, to bound what correlation new ones may have\n",
        counted(bound.rows, "row"));
  std::string out = fmt::format(
      "\n  on new rows of the same kind: with 95 % confidence no weighted sum of the fair features correlates by more "
      "than {:.2g}\n  with any weighted sum of the sensitive columns, from {} with {} left and {} sensitive",
      bound.correlation, counted(bound.rows, "row"), counted(bound.features, "dimension"), bound.sensitive);
  if (bound.is_simulated) out += fmt::format(" (by formula alone {:.2g})", bound.closed_form);
  return out + '\n';
}

std::string to_text(const IndependenceTest& test) {
  const std::string p = test.p_value < 1e-4 ? "below .0001" : fmt::format("{:.2g}", test.p_value);
  return fmt::format(
      "\n  all sums of features and of sensitive columns together: {} (Bartlett's test: p {}{}, χ² {:.4g} with {} "
      "degrees of freedom)\n",
      test.p_value < kLevel ? "more correlation is left than chance leaves, or the spread of a feature depends on them"
                            : "what correlation is left looks like chance",
      test.p_value < 1e-4 ? "" : "= ", p, test.statistic, test.degrees);
}

Json json_of(const PopulationBound& bound) {
  return {{"correlation", bound.correlation}, {"closed_form", bound.closed_form}, {"rows", bound.rows},
          {"features", bound.features},       {"sensitive", bound.sensitive},     {"is_simulated", bound.is_simulated}};
}

Json json_of(const IndependenceTest& test) {
  return {{"statistic", test.statistic}, {"degrees", test.degrees}, {"p_value", test.p_value}};
}

PopulationBound population_from(const Json& in) {
  return {share_at(in, "correlation"), share_at(in, "closed_form"), count_at(in, "rows"),
          count_at(in, "features"),    count_at(in, "sensitive"),   value_at<bool>(in, "is_simulated")};
}

IndependenceTest independence_from(const Json& in) {
  return {number_at(in, "statistic"), count_at(in, "degrees"), share_at(in, "p_value")};
}

}  // namespace plumbline
