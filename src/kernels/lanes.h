// Vectors of float and of double of the instruction set that a file is compiled for, and functions of them.
//
//   exp_of, log_of, log_of_one_plus, tanh_of, sigmoid_of   to a few units in the last place
//
// Everything here is in a namespace of that instruction set: the linker must not merge code across them.
#pragma once

#include "kernels/vectors.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {

template <class T>
struct Of;

template <>
struct Of<double> {
  static constexpr Size kCount = kLanes;
  typedef double V __attribute__((vector_size(8 * kLanes)));
  typedef double Loose __attribute__((vector_size(8 * kLanes), aligned(8), may_alias));
  typedef double Four __attribute__((vector_size(32)));
  typedef long long Ints __attribute__((vector_size(8 * kLanes)));
  using Int = long long;
  static constexpr int kMantissa = 52, kBias = 1023, kExpTerms = 14, kLogTerms = 11;
  static constexpr double kRound = 0x1.8p52;  // added to a small number, leaves it as an integer in the last bits
  static constexpr double kLeast = -708, kMost = 709;  // powers of e in between have all their digits
  static constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
};

template <>
struct Of<float> {
  static constexpr Size kCount = 2 * kLanes;
  typedef float V __attribute__((vector_size(8 * kLanes)));
  typedef float Loose __attribute__((vector_size(8 * kLanes), aligned(4), may_alias));
  typedef float Four __attribute__((vector_size(16)));
  typedef int Ints __attribute__((vector_size(8 * kLanes)));
  using Int = int;
  static constexpr int kMantissa = 23, kBias = 127, kExpTerms = 8, kLogTerms = 5;
  static constexpr float kRound = 0x1.8p23F;
  static constexpr float kLeast = -87, kMost = 88;
  static constexpr float kLn2High = 0x1.62ep-1F, kLn2Low = 0x1.0bfbe8p-15F;
};

template <class T>
using Lanes = typename Of<T>::V;

template <class T>
inline Lanes<T> load(const T* p) {
  return *reinterpret_cast<const typename Of<T>::Loose*>(p);
}
template <class T>
inline void store(T* p, const Lanes<T>& v) {
  *reinterpret_cast<typename Of<T>::Loose*>(p) = v;
}
template <class T>
inline Lanes<T> all(T value) {
  return value - Lanes<T>{};
}

inline Lanes<float> fused(const Lanes<float>& x, const Lanes<float>& y, const Lanes<float>& z) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(x, y, z);
#elif defined(__FMA__)
  return _mm256_fmadd_ps(x, y, z);
#elif defined(__aarch64__)
  return vfmaq_f32(z, x, y);
#else
  return x * y + z;
#endif
}

// The first `count` lanes of v, zeros after them.
template <class T>
inline Lanes<T> first_lanes(const Lanes<T>& v, Size count) {
  typename Of<T>::Ints lane;
  for (Size l = 0; l < Of<T>::kCount; ++l) lane[l] = static_cast<typename Of<T>::Int>(l);
  return lane < static_cast<typename Of<T>::Int>(count) ? v : Lanes<T>{};
}

inline Lanes<double> root_of(const Lanes<double>& x) { return square_root(x); }
inline Lanes<float> root_of(const Lanes<float>& x) {
#if defined(__AVX512F__)
  return _mm512_maskz_sqrt_ps(0xffff, x);
#elif defined(__AVX__)
  return _mm256_sqrt_ps(x);
#elif defined(__x86_64__)
  return _mm_sqrt_ps(x);
#elif defined(__aarch64__)
  return vsqrtq_f32(x);
#else
  Lanes<float> root = x;
  for (Size l = 0; l < 2 * kLanes; ++l) root[l] = __builtin_sqrtf(x[l]);
  return root;
#endif
}

// The sums of four vectors, in halves of registers.
inline void sums_of_four(const Lanes<float>& a, const Lanes<float>& b, const Lanes<float>& c, const Lanes<float>& d,
                         float* out) {
  typedef Of<float>::Four Four;
  const auto folded = [](const Lanes<float>& v) -> Four {
#if defined(__AVX512F__)
    return (__builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7)) +
           (__builtin_shufflevector(v, v, 8, 9, 10, 11) + __builtin_shufflevector(v, v, 12, 13, 14, 15));
#elif defined(__AVX__)
    return __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
#else
    return v;
#endif
  };
  const Four fa = folded(a), fb = folded(b), fc = folded(c), fd = folded(d);
  const Four ab = __builtin_shufflevector(fa, fb, 0, 4, 1, 5) + __builtin_shufflevector(fa, fb, 2, 6, 3, 7);
  const Four cd = __builtin_shufflevector(fc, fd, 0, 4, 1, 5) + __builtin_shufflevector(fc, fd, 2, 6, 3, 7);
  const Four sums = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  for (Size k = 0; k < 4; ++k) out[k] = sums[k];
}
inline void sums_of_four(const Lanes<double>& a, const Lanes<double>& b, const Lanes<double>& c, const Lanes<double>& d,
                         double* out) {
  out[0] = sum(a), out[1] = sum(b), out[2] = sum(c), out[3] = sum(d);
}

