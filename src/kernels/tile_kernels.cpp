// Compiled once per instruction set, with PLUMBLINE_ISA naming it. See kernels.h for what each function computes.
#include "kernels/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>  // intrinsics are always inlined, so nothing of it is left to the linker
#endif

namespace plumbline::kernels {
namespace {

#if defined(__AVX512F__)
constexpr Size kLanes = 8, kScatterI = 6, kScatterJ = 4, kAffineOutputs = 8, kAffineVectors = 2;
#elif defined(__AVX__)
constexpr Size kLanes = 4, kScatterI = 4, kScatterJ = 3, kAffineOutputs = 6, kAffineVectors = 2;
#else
constexpr Size kLanes = 2, kScatterI = 3, kScatterJ = 3, kAffineOutputs = 4, kAffineVectors = 2;
#endif
static_assert(kRowPad % (kLanes * kAffineVectors) == 0);

typedef double Vec __attribute__((vector_size(8 * kLanes)));
typedef double Vec4 __attribute__((vector_size(32)));
typedef double LooseVec __attribute__((vector_size(8 * kLanes), aligned(8), may_alias));
typedef double LooseVec4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef float LooseFloats __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));
typedef float LooseFloats4 __attribute__((vector_size(16), aligned(4), may_alias));

Vec load_vector(const double* p) { return *reinterpret_cast<const LooseVec*>(p); }
Vec load_vector(const float* p) { return __builtin_convertvector(*reinterpret_cast<const LooseFloats*>(p), Vec); }
void store_vector(float* p, Vec v) { *reinterpret_cast<LooseFloats*>(p) = __builtin_convertvector(v, LooseFloats); }
void store_vector(double* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = v; }

// By reference: a wide vector as a plain argument has no fixed calling convention without its instruction set.
void load4(const double* p, Vec4& v) { v = *reinterpret_cast<const LooseVec4*>(p); }
void load4(const float* p, Vec4& v) { v = __builtin_convertvector(*reinterpret_cast<const LooseFloats4*>(p), Vec4); }
void store4(double* p, const Vec4& v) { *reinterpret_cast<LooseVec4*>(p) = v; }
void store4(float* p, const Vec4& v) { *reinterpret_cast<LooseFloats4*>(p) = __builtin_convertvector(v, LooseFloats4); }

double sum(Vec v) {
  double total = 0;
  for (Size l = 0; l < kLanes; ++l) total += v[l];
  return total;
}

void transpose4(Vec4& a, Vec4& b, Vec4& c, Vec4& d) {
  const Vec4 ab_lo = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_hi = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Vec4 cd_lo = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_hi = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab_lo, cd_lo, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_hi, cd_hi, 0, 1, 4, 5);
  c = __builtin_shufflevector(ab_lo, cd_lo, 2, 3, 6, 7);
  d = __builtin_shufflevector(ab_hi, cd_hi, 2, 3, 6, 7);
}

// How many columns from j on lie next to each other in memory.
template <class T, class Pointer>
Size run_length(const BasicBlock<Pointer>& block, Size j) {
  Size end = j + 1;
  while (end < block.cols &&
         static_cast<const T*>(block.columns[end]) == static_cast<const T*>(block.columns[end - 1]) + 1)
    ++end;
  return end - j;
}

template <class T>
const T* cell(const Block& block, Size row, Size col) {
  return static_cast<const T*>(block.columns[col]) + (block.first_row + row) * block.row_stride;
}
template <class T>
T* cell(const MutableBlock& block, Size row, Size col) {
  return static_cast<T*>(block.columns[col]) + (block.first_row + row) * block.row_stride;
}

// Deviations from the first row are summed, so that a large mean does not swallow a small spread.
template <class T>
double mean_of_contiguous(const T* x, Size rows, const double* weights, double inverse_weight) {
  const double origin = x[0];
  Vec total[4] = {};
  Size r = 0;
  for (; r + 4 * kLanes <= rows; r += 4 * kLanes)
    for (Size v = 0; v < 4; ++v) {
      const Vec d = load_vector(x + r + v * kLanes) - origin;
      total[v] += weights ? d * load_vector(weights + r + v * kLanes) : d;
    }
  double rest = 0;
  for (; r < rows; ++r) rest += (x[r] - origin) * (weights ? weights[r] : 1.0);
  return origin + (sum((total[0] + total[1]) + (total[2] + total[3])) + rest) * inverse_weight;
}

