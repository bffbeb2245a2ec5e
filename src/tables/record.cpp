#include "tables/record.h"

namespace plumbline {

CellKind cell_kind(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::number:
      return CellKind::number;
    case ColumnKind::boolean:
      return CellKind::boolean;
    case ColumnKind::category:
      return CellKind::category;
  }
  return CellKind::skip;
}

CellPlace::CellPlace(const std::vector<CellPlan>& plan, Index column)
    : is_category(plan[static_cast<std::size_t>(column)].kind == CellKind::category) {
  for (std::size_t j = 0; j < static_cast<std::size_t>(column); ++j)
    if (plan[j].kind != CellKind::skip && (plan[j].kind == CellKind::category) == is_category) ++slot;
}

Record::Record(const ParsedChunk& chunk, Index row) {
  const auto rows = static_cast<std::size_t>(chunk.rows), at = static_cast<std::size_t>(row);
  numbers_ = chunk.numbers.data() + at * (chunk.numbers.size() / rows);
  codes_ = chunk.codes.data() + at * (chunk.codes.size() / rows);
}

}  // namespace plumbline
