#include "tables/schema.h"

#include <string_view>

namespace plumbline {

std::vector<ColumnKind> known_kinds(const ChunkSource& source) {
  std::vector<ColumnKind> kinds;
  for (std::size_t j = 0; j < source.names().size(); ++j)
    kinds.push_back(source.kind(static_cast<Index>(j)).value_or(ColumnKind::number));
  return kinds;
}

std::vector<ColumnLook> look_at(const CsvTable& table) {
  const auto head = table.head(kHeadRecords);
  std::vector<ColumnLook> looks;
  std::vector<std::string_view> cells(head.size());
  for (std::size_t column = 0; column < table.names().size(); ++column) {
    for (std::size_t row = 0; row < head.size(); ++row) cells[row] = head[row][column];
    looks.push_back(look_of(cells, table.dialect()));
  }
  return looks;
}

}  // namespace plumbline