template <class T>
void add_deviations(const T* __restrict row, const T* __restrict origin, double weight, Size n,
                    double* __restrict total) {
  for (Size c = 0; c < n; ++c) total[c] += weight * (static_cast<double>(row[c]) - static_cast<double>(origin[c]));
}

template <class T>
void add_deviations_of_four(const T* __restrict row, Size stride, const T* __restrict origin, Size n,
                            double* __restrict total) {
  for (Size c = 0; c < n; ++c) {
    const double o = origin[c];
    total[c] += ((row[c] - o) + (row[c + stride] - o)) + ((row[c + 2 * stride] - o) + (row[c + 3 * stride] - o));
  }
}

template <class T>
void mean(const Block& block, const double* weights, double* mean) {
  double weight = static_cast<double>(block.rows);
  if (weights) {
    weight = 0;
    for (Size r = 0; r < block.rows; ++r) weight += weights[r];
  }
  if (block.row_stride == 1) {
    for (Size j = 0; j < block.cols; ++j)
      mean[j] = mean_of_contiguous(cell<T>(block, 0, j), block.rows, weights, 1 / weight);
    return;
  }
  // Row by row, so that memory is read in the order in which it lies.
  for (Size j = 0; j < block.cols; ++j) mean[j] = 0;
  Size r = 0;
  for (; !weights && r + 4 <= block.rows; r += 4)
    for (Size j = 0, n; j < block.cols; j += n) {
      n = run_length<T>(block, j);
      add_deviations_of_four(cell<T>(block, r, j), block.row_stride, cell<T>(block, 0, j), n, mean + j);
    }
  for (; r < block.rows; ++r)
    for (Size j = 0, n; j < block.cols; j += n) {
      n = run_length<T>(block, j);
      add_deviations(cell<T>(block, r, j), cell<T>(block, 0, j), weights ? weights[r] : 1.0, n, mean + j);
    }
  for (Size j = 0; j < block.cols; ++j) mean[j] = *cell<T>(block, 0, j) + mean[j] / weight;
}

template <class T>
void pack_strided(const T* x, Size stride, Size rows, double shift, double* __restrict out) {
  for (Size r = 0; r < rows; ++r) out[r] = static_cast<double>(x[r * stride]) - shift;
}

template <class T>
void pack_four(const T* x, Size stride, Size rows, const double* shift, double* out) {
  Vec4 s;
  load4(shift, s);
  Size r = 0;
  for (; r + 4 <= rows; r += 4) {
    Vec4 v[4];
    for (Size i = 0; i < 4; ++i) {
      load4(x + (r + i) * stride, v[i]);
      v[i] -= s;
    }
    transpose4(v[0], v[1], v[2], v[3]);
    for (Size i = 0; i < 4; ++i) store4(out + i * kTileStride + r, v[i]);
  }
  for (; r < rows; ++r)
    for (Size i = 0; i < 4; ++i) out[i * kTileStride + r] = static_cast<double>(x[r * stride + i]) - shift[i];
}

template <class T>
void pack(const Block& block, const double* scale, const double* shift, double* tile) {
  const double zeros[4] = {};
  for (Size j = 0; j < block.cols;) {
    const T* x = cell<T>(block, 0, j);
    double* out = tile + j * kTileStride;
    const double* s = shift ? shift + j : zeros;
    if (block.row_stride == 1) {
      pack_strided(x, 1, block.rows, *s, out);
      j += 1;
    } else if (j + 4 <= block.cols && run_length<T>(block, j) >= 4) {
      pack_four(x, block.row_stride, block.rows, s, out);
      j += 4;
    } else {
      pack_strided(x, block.row_stride, block.rows, *s, out);
      j += 1;
    }
  }
  for (Size j = 0; j < block.cols; ++j) {
    double* out = tile + j * kTileStride;
    if (scale)
      for (Size r = 0; r < block.rows; ++r) out[r] *= scale[r];
    for (Size r = block.rows; r < padded(block.rows); ++r) out[r] = 0;
  }
}

template <class T>
void unpack_four(const double* tile, T* x, Size stride, Size rows) {
  Size r = 0;
  for (; r + 4 <= rows; r += 4) {
    Vec4 v[4];
    for (Size i = 0; i < 4; ++i) load4(tile + i * kTileStride + r, v[i]);
    transpose4(v[0], v[1], v[2], v[3]);
    for (Size i = 0; i < 4; ++i) store4(x + (r + i) * stride, v[i]);
  }
  for (; r < rows; ++r)
    for (Size i = 0; i < 4; ++i) x[r * stride + i] = static_cast<T>(tile[i * kTileStride + r]);
}

