// Vectors of the instruction set that a file is compiled for. kLanes doubles go through one register.
//
// Everything here is in a namespace of that instruction set: the linker must not merge code across them.
#pragma once

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>  // intrinsics are always inlined, so nothing of it is left to the linker
#endif

#include "kernels/kernels.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {

#if defined(__AVX512F__)
constexpr Size kLanes = 8;
#elif defined(__AVX__)
constexpr Size kLanes = 4;
#else
constexpr Size kLanes = 2;
#endif

typedef double Vec __attribute__((vector_size(8 * kLanes)));
typedef double Vec2 __attribute__((vector_size(16)));
typedef double Vec4 __attribute__((vector_size(32)));
typedef double LooseVec __attribute__((vector_size(8 * kLanes), aligned(8), may_alias));
typedef double LooseVec4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef float LooseFloats __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));
typedef float LooseFloats4 __attribute__((vector_size(16), aligned(4), may_alias));

inline Vec load_vector(const double* p) { return *reinterpret_cast<const LooseVec*>(p); }
inline Vec load_vector(const float* p) {
  return __builtin_convertvector(*reinterpret_cast<const LooseFloats*>(p), Vec);
}
inline void store_vector(float* p, Vec v) {
  *reinterpret_cast<LooseFloats*>(p) = __builtin_convertvector(v, LooseFloats);
}
inline void store_vector(double* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = v; }

// By reference: a wide vector as a plain argument has no fixed calling convention without its instruction set.
inline void load4(const double* p, Vec4& v) { v = *reinterpret_cast<const LooseVec4*>(p); }
inline void load4(const float* p, Vec4& v) {
  v = __builtin_convertvector(*reinterpret_cast<const LooseFloats4*>(p), Vec4);
}
inline void store4(double* p, const Vec4& v) { *reinterpret_cast<LooseVec4*>(p) = v; }
inline void store4(float* p, const Vec4& v) {
  *reinterpret_cast<LooseFloats4*>(p) = __builtin_convertvector(v, LooseFloats4);
}

// x − 0 is x, −0 among them, so nothing is computed.
inline Vec all(double x) { return x - Vec{}; }

// x · y + z, rounded once where the instruction set can. Kernels are compiled without contraction: whether a compiler
// fuses a sum depends on the loop around it, and a cell must not depend on the loop that it went through.
inline Vec fused(const Vec& x, const Vec& y, const Vec& z) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(x, y, z);
#elif defined(__FMA__)
  return _mm256_fmadd_pd(x, y, z);
#elif defined(__aarch64__)
  return vfmaq_f64(z, x, y);
#else
  return x * y + z;
#endif
}

// In halves of registers: a loop over lanes would send the vector, and others with it, through memory.
inline double sum(const Vec& v) {
#if defined(__AVX512F__)
  const Vec4 four = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
#elif defined(__AVX__)
  const Vec4& four = v;
#endif
#if defined(__AVX__)
  const Vec2 two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
#else
  const Vec2& two = v;
#endif
  return two[0] + two[1];
}

// The rounding error of product = x · y, exactly.
inline Vec product_error(const Vec& x, const Vec& y, const Vec& product) {
#if defined(__AVX512F__)
  return _mm512_fmsub_pd(x, y, product);
#elif defined(__FMA__)
  return _mm256_fmsub_pd(x, y, product);
#elif defined(__aarch64__)
  return vfmaq_f64(-product, x, y);
#else
  constexpr double kSplit = 134217729;  // 2²⁷ + 1: halves of 26 bits, whose products are exact (Dekker)
  const Vec sx = kSplit * x, sy = kSplit * y;
  const Vec hx = sx - (sx - x), hy = sy - (sy - y);
  const Vec lx = x - hx, ly = y - hy;
  return ((hx * hy - product) + hx * ly + lx * hy) + lx * ly;
#endif
}

inline Vec square_root(const Vec& x) {
#if defined(__AVX512F__)
  return _mm512_maskz_sqrt_pd(0xff, x);  // GCC warns of what _mm512_sqrt_pd leaves undefined
#elif defined(__AVX__)
  return _mm256_sqrt_pd(x);
#elif defined(__x86_64__)
  return _mm_sqrt_pd(x);
#elif defined(__aarch64__)
  return vsqrtq_f64(x);
#else
  Vec root = x;
  for (Size l = 0; l < kLanes; ++l) root[l] = __builtin_sqrt(x[l]);
  return root;
#endif
}

inline void transpose4(Vec4& a, Vec4& b, Vec4& c, Vec4& d) {
  const Vec4 ab_lo = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_hi = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Vec4 cd_lo = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_hi = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab_lo, cd_lo, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_hi, cd_hi, 0, 1, 4, 5);
  c = __builtin_shufflevector(ab_lo, cd_lo, 2, 3, 6, 7);
  d = __builtin_shufflevector(ab_hi, cd_hi, 2, 3, 6, 7);
}

// How many columns from j on lie next to each other in memory.
template <class T, class Pointer>
inline Size run_length(const BasicBlock<Pointer>& block, Size j) {
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

inline Size smaller(Size a, Size b) { return a < b ? a : b; }

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

inline void end_of_stream() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
