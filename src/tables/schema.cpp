#include "tables/schema.h"

#include <set>
#include <string_view>

namespace plumbline {

Placement Schema::placement() const {
  Placement out{features, sensitive, weights};
  if (!is_priced || !target) return out;
  out.target = target;
  out.target_kind = kinds[static_cast<std::size_t>(*target)];
  out.predictions = predictions;
  return out;
}

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

bool may_have_price(const CsvTable& table, Index column, const ColumnLook& look) {
  if (look.kind != ColumnKind::category)
    return look.form == ColumnForm::plain || look.form == ColumnForm::distinct_whole ||
           look.form == ColumnForm::beyond_double;
  std::set<std::string_view> levels;
  const auto head = table.head(kHeadRecords);
  for (std::size_t row = 0; row < head.size() && levels.size() <= 2; ++row)
    if (const std::string_view cell = head[row][static_cast<std::size_t>(column)]; !table.dialect().is_missing(cell))
      levels.insert(cell);
  return levels.size() <= 2;
}

}  // namespace plumbline