template <class T>
void unpack(const double* tile, const MutableBlock& block) {
  for (Size j = 0; j < block.cols;) {
    T* x = cell<T>(block, 0, j);
    const double* in = tile + j * kTileStride;
    if (block.row_stride != 1 && j + 4 <= block.cols && run_length<T>(block, j) >= 4) {
      unpack_four(in, x, block.row_stride, block.rows);
      j += 4;
    } else {
      for (Size r = 0; r < block.rows; ++r) x[r * block.row_stride] = static_cast<T>(in[r]);
      j += 1;
    }
  }
}

// The products of I columns from i on with J columns from j on.
template <Size I, Size J>
void scatter_block(const double* tile, Size rows, Size i0, Size j0, double* c, Size c_stride) {
  const double* xi = tile + i0 * kTileStride;
  const double* xj = tile + j0 * kTileStride;
  Vec total[I][J] = {};
  for (Size r = 0; r < rows; r += kLanes) {
    Vec right[J];
    for (Size j = 0; j < J; ++j) right[j] = load_vector(xj + j * kTileStride + r);
    for (Size i = 0; i < I; ++i) {
      const Vec left = load_vector(xi + i * kTileStride + r);
      for (Size j = 0; j < J; ++j) total[i][j] += left * right[j];
    }
  }
  for (Size i = 0; i < I; ++i)
    for (Size j = 0; j < J; ++j)
      if (i0 + i >= j0 + j) c[(j0 + j) * c_stride + i0 + i] += sum(total[i][j]);
}

using ScatterBlock = void (*)(const double*, Size, Size, Size, double*, Size);

template <Size I>
ScatterBlock scatter_block_for(Size j) {
  if constexpr (kScatterJ >= 4)
    if (j == 4) return scatter_block<I, 4>;
  return j == 1 ? scatter_block<I, 1> : j == 2 ? scatter_block<I, 2> : scatter_block<I, 3>;
}

ScatterBlock scatter_block_for(Size i, Size j) {
  if constexpr (kScatterI >= 6) {
    if (i == 6) return scatter_block_for<6>(j);
    if (i == 5) return scatter_block_for<5>(j);
  }
  if constexpr (kScatterI >= 4)
    if (i == 4) return scatter_block_for<4>(j);
  return i == 1 ? scatter_block_for<1>(j) : i == 2 ? scatter_block_for<2>(j) : scatter_block_for<3>(j);
}

double sum_of_squares(const double* x, Size rows) {
  Vec total[2] = {};
  for (Size r = 0; r < rows; r += 2 * kLanes)
    for (Size v = 0; v < 2; ++v) {
      const Vec d = load_vector(x + r + v * kLanes);
      total[v] += d * d;
    }
  return sum(total[0] + total[1]);
}

Size smaller(Size a, Size b) { return a < b ? a : b; }

void scatter(const double* tile, Size rows, Size cols, Size lead, double* c, Size c_stride, double* diagonal) {
  const Size n = padded(rows);
  for (Size j = 0; j < lead; j += kScatterJ) {
    const Size nj = smaller(kScatterJ, lead - j);
    for (Size i = j; i < cols; i += kScatterI) {
      const Size ni = smaller(kScatterI, cols - i);
      scatter_block_for(ni, nj)(tile, n, i, j, c, c_stride);
    }
  }
  for (Size i = lead; i < cols; ++i) diagonal[i] += sum_of_squares(tile + i * kTileStride, n);
}

// Vectors of which only the first N lanes are there. Ends of rows and columns go through vectors too: scalar code may
// round differently, and a cell must not depend on where in a table it lies.
template <Size N>
struct Some {
  template <class T>
  Vec load(const T* p) const {
    Vec v = {};
    for (Size l = 0; l < N; ++l) v[l] = static_cast<double>(p[l]);
    return v;
  }
  template <class T>
  void store(T* p, const Vec& v) const {
    for (Size l = 0; l < N; ++l) p[l] = static_cast<T>(v[l]);
  }
};

struct All {
  template <class T>
  Vec load(const T* p) const {
    return load_vector(p);
  }
  template <class T>
  void store(T* p, const Vec& v) const {
    store_vector(p, v);
  }
};

