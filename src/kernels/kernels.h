// The hot loops, over one tile of rows, built once per instruction set and chosen at run time.
//
// A tile holds up to kTileRows rows, column by column, kTileStride cells from one column to the next, padded with
// zeros to a multiple of kRowPad rows:  tile[j * kTileStride + r] = x_j[r].
//
// clang-format off
//   mean               m_j = Σ_r w_r x_j[r] / Σ_r w_r
//   pack               tile_j[r] = scale_r (x_j[r] − shift_j)
//   unpack             x_j[r] = tile_j[r]
//   scatter            C(i, j) += Σ_r tile_i[r] tile_j[r]   for j < lead, j ≤ i < cols
//                      d_i += Σ_r tile_i[r]²                for i ≥ lead
//   wide_scatter       (hi + lo)(i, j) += Σ_r tile_i[r] tile_j[r]   for j ≤ i < cols, in twice the precision
//   cross              t_j += Σ_r d_j[r],   q_j += Σ_r d_j[r]²,   C(j, l) += Σ_r d_j[r] b_l[r],   d_j = x_j − shift_j,
//                      without a tile for x
//   sums               t_j = Σ_r scale_r tile_j[r]
//   affine             out_j[r] = base_j + direct_j · source_j[r] + Σ_i M(j, i) in_i[r]
//   direct             out_j[r] = base_j + direct_j · x_j[r] + Σ_i M(j, i) in_i[r], without a tile for x and out
//   matvec             y_j += Σ_i M(j, i) x_i
//   transposed_matvec  y_i += Σ_j M(j, i) x_j, at no cost for rows with x_j = 0
//   symmetric_matvec   y_i += Σ_j M(i, j) x_j for M = Mᵀ, of which the cells right of the diagonal are read, and
//                      blocks of four on it
//   rotate             (x_k, x_{k+1}) ← (c_k x_k + s_k x_{k+1}, c_k x_{k+1} − s_k x_k)   for k = 0, 1, …, count − 1
//   logistic           residual[r] = w_r (y_r − p_r),   root[r] = √(w_r p_r (1 − p_r)),   p_r = 1 / (1 + e^{−η_r}),
//                      for the padded rows too;   returns Σ_r w_r (y_r η_r − log(1 + e^{η_r}))
// clang-format on
//
// Those of networks, which work on batches of any number of rows, are in network.h, those of the sparse solver in
// sparse.h.
//
// The kernel source includes no library header with inline code: a function that the linker merges across
// instruction sets would run AVX code on a machine without it.
#pragma once

#include <cstddef>

#include "kernels/sparse.h"

namespace plumbline::kernels {

using Size = std::ptrdiff_t;

inline constexpr Size kTileRows = 512;
inline constexpr Size kTileStride = 520;  // not a multiple of a page, so columns do not collide in the L1 cache
inline constexpr Size kRowPad = 16;
inline constexpr Size kRotatedRows = 32;

[[gnu::always_inline]] constexpr Size padded(Size rows) { return (rows + kRowPad - 1) / kRowPad * kRowPad; }

// Rows [first_row, first_row + rows) of a table of float or double columns; see plumbline/columns.h.
template <class Pointer>
struct BasicBlock {
  Pointer const* columns;
  Size row_stride;
  Size first_row;
  Size rows;
  Size cols;
};
using Block = BasicBlock<const void*>;
using MutableBlock = BasicBlock<void*>;

// Memory that will be read next: it is brought to the caches while a kernel computes, or would idle meanwhile.
struct Ahead {
  const void* first = nullptr;
  Size bytes = 0;
};

// A row-major matrix, rows × cols without padding.
struct Matrix {
  const double* cells;
  Size rows;
  Size cols;
};

struct Dispatch {
  const char* name;
  // Indexed by plumbline::Scalar. `weights` and `scale` may be null: all one. `shift` may be null: zero.
  void (*mean[2])(const Block&, const double* weights, double* mean);
  void (*pack[2])(const Block&, const double* scale, const double* shift, double* tile);
  void (*unpack[2])(const double* tile, const MutableBlock&);

  void (*scatter)(const double* tile, Size rows, Size cols, Size lead, double* c, Size c_stride, double* diagonal,
                  const Ahead& ahead);
  void (*wide_scatter)(const double* tile, Size rows, Size cols, double* hi, double* lo);
  // x is column by column (row_stride 1), or its columns are neighbours; b is a tile; C has a row for each column of x.
  void (*cross[2])(const Block& x, const double* shift, const double* b, Size b_cols, double* sums, double* squares,
                   double* c, Size c_stride);
  void (*sums)(const double* tile, const double* scale, Size rows, Size cols, double* sums);
  // `base` and `direct` may be null: zero.
  void (*affine)(const Matrix& m, const double* base, const double* direct, const double* source, const double* in,
                 Size rows, double* out);
  // x and out are of one number type and one layout: both column by column (row_stride 1), or both with neighbouring
  // columns. Takes Mᵀ beside M. `stream`: out is too large to be read again from the caches, and is
  // not x. Returns whether every result is finite.
  bool (*direct[2])(const Matrix& m, const double* m_transposed, const double* base, const double* direct,
                    const Block& x, const double* in, const MutableBlock& out, bool stream);
  void (*matvec)(const Matrix& m, const double* x, double* y);
  void (*transposed_matvec)(const Matrix& m, const double* x, double* y);
  void (*symmetric_matvec)(const Matrix& m, const double* x, double* y);
  // count + 1 columns of kRotatedRows cells, one after the other.
  void (*rotate)(double* columns, Size count, const double* c, const double* s);
  // y is 0 or 1; eta, y, weights, residual and root have padded(rows) cells.
  double (*logistic)(const double* eta, const double* y, const double* weights, Size rows, double* residual,
                     double* root);

  SparseDispatch sparse;
};

#if defined(__x86_64__)
extern const Dispatch avx512;
extern const Dispatch avx2;
#endif
extern const Dispatch baseline;

// The instruction sets that this machine can run, best first; never empty.
struct Available {
  const Dispatch* dispatches[3];
  Size count;
};
const Available& available();

// The one in use: the best, or the one named by the environment variable PLUMBLINE_ISA
// (avx512, avx2, baseline). Throws plumbline::Error if that name is not one this machine can run.
const Dispatch& active();

}  // namespace plumbline::kernels
