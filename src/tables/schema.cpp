#include "tables/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.h"
#include "csv/cell_values.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

ColumnKind kind_of(const std::vector<std::vector<std::string>>& head, std::size_t column, const CsvDialect& dialect) {
  std::size_t cells = 0, numbers = 0, booleans = 0;
  for (const auto& record : head) {
    const std::string_view cell = trimmed(record[column]);
    if (dialect.is_missing(cell)) continue;
    ++cells;
    if (number_in(cell))
      ++numbers;
    else if (boolean_in(cell))
      ++booleans;
  }
  if (cells > 0 && booleans == cells) return ColumnKind::boolean;
  return 2 * numbers > cells || cells == 0 ? ColumnKind::number : ColumnKind::category;
}

std::optional<Index> choose_one(const std::string& name, const std::vector<std::string>& columns, const char* flag) {
  if (name.empty()) return std::nullopt;
  const auto at = std::find(columns.begin(), columns.end(), name);
  if (at == columns.end()) refuse_column(flag, name, columns);
  return at - columns.begin();
}

// The part that each column plays, refusing a second one.
class Parts {
 public:
  explicit Parts(const std::vector<std::string>& names) : names_(names), parts_(names.size()) {}

  void give(Index column, const char* flag) {
    const char*& part = parts_[static_cast<std::size_t>(column)];
    if (part)
      throw Error(fmt::format("column '{}' is named by both {} and {}; it can have one part only",
                              names_[static_cast<std::size_t>(column)], part, flag));
    part = flag;
  }

  bool is_free(Index column) const { return !parts_[static_cast<std::size_t>(column)]; }

 private:
  const std::vector<std::string>& names_;
  std::vector<const char*> parts_;
};

}  // namespace

Schema infer_schema(const CsvTable& table, const Roles& roles) {
  const std::vector<std::string>& names = table.names();
  Schema schema;
  if (roles.sensitive.empty()) throw Error("no sensitive column is named; use --sensitive");
  Parts parts(names);
  schema.sensitive = choose_columns(roles.sensitive, names, "--sensitive");
  for (const Index column : schema.sensitive) parts.give(column, "--sensitive");
  schema.target = choose_one(roles.target, names, "--target");
  if (schema.target) parts.give(*schema.target, "--target");
  schema.weights = choose_one(roles.weights, names, "--weights");
  if (schema.weights) parts.give(*schema.weights, "--weights");
  const std::vector<Index> chosen = choose_columns(roles.features, names, "--features");
  for (const Index column : chosen) parts.give(column, "--features");
  for (const Index column : choose_columns(roles.drop, names, "--drop")) parts.give(column, "--drop");
  schema.features = chosen;
  for (Index column = 0; chosen.empty() && column < static_cast<Index>(names.size()); ++column)
    if (parts.is_free(column)) schema.features.push_back(column);
  if (schema.features.empty()) throw Error("no feature is left; every column has another part");

  const auto head = table.head(kHeadRecords);
  const std::vector<Index> categorical = choose_columns(roles.categorical, names, "--categorical");
  for (std::size_t column = 0; column < names.size(); ++column)
    schema.kinds.push_back(std::binary_search(categorical.begin(), categorical.end(), static_cast<Index>(column))
                               ? ColumnKind::category
                               : kind_of(head, column, table.dialect()));
  if (schema.weights && schema.kinds[static_cast<std::size_t>(*schema.weights)] != ColumnKind::number)
    throw Error(fmt::format("--weights names '{}', whose cells are not numbers", roles.weights));
  return schema;
}

}  // namespace plumbline
