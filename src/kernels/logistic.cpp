#include "kernels/tile_kernels.h"
#include "kernels/vectors.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {
namespace {

typedef long long IntVec __attribute__((vector_size(8 * kLanes)));

constexpr double kLog2E = 0x1.71547652b82fep+0;
constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kLn2High = 0x1.62e42feep-1;  // its product with an exponent is exact
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kRound = 0x1.8p52;  // added to a number of few digits, leaves it as an integer in the last bits
constexpr double kLeast = -708;      // e to it is the smallest power that has all its digits

constexpr int kExpTerms = 14;
constexpr double kInverseFactorial[kExpTerms] = {1.0,
                                                 1.0,
                                                 1.0 / 2,
                                                 1.0 / 6,
                                                 1.0 / 24,
                                                 1.0 / 120,
                                                 1.0 / 720,
                                                 1.0 / 5'040,
                                                 1.0 / 40'320,
                                                 1.0 / 362'880,
                                                 1.0 / 3'628'800,
                                                 1.0 / 39'916'800,
                                                 1.0 / 479'001'600,
                                                 1.0 / 6'227'020'800};

// e^x for x ≤ 0, as 2^k Σ r^n / n!  with |r| ≤ ln 2 / 2.
inline Vec exp_of(const Vec& x) {
  const Vec t = x < kLeast ? Vec{} + kLeast : x;
  const Vec rounded = t * kLog2E + kRound;
  const Vec k = rounded - kRound;
  const Vec r = (t - k * kLn2High) - k * kLn2Low;
  Vec sum = Vec{} + kInverseFactorial[kExpTerms - 1];
#pragma GCC unroll 16
  for (int n = kExpTerms - 2; n >= 0; --n) sum = sum * r + kInverseFactorial[n];
  const IntVec power = (__builtin_bit_cast(IntVec, rounded) + 1023) << 52;
  return sum * __builtin_bit_cast(Vec, power);
}

// log(1 + u) for 0 ≤ u ≤ 1, as log c + 2 Σ s^(2n+1) / (2n + 1)  with s = (1 + u − c) / (1 + u + c), c = 1 or 2.
inline Vec log_of_one_plus(const Vec& u) {
  constexpr double kBorder = 0.41421356237309503;  // √2 − 1, where |s| is the same for both
  const Vec s = u < kBorder ? u / (u + 2) : (u - 1) / (u + 3);
  const Vec square = s * s;
  Vec sum = Vec{} + 1.0 / 23;
#pragma GCC unroll 16
  for (int n = 10; n >= 0; --n) sum = sum * square + 1.0 / (2 * n + 1);
  return (u < kBorder ? Vec{} : Vec{} + kLn2) + 2 * s * sum;
}

}  // namespace

// With u = e^{−|η|} the smaller of p and 1 − p is u / (1 + u) and log(1 + e^η) = max(η, 0) + log(1 + u): nothing is
// lost in a difference from 1, however far out η lies.
double logistic(const double* eta, const double* y, const double* weights, Size rows, double* residual, double* root) {
  Vec total = {};
  for (Size r = 0; r < padded(rows); r += kLanes) {
    const Vec e = load_vector(eta + r), outcome = load_vector(y + r), weight = load_vector(weights + r);
    const Vec u = exp_of(e < 0 ? e : -e);
    const Vec larger = 1 / (1 + u), smaller_one = u * larger;
    const Vec p = e < 0 ? smaller_one : larger, q = e < 0 ? larger : smaller_one;
    store_vector(residual + r, weight * (outcome * q - (1 - outcome) * p));
    store_vector(root + r, square_root(weight * (p * q)));
    total += weight * ((outcome * e - (e < 0 ? Vec{} : e)) - log_of_one_plus(u));
  }
  return sum(total);
}

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
