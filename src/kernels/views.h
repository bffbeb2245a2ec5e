// Tables as the kernels take them.
#pragma once

#include "kernels/kernels.h"
#include "plumbline/columns.h"

namespace plumbline::kernels {

inline Block view(const Columns& table, Size first, Size count) {
  return {table.data(), table.row_stride(), first, count, table.cols()};
}

inline MutableBlock view(const MutableColumns& table, Size first, Size count) {
  return {table.data(), table.row_stride(), first, count, table.cols()};
}

// Where the functions for tables of this type stand.
inline std::size_t slot(Scalar scalar) { return static_cast<std::size_t>(scalar); }

// Rows [first, last) as what is read next, where they lie in one piece. Columns that lie in pieces of their own are
// read fast enough without.
inline Ahead ahead(const Columns& table, Size first, Size last) {
  if (first == last || table.cols() == 0 || table.row_stride() == 1 || table.row_stride() > 2 * table.cols()) return {};
  const Size row_bytes = table.row_stride() * (table.scalar() == Scalar::float64 ? 8 : 4);
  return {static_cast<const char*>(table.data()[0]) + first * row_bytes, (last - first) * row_bytes};
}

}  // namespace plumbline::kernels
