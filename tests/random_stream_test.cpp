#include "base/random_stream.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "message_of.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::message_of;
using testing::Random;

constexpr double kUlp = std::numeric_limits<double>::epsilon();

std::vector<double> uniforms(std::uint64_t seed, int draws, std::int64_t first, std::int64_t rows) {
  RandomStream stream(seed, draws, first);
  std::vector<double> out(static_cast<std::size_t>(rows * draws));
  for (double& u : out) u = stream.uniform();
  return out;
}

TEST(RandomStream, ARowHasTheSameDrawsWhereverTheStreamStarts) {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    const auto seed = static_cast<std::uint64_t>(random.integer(0, 1000));
    const auto draws = static_cast<int>(random.integer(1, 12));
    const std::int64_t first = random.integer(0, 5000), skipped = random.integer(0, 3000);
    const std::vector<double> whole = uniforms(seed, draws, first, skipped + 10);
    const std::vector<double> part = uniforms(seed, draws, first + skipped, 10);
    EXPECT_EQ(part, std::vector<double>(whole.end() - static_cast<std::ptrdiff_t>(part.size()), whole.end()));
  }
}

TEST(RandomStream, SeedsAndBlocksHaveStreamsOfTheirOwn) {
  const std::vector<double> here = uniforms(1, 1, 0, 1000);
  for (const auto& there : {uniforms(2, 1, 0, 1000), uniforms(1, 1, 1024, 1000), uniforms(0, 1, 1024, 1000)}) {
    double product = 0;
    for (std::size_t i = 0; i < here.size(); ++i) product += 12 * (here[i] - 0.5) * (there[i] - 0.5);
    EXPECT_LT(std::abs(product), 5 * std::sqrt(1000.0));  // the sum of 1000 independent products of variance 1
  }
}

TEST(RandomStream, UniformsFallEvenlyAndNeverOnTheEnds) {
  constexpr int kBins = 100, kDraws = 200000;
  std::array<double, kBins> count = {};
  for (const double u : uniforms(3, 1, 0, kDraws)) {
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    ++count[static_cast<std::size_t>(u * kBins)];
  }
  double chi_square = 0;
  for (const double c : count) chi_square += std::pow(c - kDraws / kBins, 2) / (kDraws / kBins);
  EXPECT_LT(std::abs(chi_square - (kBins - 1)), 5 * std::sqrt(2.0 * (kBins - 1)));
}

// Φ(Φ⁻¹(p)) = p in the middle and in both tails. A relative error δ of z moves p by z φ(z) δ.
TEST(RandomStream, QuantilesInvertTheNormalDistribution) {
  Random random(4);
  for (int round = 0; round < 20000; ++round) {
    const double p = round % 2 == 0 ? random.uniform(0, 1) : std::exp2(random.uniform(-53, -1));
    const double z = normal_quantile(p);
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * M_PI);
    EXPECT_NEAR(0.5 * std::erfc(-z / std::sqrt(2)), p, 10 * kUlp * (p + std::abs(z) * density)) << p;
    if (1 - (1 - p) == p) {
      EXPECT_EQ(normal_quantile(1 - p), -z);
    }
  }
}

TEST(RandomStream, ExponentialAndLogarithmAreThoseOfTheLibrary) {
  Random random(5);
  for (int round = 0; round < 20000; ++round) {
    const double x = random.uniform(-700, 700) * (round % 2 == 0 ? 1 : 1e-3);
    EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 2 * kUlp) << x;
    const double y = std::exp2(random.uniform(-1000, 1000) * (round % 2 == 0 ? 1 : 1e-3));
    EXPECT_NEAR(portable_log(y), std::log(y), 2 * kUlp * std::abs(std::log(y))) << y;
  }
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-1e300), 0);
  EXPECT_EQ(portable_exp(1e300), std::numeric_limits<double>::infinity());
  EXPECT_EQ(portable_log(1), 0);
}

TEST(RandomStream, RefusesRowsThatCannotBe) {
  EXPECT_NE(message_of([] { RandomStream(0, 1, -1); }).find("-1"), std::string::npos);
  EXPECT_NE(message_of([] { RandomStream(0, 0, 0); }).find("draws_per_row is 0"), std::string::npos);
  EXPECT_NE(message_of([] { check_rows(0, -2); }).find("-2"), std::string::npos);
  EXPECT_NE(message_of([] { check_rows(std::numeric_limits<std::int64_t>::max(), 1); }), "");
  EXPECT_EQ(message_of([] { check_rows(std::numeric_limits<std::int64_t>::max(), 0); }), "");
}

}  // namespace
}  // namespace plumbline
