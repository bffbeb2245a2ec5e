#include "plumbline/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string_view>

#include "base/refusals.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

std::vector<std::string> expanded_names(const std::vector<TableColumn>& columns) {
  std::vector<std::string> names;
  for (const TableColumn& column : columns) {
    if (column.kind != ColumnKind::category) names.push_back(column.name);
    for (const std::string& level : column.levels) names.push_back(column.name + '=' + level);
    if (!column.merged.empty()) names.push_back(column.name + '=' + column.other);
  }
  return names;
}

void check_levels(const TableColumn& column) {
  const auto ascend = [](const std::vector<std::string>& levels) {
    return std::adjacent_find(levels.begin(), levels.end(), std::greater_equal<>()) == levels.end();
  };
  if (column.levels.size() + column.merged.size() > kMostLevels) refuse_levels(column.name);
  if (!ascend(column.levels) || !ascend(column.merged))
    throw Error(fmt::format("the levels of column '{}' of the encoding are not in ascending order", column.name));
  std::vector<std::string> both;
  std::set_intersection(column.levels.begin(), column.levels.end(), column.merged.begin(), column.merged.end(),
                        std::back_inserter(both));
  if (!both.empty())
    throw Error(fmt::format("column '{}' of the encoding has level '{}' and merges it", column.name, both[0]));
  if (column.merged.empty() != column.other.empty() ||
      std::binary_search(column.levels.begin(), column.levels.end(), column.other))
    throw Error(
        fmt::format("the levels that column '{}' of the encoding merges have no name of their own", column.name));
}

void check_columns(const std::vector<TableColumn>& columns, const char* role) {
  if (columns.empty()) throw Error(fmt::format("the encoding has no {} columns", role));
  for (const TableColumn& column : columns) {
    const std::size_t levels = column.levels.size() + column.merged.size();
    if ((column.kind == ColumnKind::category) == (levels == 0))
      throw Error(
          fmt::format("column '{}' of the encoding is a {} with {} levels", column.name, name_of(column.kind), levels));
    check_levels(column);
    if (column.held && (column.kind == ColumnKind::category || !std::isfinite(*column.held)))
      throw Error(fmt::format("column '{}' of the encoding is a {} that is held at {}", column.name,
                              name_of(column.kind), *column.held));
  }
}

void check_fill(const Eigen::VectorXd& fill, std::size_t columns, const char* field) {
  if (fill.size() != 0 && static_cast<std::size_t>(fill.size()) != columns)
    throw Error(fmt::format("{} has {} numbers for {} columns", field, fill.size(), columns));
  for (const double x : fill)
    if (!std::isfinite(x)) throw Error(fmt::format("{} holds {}; all its numbers must be finite", field, x));
}

// Those of the known columns that are not among the names.
std::set<std::string_view> others(std::set<std::string_view> known, const std::vector<std::string>& names,
                                  const char* field) {
  for (const std::string& name : names)
    if (known.erase(name) == 0)
      throw Error(fmt::format("{} of the encoding has '{}' twice, or it is no column of it", field, name));
  return known;
}

}  // namespace

const char* name_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::number:
      return "number";
    case ColumnKind::boolean:
      return "boolean";
    case ColumnKind::category:
      return "category";
  }
  return "";
}

const char* name_of(Missing missing) {
  switch (missing) {
    case Missing::error:
      return "error";
    case Missing::drop:
      return "drop";
    case Missing::mean:
      return "mean";
  }
  return "";
}

const char* name_of(Unknown unknown) {
  switch (unknown) {
    case Unknown::merge:
      return "merge";
    case Unknown::error:
      return "error";
    case Unknown::ignore:
      return "ignore";
  }
  return "";
}

std::vector<std::string> Encoding::feature_names() const { return expanded_names(features); }
std::vector<std::string> Encoding::sensitive_names() const { return expanded_names(sensitive); }

void Encoding::check() const {
  check_columns(features, "feature");
  check_columns(sensitive, "sensitive");
  std::set<std::string_view> seen;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && !seen.insert(name).second)
      throw Error(fmt::format("the encoding uses column '{}' twice", name));
  };
  for (const auto* part : {&features, &sensitive})
    for (const TableColumn& column : *part) add(column.name);
  others(seen, unnamed, "unnamed");
  const std::set<std::string_view> apart = others(seen, columns, "columns");
  for (const TableColumn& feature : features)
    if (!columns.empty() && apart.contains(feature.name))
      throw Error(fmt::format("columns of the encoding lacks '{}', which is a feature", feature.name));
  add(target);
  add(weights);
  for (const std::string& name : kept) add(name);
  check_fill(fill_a, feature_names().size(), "fill_a");
  check_fill(fill_b, sensitive_names().size(), "fill_b");
}

bool Encoding::operator==(const Encoding& other) const {
  const auto same = [](const Eigen::VectorXd& x, const Eigen::VectorXd& y) { return x.size() == y.size() && x == y; };
  return features == other.features && sensitive == other.sensitive && target == other.target &&
         weights == other.weights && kept == other.kept && missing == other.missing && unknown == other.unknown &&
         same(fill_a, other.fill_a) && same(fill_b, other.fill_b) && columns == other.columns &&
         unnamed == other.unnamed;
}

}  // namespace plumbline