template <class T>
inline T sum_of(const Lanes<T>& v) {
  T four[4];
  sums_of_four(v, v, v, v, four);
  return four[0];
}

// e^x = 2^k Σ r^n / n!  with |r| ≤ ln 2 / 2; x outside of [kLeast, kMost] counts as the nearer end.
template <class T>
inline Lanes<T> exp_of(const Lanes<T>& x) {
  using L = Of<T>;
  constexpr T kLog2E = static_cast<T>(0x1.71547652b82fep+0);
  Lanes<T> t = x < L::kLeast ? all<T>(L::kLeast) : x;
  t = t > L::kMost ? all<T>(L::kMost) : t;
  const Lanes<T> rounded = fused(t, all<T>(kLog2E), all<T>(L::kRound));
  const Lanes<T> k = rounded - L::kRound;
  const Lanes<T> r = fused(k, all<T>(-L::kLn2Low), fused(k, all<T>(-L::kLn2High), t));
  constexpr double kFactorials[14] = {
      1, 1, 2, 6, 24, 120, 720, 5'040.0, 40'320.0, 362'880.0, 3'628'800., 39'916'800., 479'001'600.0, 6'227'020'800.0};
  Lanes<T> sum = all<T>(static_cast<T>(1 / kFactorials[L::kExpTerms - 1]));
#pragma GCC unroll 16
  for (int n = L::kExpTerms - 2; n >= 0; --n) sum = fused(sum, r, all<T>(static_cast<T>(1 / kFactorials[n])));
  const typename L::Ints power = (__builtin_bit_cast(typename L::Ints, rounded) + L::kBias) << L::kMantissa;
  return sum * __builtin_bit_cast(Lanes<T>, power);
}

// Σ_{n = first} square^(n − first) / (2n + 1), as far as the numbers of T need it.
template <class T>
inline Lanes<T> odd_series(const Lanes<T>& square, int first) {
  Lanes<T> sum = all<T>(static_cast<T>(1.0 / (2 * Of<T>::kLogTerms + 1)));
#pragma GCC unroll 16
  for (int n = Of<T>::kLogTerms - 1; n >= first; --n)
    sum = fused(sum, square, all<T>(static_cast<T>(1.0 / (2 * n + 1))));
  return sum;
}

// log(2^k m) = k ln 2 + 2 Σ s^(2n+1) / (2n + 1)  with s = (m − 1) / (m + 1) and √½ ≤ m < √2; x is normal and positive.
template <class T>
inline Lanes<T> log_of(const Lanes<T>& x) {
  using L = Of<T>;
  using Int = typename L::Int;
  constexpr Int kHalfRoot = __builtin_bit_cast(Int, static_cast<T>(0.70710678118654752));
  const typename L::Ints bits = __builtin_bit_cast(typename L::Ints, x);
  const typename L::Ints exponent = (bits - kHalfRoot) >> L::kMantissa;
  const Lanes<T> m = __builtin_bit_cast(Lanes<T>, bits - (exponent << L::kMantissa));
  const Lanes<T> k = __builtin_convertvector(exponent, Lanes<T>);
  const Lanes<T> s = (m - 1) / (m + 1), square = s * s;
  const Lanes<T> rest = fused(k, all<T>(L::kLn2Low), 2 * s * (square * odd_series<T>(square, 1)));
  return fused(k, all<T>(L::kLn2High), 2 * s + rest);
}

// log(1 + u) for 0 ≤ u ≤ 1, as log c + 2 Σ s^(2n+1) / (2n + 1)  with s = (1 + u − c) / (1 + u + c), c = 1 or 2.
template <class T>
inline Lanes<T> log_of_one_plus(const Lanes<T>& u) {
  constexpr T kBorder = static_cast<T>(0.41421356237309503);  // √2 − 1, where |s| is the same for both
  const Lanes<T> s = u < kBorder ? u / (u + 2) : (u - 1) / (u + 3);
  const Lanes<T> log_c = u < kBorder ? Lanes<T>{} : all<T>(static_cast<T>(0x1.62e42fefa39efp-1));
  return fused(2 * s, odd_series<T>(s * s, 0), log_c);
}

template <class T>
inline Lanes<T> sigmoid_of(const Lanes<T>& x) {
  return 1 / (1 + exp_of<T>(-x));
}

// Near 0 by the ratio of polynomials of Cephes, farther out by e^{−2|x|}.
template <class T>
inline Lanes<T> tanh_of(const Lanes<T>& x) {
  const Lanes<T> square = x * x;
  const auto c = [](double value) { return all<T>(static_cast<T>(value)); };
  const Lanes<T> over = fused(fused(c(-9.64399179425052238628e-1), square, c(-9.92877231001918586564e1)), square,
                              c(-1.61468768441708447952e3));
  const Lanes<T> under = fused(fused(square + c(1.12811678491632931402e2), square, c(2.23548839060100448583e3)), square,
                               c(4.84406305325125486048e3));
  const Lanes<T> magnitude = x < 0 ? -x : x;
  const Lanes<T> u = exp_of<T>(-2 * magnitude), far = (1 - u) / (1 + u);
  return magnitude < c(0.625) ? fused(x * square, over / under, x) : (x < 0 ? -far : far);
}

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
