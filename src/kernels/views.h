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

}  // namespace plumbline::kernels
