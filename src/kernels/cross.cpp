#include "kernels/tile_kernels.h"
#include "kernels/vectors.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {
namespace {

constexpr Size kCrossInputs = 4;

// Columns of x whose cells lie next to each other, with L columns of b; the first time round also sums and squares.
template <Size L, bool First, class T>
void cross_by_columns(const Block& x, const double* shift, const double* b, double* sums, double* squares, double* c,
                      Size c_stride) {
  for (Size j = 0; j < x.cols; ++j) {
    const T* from = cell<T>(x, 0, j);
    Vec products[L] = {}, total[2] = {}, square[2] = {};
    const auto add = [&](const Vec& d, Size r, Size which) {
      for (Size l = 0; l < L; ++l) products[l] = fused(d, load_vector(b + l * kTileStride + r), products[l]);
      if (First) {
        total[which] += d;
        square[which] = fused(d, d, square[which]);
      }
    };
    Size r = 0;
    for (; r + 2 * kLanes <= x.rows; r += 2 * kLanes) {
      if (First) __builtin_prefetch(from + r + x.rows, 0, 2);
      add(load_vector(from + r) - shift[j], r, 0);
      add(load_vector(from + r + kLanes) - shift[j], r + kLanes, 1);
    }
    for (; r < x.rows; r += kLanes) {
      Vec d = {};
      for (Size k = 0; k < smaller(kLanes, x.rows - r); ++k) d[k] = static_cast<double>(from[r + k]) - shift[j];
      add(d, r, 0);
    }
#pragma GCC unroll 8
    for (Size l = 0; l < L; ++l) c[l * c_stride + j] += sum(products[l]);
    if (First) {
      sums[j] += sum(total[0] + total[1]);
      squares[j] += sum(square[0] + square[1]);
    }
  }
}

// Vectors of neighbouring columns of x, row by row.
template <Size L, bool First, Size Vectors, class Lanes, class T>
void cross_by_rows(Lanes lanes, const T* x, Size stride, Size rows, const double* shift, const double* b, double* sums,
                   double* squares, double* c, Size c_stride) {
  Vec products[Vectors][L] = {}, total[Vectors] = {}, square[Vectors] = {}, origin[Vectors];
  for (Size v = 0; v < Vectors; ++v) origin[v] = lanes.load(shift + v * kLanes);
  for (Size r = 0; r < rows; ++r) {
    if (First) __builtin_prefetch(x + (r + rows) * stride, 0, 2);
    Vec d[Vectors];
    for (Size v = 0; v < Vectors; ++v) {
      d[v] = lanes.load(x + r * stride + v * kLanes) - origin[v];
      if (First) {
        total[v] += d[v];
        square[v] = fused(d[v], d[v], square[v]);
      }
    }
    for (Size l = 0; l < L; ++l) {
      const Vec factor = all(b[l * kTileStride + r]);
      for (Size v = 0; v < Vectors; ++v) products[v][l] = fused(d[v], factor, products[v][l]);
    }
  }
  const auto add = [&](double* p, const Vec& v) { lanes.store(p, lanes.load(p) + v); };
#pragma GCC unroll 8
  for (Size v = 0; v < Vectors; ++v) {
#pragma GCC unroll 8
    for (Size l = 0; l < L; ++l) add(c + l * c_stride + v * kLanes, products[v][l]);
    if (First) {
      add(sums + v * kLanes, total[v]);
      add(squares + v * kLanes, square[v]);
    }
  }
}

template <Size L, bool First, class T, Size Tail = kLanes - 1>
void cross_tail(Size tail, const T* x, const Block& block, const double* shift, const double* b, double* sums,
                double* squares, double* c, Size c_stride) {
  if constexpr (Tail > 0) {
    if (tail < Tail) return cross_tail<L, First, T, Tail - 1>(tail, x, block, shift, b, sums, squares, c, c_stride);
    cross_by_rows<L, First, 1>(Some<Tail>{}, x, block.row_stride, block.rows, shift, b, sums, squares, c, c_stride);
  }
}

template <Size L, bool First, class T>
void cross_group(const Block& x, const double* shift, const double* b, double* sums, double* squares, double* c,
                 Size c_stride) {
  if (x.row_stride == 1) return cross_by_columns<L, First, T>(x, shift, b, sums, squares, c, c_stride);
  const T* from = cell<T>(x, 0, 0);
  Size j = 0;
  for (; j + 2 * kLanes <= x.cols; j += 2 * kLanes)
    cross_by_rows<L, First, 2>(All{}, from + j, x.row_stride, x.rows, shift + j, b, sums + j, squares + j, c + j,
                               c_stride);
  for (; j + kLanes <= x.cols; j += kLanes)
    cross_by_rows<L, First, 1>(All{}, from + j, x.row_stride, x.rows, shift + j, b, sums + j, squares + j, c + j,
                               c_stride);
  cross_tail<L, First, T>(x.cols - j, from + j, x, shift + j, b, sums + j, squares + j, c + j, c_stride);
}

template <class T, bool First>
void cross_some(Size inputs, const Block& x, const double* shift, const double* b, double* sums, double* squares,
                double* c, Size c_stride) {
  const auto group = inputs == 1   ? cross_group<1, First, T>
                     : inputs == 2 ? cross_group<2, First, T>
                     : inputs == 3 ? cross_group<3, First, T>
                                   : cross_group<4, First, T>;
  group(x, shift, b, sums, squares, c, c_stride);
}

}  // namespace

template <class T>
void cross(const Block& x, const double* shift, const double* b, Size b_cols, double* sums, double* squares, double* c,
           Size c_stride) {
  cross_some<T, true>(smaller(kCrossInputs, b_cols), x, shift, b, sums, squares, c, c_stride);
  for (Size l = kCrossInputs; l < b_cols; l += kCrossInputs)
    cross_some<T, false>(smaller(kCrossInputs, b_cols - l), x, shift, b + l * kTileStride, sums, squares,
                         c + l * c_stride, c_stride);
}

template void cross<double>(const Block&, const double*, const double*, Size, double*, double*, double*, Size);
template void cross<float>(const Block&, const double*, const double*, Size, double*, double*, double*, Size);

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
