#include "kernels/tile_kernels.h"
#include "kernels/vectors.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {
namespace {

constexpr Size kRowsTogether = 2;
constexpr Size kKnownInputs = 3;

// A float may overflow where the double does not.
template <class T>
[[gnu::always_inline]] inline Vec as_stored(const Vec& v) {
  if constexpr (sizeof(T) == sizeof(double)) return v;
  return __builtin_convertvector(__builtin_convertvector(v, LooseFloats), Vec);
}

// Each part of `direct` returns zero if all of its results are finite.
//
// `Vectors` vectors of a column whose cells lie next to each other.
template <Size Vectors, class Lanes, class T>
[[gnu::always_inline]] inline Vec direct_column(Lanes lanes, const double* factors, Size inputs, double base,
                                                double direct, const T* x, const double* in, T* out) {
  Vec total[Vectors], finite = {};
  for (Size v = 0; v < Vectors; ++v) total[v] = fused(all(direct), lanes.load(x + v * kLanes), all(base));
  for (Size i = 0; i < inputs; ++i)
    for (Size v = 0; v < Vectors; ++v)
      total[v] = fused(all(factors[i]), load_vector(in + i * kTileStride + v * kLanes), total[v]);
  for (Size v = 0; v < Vectors; ++v) {
    lanes.store(out + v * kLanes, total[v]);
    finite += as_stored<T>(total[v]) * 0.0;
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
  bool by_columns;  // both tables; else both by rows
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

// `Rows` rows of one vector of columns, which lie next to each other. The first `Known` inputs are held in registers
// for all columns; others are loaded anew for each.
template <Size Known, Size Rows>
struct RowInputs {
  const double* in;
  Vec known[Known > 0 ? Known : 1][Rows];

  explicit RowInputs(const double* from) : in(from) {
    for (Size i = 0; i < Known; ++i)
      for (Size r = 0; r < Rows; ++r) known[i][r] = all(in[i * kTileStride + r]);
  }
};

template <Size Known, Size Rows, class Lanes, class T>
[[gnu::always_inline]] inline Vec direct_vector(Lanes lanes, const Direct& d, Size j,
                                                const RowInputs<Known, Rows>& inputs, const T* x, T* out) {
  const Vec base = lanes.load(d.base + j), direct = lanes.load(d.direct + j);
  Vec total[Rows], finite = {};
  for (Size r = 0; r < Rows; ++r) total[r] = fused(direct, lanes.load(x + r * d.x.row_stride), base);
  for (Size i = 0; i < Known; ++i) {
    const Vec factor = lanes.load(d.transposed + i * d.m.rows + j);
    for (Size r = 0; r < Rows; ++r) total[r] = fused(factor, inputs.known[i][r], total[r]);
  }
  for (Size i = Known; Known == kKnownInputs && i < d.m.cols; ++i) {
    const Vec factor = lanes.load(d.transposed + i * d.m.rows + j);
    for (Size r = 0; r < Rows; ++r) total[r] = fused(factor, all(inputs.in[i * kTileStride + r]), total[r]);
  }
  for (Size r = 0; r < Rows; ++r) {
    lanes.store(out + r * d.out.row_stride, total[r]);
    finite += as_stored<T>(total[r]) * 0.0;
  }
  return finite;
}

template <Size Known, Size Rows, class Lanes, class Rest, class T>
[[gnu::always_inline]] inline Vec direct_few_rows(const Direct& d, Size r) {
  const T* from = cell<T>(d.x, r, 0);
  T* to = cell<T>(d.out, r, 0);
  const RowInputs<Known, Rows> inputs(d.in + r);
  Vec finite = {};
  Size j = 0;
  for (; j + kLanes <= d.m.rows; j += kLanes)
    finite += direct_vector<Known, Rows>(Lanes{}, d, j, inputs, from + j, to + j);
  if (j < d.m.rows) finite += direct_vector<Known, Rows>(Rest{}, d, j, inputs, from + j, to + j);
  return finite;
}

template <Size Known, class Lanes, class Rest, class T>
Vec direct_known_inputs(const Direct d) {
  Vec finite = {};
  Size r = 0;
  // All of x first: memory that turns between reading and writing with every row is slower.
  for (Size i = 0; i < d.x.rows; ++i)
    for (Size j = 0; j < d.x.cols; j += 64 / static_cast<Size>(sizeof(T))) __builtin_prefetch(cell<T>(d.x, i, j), 0, 2);
  for (; r + kRowsTogether <= d.x.rows; r += kRowsTogether)
    finite += direct_few_rows<Known, kRowsTogether, Lanes, Rest, T>(d, r);
  for (; r < d.x.rows; ++r) finite += direct_few_rows<Known, 1, Lanes, Rest, T>(d, r);
  return finite;
}

template <class Lanes, class Rest, class T>
Vec direct_by_rows(const Direct& d) {
  static_assert(kKnownInputs == 3);
  switch (d.m.cols) {
    case 0:
      return direct_known_inputs<0, Lanes, Rest, T>(d);
    case 1:
      return direct_known_inputs<1, Lanes, Rest, T>(d);
    case 2:
      return direct_known_inputs<2, Lanes, Rest, T>(d);
    default:
      return direct_known_inputs<3, Lanes, Rest, T>(d);
  }
}

// Whether each vector of the output can be streamed.
template <class T>
bool can_stream(const Direct& d, Size tail) {
  if (sizeof(T) != sizeof(double) || tail % 2 != 0) return false;
  const auto aligned = [](const void* p) { return reinterpret_cast<__UINTPTR_TYPE__>(p) % 16 == 0; };
  if (!d.by_columns) return aligned(cell<T>(d.out, 0, 0)) && d.out.row_stride % 2 == 0;
  for (Size j = 0; j < d.m.rows; ++j)
    if (!aligned(cell<T>(d.out, 0, j))) return false;
  return true;
}

// `tail` is what is left of the rows of a column, or of the columns of a row, after whole vectors.
template <class T, Size Tail = kLanes - 1>
Vec direct_with_tail(const Direct& d, Size tail, bool stream) {
  if constexpr (Tail > 0)
    if (tail < Tail) return direct_with_tail<T, Tail - 1>(d, tail, stream);
  const bool by_columns = d.by_columns;
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

}  // namespace

template <class T>
bool direct(const Matrix& m, const double* transposed, const double* base, const double* direct, const Block& x,
            const double* in, const MutableBlock& out, bool stream) {
  const bool by_columns = x.row_stride == 1 && out.row_stride == 1;
  const Size tail = (by_columns ? x.rows : m.rows) % kLanes;
  return sum(direct_with_tail<T>({m, transposed, base, direct, x, in, out, by_columns}, tail, stream)) == 0;
}

template bool direct<double>(const Matrix&, const double*, const double*, const double*, const Block&, const double*,
                             const MutableBlock&, bool);
template bool direct<float>(const Matrix&, const double*, const double*, const double*, const Block&, const double*,
                            const MutableBlock&, bool);

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
