#include "base/chi_square.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace plumbline {
namespace {

constexpr int kMostSteps = 1'000'000;
constexpr double kSmall = std::numeric_limits<double>::epsilon() / 4;

// Stirling's series; std::lgamma writes a global variable.
double log_gamma(double a) {
  double below = 0;
  for (; a < 16; a += 1) below += std::log(a);
  const double r = 1 / a, s = r * r;
  const double series = r * (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s / 1680)));
  return (a - 0.5) * std::log(a) - a + 0.5 * std::log(2 * std::numbers::pi) + series - below;
}

// P(a, x) over its factor.
double lower_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (int i = 1; i < kMostSteps && term > kSmall * sum; ++i) sum += term *= x / (a + i);
  return sum;
}

// Q(a, x) over its factor, by Lentz's method.
double upper_fraction(double a, double x) {
  double b = x + 1 - a, c = 1 / std::numeric_limits<double>::min(), d = 1 / b, value = d;
  for (int i = 1; i < kMostSteps; ++i) {
    const double an = i * (a - i);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    const double step = c * d;
    value *= step;
    if (std::abs(step - 1) <= kSmall) break;
  }
  return value;
}

}  // namespace

double chi_square_tail(double x, double degrees) {
  if (!(x > 0)) return 1;
  const double a = degrees / 2, y = x / 2;
  const double factor = std::exp(a * std::log(y) - y - log_gamma(a));
  return std::clamp(y < a + 1 ? 1 - factor * lower_series(a, y) : factor * upper_fraction(a, y), 0.0, 1.0);
}

double draw_chi_square(RandomStream& draws, double degrees) {
  const double shape = degrees / 2;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  double gamma = 0;
  do {
    double x = 0, root = 0;
    do {
      x = draws.normal();
      root = 1 + c * x;
    } while (root <= 0);
    const double v = root * root * root;
    if (portable_log(draws.uniform()) < x * x / 2 + d * (1 - v + portable_log(v))) gamma = d * v;
  } while (gamma == 0);
  if (shape < 1) gamma *= portable_exp(portable_log(draws.uniform()) / shape);
  return 2 * gamma;
}

}  // namespace plumbline
