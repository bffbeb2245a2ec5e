#include "plumbline/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::span_of;
using testing::VectorXd;

// Numbers and one-hot columns of a random table of sensitive columns.
MatrixXd sensitive_columns(Random& random, Index rows, Index numbers, Index levels) {
  MatrixXd out(rows, numbers + levels);
  out.leftCols(numbers) = random.matrix(rows, numbers);
  if (levels > 0) out.rightCols(levels) = random.one_hot(rows, levels);
  return out;
}

MatrixXd sensitive_of(unsigned seed) {
  Random random(seed);
  const Index numbers = random.integer(0, 3);
  return sensitive_columns(random, random.integer(40, 400), numbers, random.integer(numbers == 0 ? 2 : 0, 5));
}

TEST(Partition, IsOfUnity) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const MatrixXd b = sensitive_of(seed);
    const Partition partition = Partition::fit(b, {.least_rows = 5});
    Random random(seed + 1000);
    MatrixXd later = 3 * random.matrix(50, b.cols());  // unseen patterns and far numbers too
    for (const MatrixXd& rows : {b, later}) {
      const MatrixXd w = partition.matrix(rows);
      EXPECT_EQ(w.cols(), partition.regions());
      EXPECT_GE(w.minCoeff(), 0);
      EXPECT_LT((w.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
    }
    EXPECT_LT((partition.matrix(b).colwise().sum().transpose() - partition.rows()).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(Partition, NeverMixesLevelsThatHaveRowsEnough) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Index n = 400, levels = random.integer(2, 4);
    const MatrixXd b = sensitive_columns(random, n, random.integer(0, 2), levels);
    const MatrixXd w = Partition::fit(b, {.least_rows = 5}).matrix(b);
    const MatrixXd of_levels = w.transpose() * b.rightCols(levels);
    for (Index k = 0; k < w.cols(); ++k) EXPECT_EQ((of_levels.row(k).array() > 0).count(), 1) << seed;
  }
}

TEST(Partition, OfOneNumberIsHatsBetweenQuantiles) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Index n = random.integer(200, 600);
    const MatrixXd b = random.matrix(n, 1);
    const int regions = static_cast<int>(random.integer(3, 6));
    const Partition partition = Partition::fit(b, {.regions = regions});
    ASSERT_EQ(partition.regions(), regions);
    std::vector<double> sorted(b.data(), b.data() + n);
    std::sort(sorted.begin(), sorted.end());
    // At the ends, a hat is one and held; a number is the sum of the knots by their weights in between.
    MatrixXd ends(2, 1);
    ends << sorted.front() - 1, sorted.back() + 1;
    const MatrixXd w = partition.matrix(ends);
    EXPECT_EQ(w(0, 0), 1);
    EXPECT_EQ(w(1, regions - 1), 1);
    VectorXd knots(regions);
    knots[0] = sorted.front();
    for (int k = 1; k < regions; ++k)
      knots[k] =
          sorted[static_cast<std::size_t>(std::ceil(static_cast<double>(n) * (k / (regions - 1.0)) * (1 - 1e-12))) - 1];
    EXPECT_LT((partition.matrix(b) * knots - b).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(Partition, OfSeveralNumbersIsSharedByDistance) {
  Random random(3);
  const MatrixXd b = random.matrix(900, 3);
  const Partition partition = Partition::fit(b, {.regions = 9});
  EXPECT_EQ(partition.regions(), 9);
  // Every region is the nearest of some rows, and no region has nearly all.
  const MatrixXd w = partition.matrix(b);
  std::vector<Index> nearest(9);
  for (Index i = 0; i < w.rows(); ++i) {
    Index at = 0;
    w.row(i).maxCoeff(&at);
    ++nearest[static_cast<std::size_t>(at)];
  }
  EXPECT_GE(*std::min_element(nearest.begin(), nearest.end()), 30);
  EXPECT_LE(*std::max_element(nearest.begin(), nearest.end()), 300);
}

TEST(Partition, WholeWeightsAreRepeatedRows) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const MatrixXd b = sensitive_of(seed);
    Random random(seed + 500);
    VectorXd weights(b.rows());
    for (Index i = 0; i < b.rows(); ++i) weights[i] = static_cast<double>(random.integer(0, 3));
    MatrixXd repeated(static_cast<Index>(weights.sum()), b.cols());
    Index at = 0;
    for (Index i = 0; i < b.rows(); ++i)
      for (int k = 0; k < weights[i]; ++k) repeated.row(at++) = b.row(i);
    const PartitionOptions options{.least_rows = 8};
    const MatrixXd one = Partition::fit(b, options, span_of(weights)).matrix(b);
    const MatrixXd other = Partition::fit(repeated, options).matrix(b);
    ASSERT_EQ(one.cols(), other.cols()) << seed;
    EXPECT_LT((one - other).cwiseAbs().maxCoeff(), 1e-9) << seed;
  }
}

TEST(Partition, ReadsBackExactly) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Partition partition = Partition::fit(sensitive_of(seed));
    EXPECT_EQ(Partition::from_json(partition.to_json()), partition);
  }
}

TEST(Partition, PutsStrataOfFewRowsTogether) {
  MatrixXd b = MatrixXd::Zero(100, 4);
  for (Index i = 0; i < 100; ++i) b(i, i < 60 ? 0 : i < 90 ? 1 : i < 95 ? 2 : 3) = 1;
  const Partition partition = Partition::fit(b, {.least_rows = 10});
  EXPECT_EQ(partition.regions(), 3);
  std::multiset<double> rows(partition.rows().begin(), partition.rows().end());
  EXPECT_EQ(rows, (std::multiset<double>{10, 30, 60}));
}

TEST(Partition, BearsWhatIsConstantTiedOrTiny) {
  EXPECT_EQ(Partition::fit(MatrixXd(MatrixXd::Constant(10, 2, 7.0))).regions(), 1);
  EXPECT_EQ(Partition::fit(MatrixXd(MatrixXd::Random(1, 3))).regions(), 1);
  MatrixXd tied(300, 1);  // most quantiles are one value
  for (Index i = 0; i < 300; ++i) tied(i, 0) = i < 280 ? 0.0 : static_cast<double>(i % 5);
  const MatrixXd w = Partition::fit(tied, {.regions = 6}).matrix(tied);
  EXPECT_LT((w.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
}

TEST(Partition, RefusesWhatItCannotUse) {
  MatrixXd b = MatrixXd::Random(50, 2);
  EXPECT_THROW(Partition::fit(MatrixXd(50, 0)), Error);
  EXPECT_THROW(Partition::fit(b, {.regions = 1}), Error);
  EXPECT_THROW(Partition::fit(b, {.least_rows = 0}), Error);
  EXPECT_THROW(Partition::fit(b).matrix(MatrixXd(MatrixXd::Random(5, 3))), Error);
  EXPECT_THROW(Partition::fit(b, {}, span_of(VectorXd::Zero(50))), Error);
  const std::string text = Partition::fit(b).to_json();
  EXPECT_THROW(Partition::from_json(text.substr(0, text.size() / 2)), Error);
  b(7, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Partition::fit(b), Error);
}

}  // namespace
}  // namespace plumbline
