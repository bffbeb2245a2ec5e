#include "tables/chunk_source.h"

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

Cells Cells::from(Index row) const {
  Cells out = *this;
  constexpr std::size_t kBytes[] = {0, sizeof(double), sizeof(float), sizeof(std::int32_t)};
  const auto step = static_cast<std::ptrdiff_t>(kBytes[static_cast<std::size_t>(form_)]);
  if (first_ != nullptr) out.first_ = static_cast<const char*>(first_) + row * stride_ * step;
  return out;
}

}  // namespace plumbline