// Writes past the caches, 16 bytes at a time, what will not be read again soon: the lines written need not be read
// from memory first. p is aligned to 16 bytes and N even.
template <Size N>
struct Streamed {
  template <class T>
  Vec load(const T* p) const {
    if constexpr (N == kLanes) return load_vector(p);
    return Some<N>{}.load(p);
  }
#if defined(__x86_64__)
  void store(double* p, const Vec& v) const {
    for (Size l = 0; l < N; l += 2) _mm_stream_pd(p + l, __m128d{v[l], v[l + 1]});
  }
#endif
};

void end_of_stream() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

constexpr Size kCrossInputs = 4;
constexpr Size kRowsTogether = 2;

// Columns of x whose cells lie next to each other, with L columns of b; the first time round also sums and squares.
template <Size L, bool First, class T>
void cross_by_columns(const Block& x, const double* shift, const double* b, double* sums, double* squares, double* c,
                      Size c_stride) {
  for (Size j = 0; j < x.cols; ++j) {
    const T* from = cell<T>(x, 0, j);
    Vec products[L] = {}, total[2] = {}, square[2] = {};
    const auto add = [&](const Vec& d, Size r, Size which) {
      for (Size l = 0; l < L; ++l) products[l] += d * load_vector(b + l * kTileStride + r);
      if (First) {
        total[which] += d;
        square[which] += d * d;
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
        square[v] += d[v] * d[v];
      }
    }
    for (Size l = 0; l < L; ++l) {
      const double factor = b[l * kTileStride + r];
      for (Size v = 0; v < Vectors; ++v) products[v][l] += d[v] * factor;
    }
  }
  const auto add = [&](double* p, const Vec& v) { lanes.store(p, lanes.load(p) + v); };
  for (Size v = 0; v < Vectors; ++v) {
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

template <class T>
void cross(const Block& x, const double* shift, const double* b, Size b_cols, double* sums, double* squares, double* c,
           Size c_stride) {
  cross_some<T, true>(smaller(kCrossInputs, b_cols), x, shift, b, sums, squares, c, c_stride);
  for (Size l = kCrossInputs; l < b_cols; l += kCrossInputs)
    cross_some<T, false>(smaller(kCrossInputs, b_cols - l), x, shift, b + l * kTileStride, sums, squares,
                         c + l * c_stride, c_stride);
}

void sums(const double* tile, const double* scale, Size rows, Size cols, double* sums) {
  for (Size j = 0; j < cols; ++j) {
    const double* x = tile + j * kTileStride;
    Vec total[4] = {};
    Size r = 0;
    for (; r + 4 * kLanes <= rows; r += 4 * kLanes)
      for (Size v = 0; v < 4; ++v) {
        const Vec d = load_vector(x + r + v * kLanes);
        total[v] += scale ? d * load_vector(scale + r + v * kLanes) : d;
      }
    double rest = 0;
    for (; r < rows; ++r) rest += scale ? x[r] * scale[r] : x[r];
    sums[j] = sum((total[0] + total[1]) + (total[2] + total[3])) + rest;
  }
}

// `Outputs` output columns from j on, kAffineVectors vectors of rows at a time.
template <Size Outputs>
void affine_block(const Matrix& m, const double* base, const double* direct, const double* source, const double* in,
                  Size rows, double* out, Size j0) {
  for (Size r = 0; r < rows; r += kAffineVectors * kLanes) {
    Vec total[Outputs][kAffineVectors];
    for (Size j = 0; j < Outputs; ++j)
      for (Size v = 0; v < kAffineVectors; ++v) {
        total[j][v] = base ? Vec{} + base[j0 + j] : Vec{};
        if (direct) total[j][v] += direct[j0 + j] * load_vector(source + (j0 + j) * kTileStride + r + v * kLanes);
      }
    for (Size i = 0; i < m.cols; ++i) {
      Vec x[kAffineVectors];
      for (Size v = 0; v < kAffineVectors; ++v) x[v] = load_vector(in + i * kTileStride + r + v * kLanes);
      for (Size j = 0; j < Outputs; ++j) {
        const double factor = m.cells[(j0 + j) * m.cols + i];
        for (Size v = 0; v < kAffineVectors; ++v) total[j][v] += factor * x[v];
      }
    }
    for (Size j = 0; j < Outputs; ++j)
      for (Size v = 0; v < kAffineVectors; ++v)
        store_vector(out + (j0 + j) * kTileStride + r + v * kLanes, total[j][v]);
  }
}

void affine(const Matrix& m, const double* base, const double* direct, const double* source, const double* in,
            Size rows, double* out) {
  const Size n = padded(rows);
  Size j = 0;
  for (; j + kAffineOutputs <= m.rows; j += kAffineOutputs)
    affine_block<kAffineOutputs>(m, base, direct, source, in, n, out, j);
  for (; j < m.rows; ++j) affine_block<1>(m, base, direct, source, in, n, out, j);
}

// Each part of `direct` returns zero if all of its results are finite.
//
// `Vectors` vectors of a column whose cells lie next to each other.
template <Size Vectors, class Lanes, class T>
[[gnu::always_inline]] inline Vec direct_column(Lanes lanes, const double* factors, Size inputs, double base,
                                                double direct, const T* x, const double* in, T* out) {
  Vec total[Vectors], finite = {};
  for (Size v = 0; v < Vectors; ++v) total[v] = base + direct * lanes.load(x + v * kLanes);
  for (Size i = 0; i < inputs; ++i)
    for (Size v = 0; v < Vectors; ++v) total[v] += factors[i] * load_vector(in + i * kTileStride + v * kLanes);
  for (Size v = 0; v < Vectors; ++v) {
    lanes.store(out + v * kLanes, total[v]);
    finite += total[v] * 0.0;
  }
  return finite;
}

// `Rows` rows of one vector of columns, which lie next to each other; `stride` leads from one row of Mᵀ to the next.
template <Size Rows, class Lanes, class T>
[[gnu::always_inline]] inline Vec direct_rows(Lanes lanes, const double* transposed, Size inputs, Size stride,
                                              const double* base, const double* direct, const T* x, Size x_stride,
                                              const double* in, T* out, Size out_stride) {
  const Vec b = lanes.load(base), d = lanes.load(direct);
  Vec total[Rows], finite = {};
  for (Size r = 0; r < Rows; ++r) total[r] = b + d * lanes.load(x + r * x_stride);
  for (Size i = 0; i < inputs; ++i) {
    const Vec factor = lanes.load(transposed + i * stride);
    for (Size r = 0; r < Rows; ++r) total[r] += factor * in[i * kTileStride + r];
  }
  for (Size r = 0; r < Rows; ++r) {
    lanes.store(out + r * out_stride, total[r]);
    finite += total[r] * 0.0;
  }
  return finite;
}

// What a call of `direct` is about, but for the number type.
struct Direct {
  Matrix m;
  const double* transposed;
  const double* base;
  const double* direct;
  Block x;
  const double* in;
  MutableBlock out;
};

template <class Lanes, class Rest, class T>
Vec direct_by_columns(const Direct d) {
  Vec finite = {};
  for (Size j = 0; j < d.m.rows; ++j) {
    const T* from = cell<T>(d.x, 0, j);
    T* to = cell<T>(d.out, 0, j);
    const double* factors = d.m.cells + j * d.m.cols;
    const double base = d.base[j], direct = d.direct[j];
    Size r = 0;
    for (; r + 4 * kLanes <= d.x.rows; r += 4 * kLanes) {
      for (Size line = 0; line < 4 * kLanes; line += 64 / static_cast<Size>(sizeof(T)))
        __builtin_prefetch(from + r + line + kTileRows, 0, 2);
      finite += direct_column<4>(Lanes{}, factors, d.m.cols, base, direct, from + r, d.in + r, to + r);
    }
    for (; r + kLanes <= d.x.rows; r += kLanes)
      finite += direct_column<1>(Lanes{}, factors, d.m.cols, base, direct, from + r, d.in + r, to + r);
    if (r < d.x.rows) finite += direct_column<1>(Rest{}, factors, d.m.cols, base, direct, from + r, d.in + r, to + r);
  }
  return finite;
}

template <Size Rows, class Lanes, class Rest, class T>
[[gnu::always_inline]] inline Vec direct_few_rows(const Direct& d, Size r) {
  const T* from = cell<T>(d.x, r, 0);
  T* to = cell<T>(d.out, r, 0);
  Vec finite = {};
  Size j = 0;
  for (; j + kLanes <= d.m.rows; j += kLanes)
    finite += direct_rows<Rows>(Lanes{}, d.transposed + j, d.m.cols, d.m.rows, d.base + j, d.direct + j, from + j,
                                d.x.row_stride, d.in + r, to + j, d.out.row_stride);
  if (j < d.m.rows)
    finite += direct_rows<Rows>(Rest{}, d.transposed + j, d.m.cols, d.m.rows, d.base + j, d.direct + j, from + j,
                                d.x.row_stride, d.in + r, to + j, d.out.row_stride);
  return finite;
}

template <class Lanes, class Rest, class T>
Vec direct_by_rows(const Direct d) {
  Vec finite = {};
  Size r = 0;
  for (; r + kRowsTogether <= d.x.rows; r += kRowsTogether)
    finite += direct_few_rows<kRowsTogether, Lanes, Rest, T>(d, r);
  for (; r < d.x.rows; ++r) finite += direct_few_rows<1, Lanes, Rest, T>(d, r);
  return finite;
}

// Whether each vector of the output can be streamed.
template <class T>
bool can_stream(const Direct& d, Size tail) {
  if (sizeof(T) != sizeof(double) || tail % 2 != 0) return false;
  const auto aligned = [](const void* p) { return reinterpret_cast<__UINTPTR_TYPE__>(p) % 16 == 0; };
  if (d.x.row_stride != 1) return aligned(cell<T>(d.out, 0, 0)) && d.out.row_stride % 2 == 0;
  for (Size j = 0; j < d.m.rows; ++j)
    if (!aligned(cell<T>(d.out, 0, j))) return false;
  return true;
}

// `tail` is what is left of the rows of a column, or of the columns of a row, after whole vectors.
template <class T, Size Tail = kLanes - 1>
Vec direct_with_tail(const Direct& d, Size tail, bool stream) {
  if constexpr (Tail > 0)
    if (tail < Tail) return direct_with_tail<T, Tail - 1>(d, tail, stream);
  const bool by_columns = d.x.row_stride == 1;
#if defined(__x86_64__)
  if constexpr (sizeof(T) == sizeof(double) && Tail % 2 == 0)
    if (stream && can_stream<T>(d, tail)) {
      const Vec finite = by_columns ? direct_by_columns<Streamed<kLanes>, Streamed<Tail>, T>(d)
                                    : direct_by_rows<Streamed<kLanes>, Streamed<Tail>, T>(d);
      end_of_stream();
      return finite;
    }
#endif
  return by_columns ? direct_by_columns<All, Some<Tail>, T>(d) : direct_by_rows<All, Some<Tail>, T>(d);
}

template <class T>
bool direct(const Matrix& m, const double* transposed, const double* base, const double* direct, const Block& x,
            const double* in, const MutableBlock& out, bool stream) {
  const Size tail = (x.row_stride == 1 ? x.rows : m.rows) % kLanes;
  return sum(direct_with_tail<T>({m, transposed, base, direct, x, in, out}, tail, stream)) == 0;
}

template <Size Rows>
void matvec_block(const Matrix& m, const double* x, double* y, Size j0) {
  const double* cells = m.cells + j0 * m.cols;
  Vec total[Rows] = {};
  Size i = 0;
  for (; i + kLanes <= m.cols; i += kLanes) {
    const Vec v = load_vector(x + i);
    for (Size j = 0; j < Rows; ++j) total[j] += load_vector(cells + j * m.cols + i) * v;
  }
  for (Size j = 0; j < Rows; ++j) {
    double rest = 0;
    for (Size k = i; k < m.cols; ++k) rest += cells[j * m.cols + k] * x[k];
    y[j0 + j] += sum(total[j]) + rest;
  }
}

void matvec(const Matrix& m, const double* x, double* y) {
  Size j = 0;
  for (; j + 8 <= m.rows; j += 8) matvec_block<8>(m, x, y, j);
  for (; j < m.rows; ++j) matvec_block<1>(m, x, y, j);
}

}  // namespace

#define PLUMBLINE_TEXT_OF(x) #x
#define PLUMBLINE_TEXT(x) PLUMBLINE_TEXT_OF(x)

extern const Table PLUMBLINE_ISA;
const Table PLUMBLINE_ISA = {
    PLUMBLINE_TEXT(PLUMBLINE_ISA),
    {mean<double>, mean<float>},
    {pack<double>, pack<float>},
    {unpack<double>, unpack<float>},
    scatter,
    {cross<double>, cross<float>},
    sums,
    affine,
    {direct<double>, direct<float>},
    matvec,
};

}  // namespace plumbline::kernels
