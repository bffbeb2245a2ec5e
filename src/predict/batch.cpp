#include "predict/batch.h"

#include <fmt/format.h>

#include "kernels/kernels.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::Index;

// An odd number of cache lines: columns a power of two apart would meet in a few sets of the L1 cache.
Index stride_for(Index rows) {
  static_assert(kernels::kRowPad == 16);
  return (kernels::padded(rows) / kernels::kRowPad | 1) * kernels::kRowPad;
}

Index at_least(Index value, Index least, const char* what) {
  if (value < least) throw Error(fmt::format("{} is {}; it must be at least {}", what, value, least));
  return value;
}

}  // namespace

template <class T>
BatchView<T> BatchView<T>::columns(Index first, Index count) const {
  if (first < 0 || count < 0 || first > cols_ - count)
    throw Error(fmt::format("columns {} to {} of a batch of {} are asked for; they must be among them", first,
                            first + count, cols_));
  return {data_ + first * stride_, rows_, count, stride_};
}

template <class T>
Batch<T>::Batch(Index most_rows, Index cols)
    : cells_(Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>::Zero(
          stride_for(at_least(most_rows, 1, "the number of rows of a batch")),
          at_least(cols, 0, "the number of columns of a batch"))),
      most_rows_(most_rows),
      rows_(most_rows) {}

template <class T>
void Batch<T>::set_rows(Index rows) {
  if (rows < 1 || rows > most_rows_)
    throw Error(fmt::format("a batch is to have {} rows; it must be from 1 to {}", rows, most_rows_));
  rows_ = rows;
}

template class BatchView<double>;
template class BatchView<const double>;
template class BatchView<float>;
template class BatchView<const float>;
template class Batch<double>;
template class Batch<float>;

}  // namespace plumbline
