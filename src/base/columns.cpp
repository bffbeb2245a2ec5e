#include "plumbline/columns.h"

#include <fmt/format.h>

#include "plumbline/error.h"

namespace plumbline {

Columns::Columns(std::vector<const void*> columns, Scalar scalar, Index rows, Index row_stride)
    : columns_(std::move(columns)), scalar_(scalar), rows_(rows), row_stride_(row_stride) {
  if (rows < 0) throw Error(fmt::format("rows is {}; it must not be negative", rows));
  if (rows == 0) return;
  for (std::size_t j = 0; j < columns_.size(); ++j)
    if (columns_[j] == nullptr)
      throw Error(fmt::format("column {} is a null pointer, but the table has {} rows", j, rows));
}

std::vector<const void*> Columns::spread(const void* data, std::size_t cell_bytes, Index cols, Index col_stride) {
  if (cols < 0) throw Error(fmt::format("cols is {}; it must not be negative", cols));
  std::vector<const void*> columns(static_cast<std::size_t>(cols));
  if (data == nullptr) return columns;
  const auto* first = static_cast<const char*>(data);
  const Index step = col_stride * static_cast<Index>(cell_bytes);
  for (Index j = 0; j < cols; ++j) columns[j] = first + j * step;
  return columns;
}

bool Columns::has_neighbouring_columns() const {
  const std::size_t step = scalar_ == Scalar::float64 ? sizeof(double) : sizeof(float);
  for (std::size_t j = 1; j < columns_.size(); ++j)
    if (static_cast<const char*>(columns_[j]) != static_cast<const char*>(columns_[j - 1]) + step) return false;
  return true;
}

Columns Columns::middle_rows(Index first, Index count) const {
  if (first < 0 || count < 0 || count > rows_ - first)
    throw Error(fmt::format("rows [{}, {}) are not within the table's {} rows", first, first + count, rows_));
  Columns part = *this;
  part.rows_ = count;
  const Index bytes =
      first * row_stride_ * static_cast<Index>(scalar_ == Scalar::float64 ? sizeof(double) : sizeof(float));
  for (const void*& column : part.columns_) column = static_cast<const char*>(column) + bytes;
  return part;
}

Columns Columns::select(const std::vector<Index>& indices) const {
  std::vector<const void*> chosen;
  chosen.reserve(indices.size());
  for (Index j : indices) {
    if (j < 0 || j >= cols()) throw Error(fmt::format("column {} does not exist; the table has {} columns", j, cols()));
    chosen.push_back(columns_[j]);
  }
  return {std::move(chosen), scalar_, rows_, row_stride_};
}

}  // namespace plumbline
