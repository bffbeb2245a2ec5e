// Rows of numbers that go through a network together.
//
//   x: rows × cols, column by column, `stride` cells from one column to the next;  x(r, j) = data[j * stride + r]
//
// A column's cells past its last row, up to a multiple of 16, are there to be overwritten: kernels compute them too,
// and read none of them into another row or a sum. Any columns of a batch next to each other are a batch, so networks
// can write to and read from parts of one another's batches, and nothing is copied.
//
// Batch owns its cells, starting at 0, and has room for as many rows as it was made for; set_rows changes their
// number without touching a cell. Both throw Error for a number of rows or columns out of range.
#pragma once

#include <Eigen/Core>
#include <type_traits>

#include "kernels/network.h"

namespace plumbline {

template <class T>
class BatchView {
 public:
  using Cell = std::remove_const_t<T>;
  using Cells = Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic>;
  using Matrix = Eigen::Map<std::conditional_t<std::is_const_v<T>, const Cells, Cells>, 0, Eigen::OuterStride<>>;

  BatchView(T* data, Eigen::Index rows, Eigen::Index cols, Eigen::Index stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  template <class Other>
  requires(std::is_const_v<T>&& std::is_same_v<Other, Cell>)
      BatchView(const BatchView<Other>& other)  // NOLINT(google-explicit-constructor): what can be changed can be read
      : BatchView(other.data(), other.rows(), other.cols(), other.stride()) {}

  T* data() const { return data_; }
  Eigen::Index rows() const { return rows_; }
  Eigen::Index cols() const { return cols_; }
  Eigen::Index stride() const { return stride_; }

  Matrix matrix() const { return Matrix(data_, rows_, cols_, Eigen::OuterStride<>(stride_)); }
  BatchView columns(Eigen::Index first, Eigen::Index count) const;

  kernels::NetworkBatch<T> for_kernels() const { return {data_, rows_, cols_, stride_}; }

 private:
  T* data_;
  Eigen::Index rows_, cols_, stride_;
};

// As arguments next to one that tells T: a batch that can be changed is taken for one that is read.
template <class T>
using ReadBatch = std::type_identity_t<BatchView<const T>>;

template <class T>
class Batch {
 public:
  Batch() = default;
  Batch(Eigen::Index most_rows, Eigen::Index cols);

  Eigen::Index rows() const { return rows_; }
  Eigen::Index most_rows() const { return most_rows_; }
  Eigen::Index cols() const { return cells_.cols(); }
  void set_rows(Eigen::Index rows);

  BatchView<T> view() { return {cells_.data(), rows_, cells_.cols(), cells_.rows()}; }
  BatchView<const T> view() const { return {cells_.data(), rows_, cells_.cols(), cells_.rows()}; }
  auto matrix() { return view().matrix(); }
  auto matrix() const { return view().matrix(); }

 private:
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> cells_;
  Eigen::Index most_rows_ = 0, rows_ = 0;
};

}  // namespace plumbline
