#include "base/random_stream.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr std::uint64_t kRowsPerBlock = 1024;
constexpr double kLn2High = 0x1.62e42feep-1;  // its product with an exponent is exact
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kLog2E = 0x1.71547652b82fep+0;

// Highest power first.
template <std::size_t Count>
double polynomial(const std::array<double, Count>& coefficients, double x) {
  double sum = coefficients[0];
  for (std::size_t i = 1; i < Count; ++i) sum = sum * x + coefficients[i];
  return sum;
}

// Of normal_quantile: numerators and denominators in the middle, in the tails and far out.
constexpr std::array<double, 8> kMiddleOver = {
    2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4, 4.5921953931549871457e+4,
    1.3731693765509461125e+4, 1.9715909503065514427e+3, 1.3314166789178437745e+2, 3.3871328727963666080e+0};
constexpr std::array<double, 8> kMiddleUnder = {
    5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4, 2.1213794301586595867e+4,
    5.3941960214247511077e+3, 6.8718700749205790830e+2, 4.2313330701600911252e+1, 1.0};
constexpr std::array<double, 8> kTailOver = {
    7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e+0,
    3.64784832476320460504e+0, 5.76949722146069140550e+0, 4.63033784615654529590e+0, 1.42343711074968357734e+0};
constexpr std::array<double, 8> kTailUnder = {
    1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
    6.89767334985100004550e-1, 1.67638483018380384940e+0, 2.05319162663775882187e+0, 1.0};
constexpr std::array<double, 8> kFarOver = {
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
    2.96560571828504891230e-1, 1.78482653991729133580e+0, 5.46378491116411436990e+0, 6.65790464350110377720e+0};
constexpr std::array<double, 8> kFarUnder = {
    2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
    1.48753612908506148525e-2,  1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0};

// Of portable_exp: 1 / n!, n = 13 … 0.
constexpr std::array<double, 14> kExp = [] {
  std::array<double, 14> out;
  double factorial = 1;
  for (std::size_t n = 0; n < 14; ++n) {
    out[13 - n] = 1 / factorial;
    factorial *= static_cast<double>(n + 1);
  }
  return out;
}();

// Of portable_log: 1 / (2n + 1), n = 11 … 1.
constexpr std::array<double, 11> kLog = [] {
  std::array<double, 11> out;
  for (std::size_t n = 1; n <= 11; ++n) out[11 - n] = 1 / static_cast<double>(2 * n + 1);
  return out;
}();

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, int draws_per_row, std::int64_t row) : seed_(seed) {
  if (draws_per_row < 1) throw Error(fmt::format("draws_per_row is {}; it must be at least 1", draws_per_row));
  if (row < 0) throw Error(fmt::format("the first row is {}; it must be at least 0", row));
  draws_per_block_ = kRowsPerBlock * static_cast<std::uint64_t>(draws_per_row);
  block_ = static_cast<std::uint64_t>(row) / kRowsPerBlock;
  const std::uint64_t skipped =
      static_cast<std::uint64_t>(row) % kRowsPerBlock * static_cast<std::uint64_t>(draws_per_row);
  start_block();
  engine_.discard(skipped);
  left_ -= skipped;
}

void RandomStream::start_block() {
  engine_.seed(mix(mix(seed_) + block_));
  left_ = draws_per_block_;
}

double RandomStream::uniform() {
  if (left_ == 0) {
    ++block_;
    start_block();
  }
  --left_;
  return (static_cast<double>(engine_() >> 12) + 0.5) * 0x1p-52;
}

double RandomStream::normal() { return normal_quantile(uniform()); }

void check_rows(std::int64_t first, std::int64_t count) {
  if (first < 0) throw Error(fmt::format("the first row is {}; it must be at least 0", first));
  if (count < 0) throw Error(fmt::format("the number of rows is {}; it must be at least 0", count));
  if (first > std::numeric_limits<std::int64_t>::max() - count)
    throw Error(fmt::format("{} rows from row {} on are more than 64 bits can count", count, first));
}

// Wichura's algorithm AS 241 (1988): a ratio of polynomials in the middle and one in each of two parts of the tails.
double normal_quantile(double p) {
  const double centred = p - 0.5;
  if (std::abs(centred) <= 0.425) {
    const double r = 0.180625 - centred * centred;
    return centred * polynomial(kMiddleOver, r) / polynomial(kMiddleUnder, r);
  }
  const double r = std::sqrt(-portable_log(centred < 0 ? p : 1 - p));
  const double z = r <= 5 ? polynomial(kTailOver, r - 1.6) / polynomial(kTailUnder, r - 1.6)
                          : polynomial(kFarOver, r - 5) / polynomial(kFarUnder, r - 5);
  return centred < 0 ? -z : z;
}

// exp(x) = 2^k Σ r^n / n!  with |r| ≤ ln 2 / 2.
double portable_exp(double x) {
  if (x > 710) return std::numeric_limits<double>::infinity();
  if (x < -746) return 0;
  const double k = std::floor(x * kLog2E + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  return std::ldexp(polynomial(kExp, r), static_cast<int>(k));
}

// log(2^k m) = k ln 2 + 2 Σ s^(2n+1) / (2n + 1)  with s = (m − 1) / (m + 1) and √½ ≤ m < √2.
double portable_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1), square = s * s, k = exponent;
  const double sum = square * polynomial(kLog, square);
  return k * kLn2High + (2 * s + (2 * s * sum + k * kLn2Low));
}

}  // namespace plumbline
