// Views of tables: n rows, c columns, one pointer a column and one stride for the step to the next row.
//
//   cell(i, j) = *(column(j) + i * row_stride)
//
// Row-major, column-major, padded, a choice of columns, and separately stored columns (Arrow) are all of this form,
// so no call ever copies the caller's data to change its layout. Cells are double or float; arithmetic is in double.
//
// A view does not own: the table must outlive it. Constructors throw Error on negative sizes and null columns.
#pragma once

#include <Eigen/Core>
#include <concepts>
#include <type_traits>
#include <vector>

#include "plumbline/error.h"

namespace plumbline {

using Index = Eigen::Index;

enum class Scalar { float64, float32 };

template <class T>
concept Cell = std::same_as<T, double> || std::same_as<T, float>;

template <Cell T>
constexpr Scalar scalar_of() {
  return std::same_as<T, double> ? Scalar::float64 : Scalar::float32;
}

// A dense Eigen object whose cells lie in memory: a matrix, a map, a block of either.
template <class M>
concept DenseTable = Cell<typename M::Scalar> && requires(const M& m) {
  { m.data() } -> std::convertible_to<const typename M::Scalar*>;
  { m.rowStride() } -> std::convertible_to<Index>;
  { m.colStride() } -> std::convertible_to<Index>;
};

// The same, reached through a reference that allows to write to it.
template <class M>
concept WritableTable = DenseTable<std::remove_cvref_t<M>> && !std::is_const_v<std::remove_reference_t<M>>;

class Columns {
 public:
  Columns() = default;

  template <Cell T>
  Columns(const T* data, Index rows, Index cols, Index row_stride, Index col_stride)
      : Columns(spread(data, sizeof(T), cols, col_stride), scalar_of<T>(), rows, row_stride) {}

  template <Cell T>
  Columns(const std::vector<const T*>& columns, Index rows, Index row_stride = 1)
      : Columns(std::vector<const void*>(columns.begin(), columns.end()), scalar_of<T>(), rows, row_stride) {}

  template <DenseTable M>
  Columns(const M& m)  // NOLINT(google-explicit-constructor): a matrix is a table
      : Columns(m.data(), m.rows(), m.cols(), m.rowStride(), m.colStride()) {}

  Index rows() const { return rows_; }
  Index cols() const { return static_cast<Index>(columns_.size()); }
  Index row_stride() const { return row_stride_; }
  Scalar scalar() const { return scalar_; }
  const void* const* data() const { return columns_.data(); }

  double operator()(Index row, Index col) const {
    const void* column = columns_[col];
    const Index offset = row * row_stride_;
    return scalar_ == Scalar::float64 ? static_cast<const double*>(column)[offset]
                                      : static_cast<double>(static_cast<const float*>(column)[offset]);
  }

  // Whether the cells of a row lie next to each other.
  bool has_neighbouring_columns() const;

  // The rows [first, first + count).
  Columns middle_rows(Index first, Index count) const;

  // The named columns, in that order.
  Columns select(const std::vector<Index>& indices) const;

 private:
  friend class MutableColumns;
  Columns(std::vector<const void*> columns, Scalar scalar, Index rows, Index row_stride);
  static std::vector<const void*> spread(const void* data, std::size_t cell_bytes, Index cols, Index col_stride);

  std::vector<const void*> columns_;
  Scalar scalar_ = Scalar::float64;
  Index rows_ = 0;
  Index row_stride_ = 1;
};

// The same, for tables that a call writes to.
class MutableColumns {
 public:
  template <Cell T>
  MutableColumns(T* data, Index rows, Index cols, Index row_stride, Index col_stride)
      : view_(data, rows, cols, row_stride, col_stride) {}

  template <Cell T>
  MutableColumns(const std::vector<T*>& columns, Index rows, Index row_stride = 1)
      : view_(std::vector<const T*>(columns.begin(), columns.end()), rows, row_stride) {}

  template <WritableTable M>
  MutableColumns(M&& m)  // NOLINT(google-explicit-constructor): a matrix is a table
      : MutableColumns(m.data(), m.rows(), m.cols(), m.rowStride(), m.colStride()) {}

  const Columns& view() const { return view_; }
  Index rows() const { return view_.rows(); }
  Index cols() const { return view_.cols(); }
  Index row_stride() const { return view_.row_stride(); }
  Scalar scalar() const { return view_.scalar(); }
  void* const* data() const { return const_cast<void* const*>(view_.data()); }

 private:
  Columns view_;
};

}  // namespace plumbline
