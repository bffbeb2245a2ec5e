#include "debias/auc.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "metrics_by_pairs.h"
#include "random_data.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Random;

struct Scored {
  VectorXd scores, y, weights;
};

Scored scored(Random& random, Index n, bool ties, bool weighted) {
  Scored out{VectorXd(n), VectorXd(n), VectorXd(weighted ? n : 0)};
  for (Index i = 0; i < n; ++i) {
    out.y[i] = i < 2 ? static_cast<double>(i) : random.uniform(0, 1) < 0.3 ? 1.0 : 0.0;
    out.scores[i] = random.normal() + out.y[i];
    if (ties) out.scores[i] = std::round(2 * out.scores[i]);
    if (weighted) out.weights[i] = static_cast<double>(random.integer(0, 3)) + (i < 2 ? 1 : 0);
  }
  return out;
}

TEST(FoldedAuc, IsTheShareOfPairsInTheRightOrder) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const Scored rows = scored(random, random.integer(5, 60), seed % 2 == 0, seed % 3 == 0);
    FoldedAuc auc;
    auc.add_fold(rows.scores, rows.y, rows.weights);
    EXPECT_NEAR(auc.value(), testing::auc_by_pairs(rows.scores, rows.y, rows.weights).value, 1e-12) << seed;
  }
}

TEST(FoldedAuc, HasDeLongsVariance) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Scored rows = scored(random, 400, seed % 2 == 0, seed % 3 == 0);
    FoldedAuc auc;
    auc.add_fold(rows.scores, rows.y, rows.weights);
    const testing::Auc expected = testing::auc_by_pairs(rows.scores, rows.y, rows.weights);
    const FoldedAuc::Interval interval = auc.interval();
    const auto log_odds = [](double p) { return std::log(p / (1 - p)); };
    const double half = (log_odds(interval.high) - log_odds(interval.low)) / 2;
    const double root = half / 1.959963984540054 * expected.value * (1 - expected.value);
    const double z = (expected.value - 0.5) / (4 * std::sqrt(expected.variance));
    EXPECT_NEAR(root, std::sqrt(expected.variance * (1 + 1 / (1 + std::pow(z, 4)))), 1e-9) << seed;
    EXPECT_NEAR((log_odds(interval.high) + log_odds(interval.low)) / 2, log_odds(expected.value), 1e-9) << seed;
  }
}

TEST(FoldedAuc, WholeWeightsAreRepeatedRows) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Scored rows = scored(random, 50, true, true);
    std::vector<double> scores, y;
    for (Index i = 0; i < rows.y.size(); ++i)
      for (int k = 0; k < static_cast<int>(rows.weights[i]); ++k) {
        scores.push_back(rows.scores[i]);
        y.push_back(rows.y[i]);
      }
    FoldedAuc weighted, repeated;
    weighted.add_fold(rows.scores, rows.y, rows.weights);
    const auto count = static_cast<Index>(y.size());
    repeated.add_fold(VectorXd::Map(scores.data(), count), VectorXd::Map(y.data(), count), {});
    EXPECT_NEAR(weighted.value(), repeated.value(), 1e-12) << seed;
  }
}

TEST(FoldedAuc, ComparesRowsOfOneFoldOnly) {
  Random random(1);
  FoldedAuc apart, shifted;
  for (int fold = 0; fold < 5; ++fold) {
    Scored rows = scored(random, 80, false, false);
    apart.add_fold(rows.scores, rows.y, rows.weights);
    rows.scores.array() += 100.0 * fold;
    shifted.add_fold(rows.scores, rows.y, rows.weights);
  }
  EXPECT_EQ(apart.value(), shifted.value());
  EXPECT_EQ(apart.interval().low, shifted.interval().low);
}

TEST(FoldedAuc, IsNeverCertain) {
  for (const Index ones : {20, 100, 1000}) {
    VectorXd y = VectorXd::Zero(2000);
    y.head(ones).setOnes();
    FoldedAuc perfect, opposite;
    perfect.add_fold(y, y, {});
    opposite.add_fold(-y, y, {});
    EXPECT_EQ(perfect.value(), 1);
    EXPECT_EQ(perfect.interval().high, 1);
    EXPECT_LT(perfect.interval().low, 1);
    EXPECT_NEAR(opposite.interval().high, 1 - perfect.interval().low, 1e-9);
    // A chance of missing each of the rarer rows of that size would leave none missed with probability .025 or so.
    EXPECT_NEAR(std::log(perfect.interval().low) * static_cast<double>(ones), -2.5, 1.5) << ones;
  }
}

TEST(FoldedAuc, WithoutBothValuesKnowsNothing) {
  FoldedAuc none;
  none.add_fold(VectorXd::LinSpaced(10, 0, 1), VectorXd::Ones(10), {});
  EXPECT_EQ(none.value(), 0.5);
  EXPECT_EQ(none.interval().low, 0);
  EXPECT_EQ(none.interval().high, 1);
}

}  // namespace
}  // namespace plumbline
