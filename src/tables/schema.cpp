#include "tables/schema.h"

#include <algorithm>

#include "csv/cell_values.h"

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

}  // namespace

std::vector<ColumnKind> known_kinds(const ChunkSource& source) {
  std::vector<ColumnKind> kinds;
  for (std::size_t j = 0; j < source.names().size(); ++j)
    kinds.push_back(source.kind(static_cast<Index>(j)).value_or(ColumnKind::number));
  return kinds;
}

std::vector<ColumnKind> guess_kinds(const CsvTable& table, const std::vector<Index>& categorical) {
  const auto head = table.head(kHeadRecords);
  std::vector<ColumnKind> kinds;
  for (std::size_t column = 0; column < table.names().size(); ++column)
    kinds.push_back(std::find(categorical.begin(), categorical.end(), static_cast<Index>(column)) != categorical.end()
                        ? ColumnKind::category
                        : kind_of(head, column, table.dialect()));
  return kinds;
}

}  // namespace plumbline
