// Random numbers, of generated tables above all: the same bits for the same seed on every platform, compiler and
// standard library, and for every way to cut a table into blocks of rows.
//
// Row i takes draws_per_row draws. The rows 1024 k … 1024 k + 1023 are drawn in turn from an mt19937_64, whose output
// the C++ standard fixes, seeded with a hash of (seed, k). A draw x of 64 bits becomes
//
//   uniform   u = (⌊x / 2^12⌋ + ½) / 2^52        never 0 or 1, and 1 − u is exact
//   normal    z = Φ⁻¹(u)                          |z| < 8.3; one draw for each, so that rows can be skipped
//
// std::normal_distribution, std::exp and std::log differ between libraries, so these are built from additions,
// products, quotients and square roots alone, which IEEE 754 rounds in one way only. Whatever computes with them is
// compiled without contraction to fused multiply-add (src/CMakeLists.txt) and not in a header.
//
// RandomStream throws Error when row is negative or draws_per_row below 1; check_rows when first or count is negative
// or their sum leaves 64 bits.
#pragma once

#include <cstdint>
#include <random>

namespace plumbline {

// The finaliser of SplitMix64: neighbouring inputs give unrelated outputs.
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

class RandomStream {
 public:
  // Stands before the first draw of that row.
  RandomStream(std::uint64_t seed, int draws_per_row, std::int64_t row);

  double uniform();
  double normal();

 private:
  void start_block();

  std::uint64_t seed_;
  std::uint64_t draws_per_block_;
  std::uint64_t block_;     // of the next draw
  std::uint64_t left_ = 0;  // draws of that block
  std::mt19937_64 engine_;
};

// The rows [first, first + count) of a generated table.
void check_rows(std::int64_t first, std::int64_t count);

double normal_quantile(double p);  // Φ⁻¹(p), 0 < p < 1, to a few units in the last place
double portable_exp(double x);     // finite x; to 2 units in the last place
double portable_log(double x);     // x > 0 and finite; to 2 units in the last place

}  // namespace plumbline
