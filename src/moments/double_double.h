// Numbers of 106 bits as an unevaluated sum hi + lo, |lo| ≤ ulp(hi) / 2 (Dekker; Knuth's two-sum).
//
// Statistics of blocks are folded in this precision, so the order in which blocks are merged is rounded away when
// the result is read as a double.
#pragma once

#include <cmath>

namespace plumbline {

struct DoubleDouble {
  double hi = 0;
  double lo = 0;
};

inline DoubleDouble quick_two_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}

inline DoubleDouble two_sum(double a, double b) {
  const double s = a + b;
  const double t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

inline DoubleDouble two_product(double a, double b) {
  const double p = a * b;
  return {p, std::fma(a, b, -p)};
}

inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble s = two_sum(a.hi, b.hi);
  const DoubleDouble t = two_sum(a.lo, b.lo);
  const DoubleDouble u = quick_two_sum(s.hi, s.lo + t.hi);
  return quick_two_sum(u.hi, u.lo + t.lo);
}

inline DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }
inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = two_product(a.hi, b.hi);
  return quick_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.hi / b.hi;
  const DoubleDouble rest = a - b * DoubleDouble{first, 0};
  const double second = rest.hi / b.hi;
  const DoubleDouble last = rest - b * DoubleDouble{second, 0};
  return quick_two_sum(first, second) + DoubleDouble{last.hi / b.hi, 0};
}

}  // namespace plumbline
