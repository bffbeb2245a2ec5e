#include "tables/row_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random_stream.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::VectorXd;

SampledRows sampled_in_pieces(const MatrixXd& a, const MatrixXd& b, const VectorXd& weights, Index size,
                              Random& random) {
  RowSample sample(a.cols(), b.cols(), size);
  for (Index first = 0; first < a.rows();) {
    const Index count = std::min(random.integer(1, 700), a.rows() - first);
    const VectorXd part = weights.segment(first, count);
    sample.add(MatrixXd(a.middleRows(first, count)), MatrixXd(b.middleRows(first, count)), testing::span_of(part));
    first += count;
  }
  return sample.take();
}

TEST(RowSample, HoldsTheRowsOfTheLeastKeysInTheirOrderHoweverTheTableIsCut) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Index n = random.integer(1, 3000), size = random.integer(1, 2000);
    const MatrixXd a = random.matrix(n, random.integer(1, 4)), b = random.matrix(n, random.integer(1, 3));
    const VectorXd weights = random.matrix(n, 1).cwiseAbs();
    std::vector<std::pair<std::uint64_t, Index>> keys;
    for (Index i = 0; i < n; ++i) keys.emplace_back(mix(static_cast<std::uint64_t>(i)), i);
    std::sort(keys.begin(), keys.end());
    keys.resize(static_cast<std::size_t>(std::min(n, size)));
    std::vector<Index> rows;
    for (const auto& [key, row] : keys) rows.push_back(row);
    std::sort(rows.begin(), rows.end());

    const SampledRows found = sampled_in_pieces(a, b, weights, size, random);
    EXPECT_EQ(found.rows, n);
    EXPECT_EQ(found.a, MatrixXd(a(rows, Eigen::all)));
    EXPECT_EQ(found.b, MatrixXd(b(rows, Eigen::all)));
    ASSERT_EQ(found.weights.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(found.weights[i], weights[rows[i]]);
  }
}

// Where all rows come at once, cells that are not kept are not read; the sample is the same.
TEST(RowSample, OfManyRowsAtOnceIsThatOfTheirParts) {
  Random random(3);
  for (const Index rows : {1000, 5000, 40'000}) {
    const MatrixXd a = random.matrix(rows, 2), b = random.matrix(rows, 1);
    for (const Index size : {1, 20, 300}) {
      RowSample whole(2, 1, size), parts(2, 1, size);
      whole.add(a, b, {});
      for (Index first = 0; first < rows; first += 100)
        parts.add(MatrixXd(a.middleRows(first, 100)), MatrixXd(b.middleRows(first, 100)), {});
      const SampledRows one = whole.take(), other = parts.take();
      EXPECT_EQ(one.a, other.a);
      EXPECT_EQ(one.b, other.b);
      EXPECT_EQ(one.a.rows(), size);
    }
  }
}

// Of tables whose rows repeat a pattern, each place of the pattern has its share.
TEST(RowSample, IsFairToPatternsOfRows) {
  constexpr Index kRows = 200'000, kSize = 20'000;
  RowSample sample(1, 1, kSize);
  const VectorXd number = VectorXd::LinSpaced(kRows, 0, kRows - 1);
  sample.add(MatrixXd(number), MatrixXd(number), {});
  const SampledRows found = sample.take();
  ASSERT_EQ(found.a.rows(), kSize);
  EXPECT_TRUE(found.weights.empty());
  for (const Index period : {2, 3, 4, 7, 64, 1024}) {
    std::vector<double> count(static_cast<std::size_t>(period));
    for (const double row : found.a.col(0)) ++count[static_cast<std::size_t>(static_cast<Index>(row) % period)];
    double chi_squared = 0;
    const double expected = static_cast<double>(kSize) / static_cast<double>(period);
    for (const double c : count) chi_squared += (c - expected) * (c - expected) / expected;
    const double degrees = static_cast<double>(period - 1);
    EXPECT_LT(chi_squared, degrees + 5 * std::sqrt(2 * degrees) + 5) << "period " << period;
  }
}

}  // namespace
}  // namespace plumbline
