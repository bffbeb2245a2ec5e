// The laws of the metrics: definitions pair by pair, weights as repeated rows, intervals that cover.
#include <gtest/gtest.h>

#include "message_of.h"
#include "metrics/accuracy.h"
#include "metrics/bootstrap.h"
#include "metrics/counterfactual.h"
#include "random_people.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::permuted;
using testing::Random;
using testing::random_order;
using testing::VectorXd;

struct Scores {
  VectorXd p, y;
};

Scores random_scores(Random& random, Index most_rows = 200) {
  const Index n = random.integer(4, most_rows);
  Scores out{VectorXd(n), VectorXd(n)};
  const double digits = random.integer(0, 1) == 0 ? 10 : 1e15;  // few distinct scores, or hardly a tie
  for (Index i = 0; i < n; ++i) {
    out.p[i] = std::round(random.uniform(0, 1) * digits) / digits;
    out.y[i] = random.uniform(0, 1) < out.p[i] ? 1 : 0;
  }
  out.y[0] = 0;
  out.y[1] = 1;
  return out;
}

double auc_pair_by_pair(const Scores& s) {
  double won = 0, pairs = 0;
  for (Index i = 0; i < s.p.size(); ++i)
    for (Index j = 0; j < s.p.size(); ++j)
      if (s.y[i] == 1 && s.y[j] == 0) {
        won += s.p[i] > s.p[j] ? 1 : s.p[i] == s.p[j] ? 0.5 : 0;
        pairs += 1;
      }
  return won / pairs;
}

// Each row of y = 1 adds the precision at its own p.
double average_precision_row_by_row(const Scores& s) {
  double sum = 0;
  for (Index i = 0; i < s.p.size(); ++i) {
    if (s.y[i] == 0) continue;
    const auto predicted = (s.p.array() >= s.p[i]).cast<double>();
    sum += (predicted * s.y.array()).sum() / predicted.sum();
  }
  return sum / s.y.sum();
}

class MetricLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
};

TEST_P(MetricLaw, RankMetricsAreTheirDefinitions) {
  const Scores s = random_scores(random);
  EXPECT_NEAR(auc(s.p, s.y), auc_pair_by_pair(s), 1e-14);
  EXPECT_NEAR(average_precision(s.p, s.y), average_precision_row_by_row(s), 1e-13);
}

TEST_P(MetricLaw, AccuraciesAreTheirDefinitions) {
  const Scores s = random_scores(random);
  double soft = 0, hard = 0;
  for (Index i = 0; i < s.p.size(); ++i) {
    soft += s.y[i] == 1 ? s.p[i] : 1 - s.p[i];
    hard += (s.p[i] > 0.5) == (s.y[i] == 1) ? 1 : 0;
  }
  EXPECT_NEAR(soft_accuracy(s.p, s.y), soft / static_cast<double>(s.p.size()), 1e-14);
  EXPECT_NEAR(hard_accuracy(s.p, s.y), hard / static_cast<double>(s.p.size()), 1e-14);
}

TEST_P(MetricLaw, ReversingTheOutcomesReversesAuc) {
  const Scores s = random_scores(random);
  EXPECT_NEAR(auc(s.p, s.y) + auc(s.p, 1 - s.y.array()), 1, 1e-14);
  EXPECT_NEAR(auc(s.p, s.y), auc(s.p.array().exp(), s.y), 1e-14);
  EXPECT_EQ(auc(VectorXd::Constant(s.p.size(), 0.3), s.y), 0.5);
}

TEST_P(MetricLaw, WholeWeightsAreRepeatedRowsAndTheOrderDoesNotMatter) {
  const Scores s = random_scores(random);
  const MatrixXd predictions = random.matrix(s.p.size(), 4);
  VectorXd weights(s.p.size());
  std::vector<Index> rows;
  for (Index i = 0; i < s.p.size(); ++i) {
    weights[i] = static_cast<double>(random.integer(i < 2 ? 1 : 0, 3));
    rows.insert(rows.end(), static_cast<std::size_t>(weights[i]), i);
  }
  std::vector<Index> shuffled;
  for (const Index k : random_order(random, static_cast<Index>(rows.size())))
    shuffled.push_back(rows[static_cast<std::size_t>(k)]);
  const VectorXd p = permuted(s.p, shuffled), y = permuted(s.y, shuffled);
  EXPECT_NEAR(soft_accuracy(s.p, s.y, weights), soft_accuracy(p, y), 1e-13);
  EXPECT_NEAR(hard_accuracy(s.p, s.y, weights), hard_accuracy(p, y), 1e-13);
  EXPECT_NEAR(auc(s.p, s.y, weights), auc(p, y), 1e-13);
  EXPECT_NEAR(average_precision(s.p, s.y, weights), average_precision(p, y), 1e-13);
  EXPECT_NEAR(counterfactual_gap(predictions, weights), counterfactual_gap(permuted(predictions, shuffled)), 1e-13);
}

TEST_P(MetricLaw, TheGapIsTheLargestOverPairs) {
  const MatrixXd predictions = random.matrix(random.integer(1, 50), random.integer(1, 5));
  double largest = 0;
  for (Index g = 0; g < predictions.cols(); ++g)
    for (Index h = 0; h < predictions.cols(); ++h)
      largest = std::max(largest, predictions.col(g).mean() - predictions.col(h).mean());
  EXPECT_NEAR(counterfactual_gap(predictions), largest, 1e-15);
}

TEST_P(MetricLaw, ResamplesDrawAsManyRowsAsThereAre) {
  const Index n = random.integer(1, 400);
  VectorXd counts, sum = VectorXd::Zero(n);
  const int resamples = 300;
  for (int r = 0; r < resamples; ++r) {
    resample(n, GetParam(), r, counts);
    EXPECT_EQ(counts.sum(), static_cast<double>(n));
    EXPECT_GE(counts.minCoeff(), 0);
    sum += counts;
  }
  // Each row is drawn once a resample: mean 1, variance 1 − 1/n.
  const double error = 1 / std::sqrt(static_cast<double>(resamples));
  EXPECT_LE((sum.array() / resamples - 1).abs().maxCoeff(), 6 * error);
}

TEST_P(MetricLaw, IntervalsAreTheSameForAnyNumberOfThreads) {
  const Scores s = random_scores(random, 80);
  const Ranking ranking(s.p, s.y);
  const Statistics both = [&](const VectorXd& counts) {
    return VectorXd{{ranking.auc(counts), soft_accuracy(s.p, s.y, counts)}};
  };
  const auto one = bootstrap_intervals(s.p.size(), both, {.resamples = 200, .seed = GetParam(), .threads = 1});
  for (const int threads : {2, 5}) {
    const auto many = bootstrap_intervals(s.p.size(), both, {.resamples = 200, .seed = GetParam(), .threads = threads});
    for (std::size_t k = 0; k < 2; ++k) EXPECT_TRUE(one[k].low == many[k].low && one[k].high == many[k].high);
  }
  const auto other = bootstrap_intervals(s.p.size(), both, {.resamples = 200, .seed = GetParam() + 1000});
  EXPECT_FALSE(one[1].low == other[1].low && one[1].high == other[1].high);
}

// Of a mean the bootstrap is known: it is normal around it with the standard error.
TEST_P(MetricLaw, TheIntervalOfAMeanIsThatOfItsStandardError) {
  const Index n = 2000;
  const VectorXd x = random.matrix(n, 1);
  const double mean = x.mean(), error = std::sqrt((x.array() - mean).square().mean() / static_cast<double>(n));
  const auto mean_of = [&](const VectorXd& counts) { return counts.dot(x) / counts.sum(); };
  const Interval found = bootstrap_interval(n, mean_of, {.resamples = 4000, .seed = GetParam()});
  EXPECT_NEAR(found.low, mean - 1.96 * error, 0.15 * error);
  EXPECT_NEAR(found.high, mean + 1.96 * error, 0.15 * error);
  const Interval narrow = bootstrap_interval(n, mean_of, {.resamples = 4000, .level = 0.5, .seed = GetParam()});
  EXPECT_NEAR(narrow.high - narrow.low, 2 * 0.6745 * error, 0.15 * error);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MetricLaw, ::testing::Range(1U, 13U));

TEST(Metrics, AreUndefinedWithoutBothOutcomes) {
  const VectorXd p = VectorXd::LinSpaced(9, 0, 1), zero = VectorXd::Zero(9), one = VectorXd::Ones(9);
  EXPECT_TRUE(std::isnan(auc(p, zero)) && std::isnan(auc(p, one)) && std::isnan(average_precision(p, zero)));
  EXPECT_EQ(average_precision(p, one), 1);
  VectorXd rare = zero;
  rare[4] = 1;
  const Ranking ranking(p, rare);
  const Interval found = bootstrap_interval(9, [&](const VectorXd& counts) { return ranking.auc(counts); });
  EXPECT_TRUE(std::isfinite(found.low) && std::isfinite(found.high));
  EXPECT_NEAR(found.undefined, 1000 * std::pow(8.0 / 9, 9), 100);
}

TEST(Metrics, RefuseWhatTheyCannotUse) {
  const VectorXd p = VectorXd::Constant(3, 0.5), y{{0, 1, 1}}, none;
  EXPECT_NE(message_of([&] { auc(p, y.head(2)); }).find("p has 3 rows and y has 2"), std::string::npos);
  EXPECT_NE(message_of([&] { soft_accuracy(none, none); }).find("no rows"), std::string::npos);
  EXPECT_NE(message_of([&] { hard_accuracy(p, 2 * y); }).find("y is 2 in row 1"), std::string::npos);
  EXPECT_NE(message_of([&] { auc(p / 0.0 * 0, y); }).find("p is NaN in row 0"), std::string::npos);
  EXPECT_NE(message_of([&] { auc(p, y, -p); }), "");
  EXPECT_NE(message_of([&] { auc(p, y, 0 * p); }).find("weights are 0"), std::string::npos);
  const Statistic zero = [](const VectorXd&) { return 0.0; };
  EXPECT_NE(message_of([&] { bootstrap_interval(3, zero, {.resamples = 0}); }).find("resamples"), std::string::npos);
  EXPECT_NE(message_of([&] { bootstrap_interval(3, zero, {.level = 1}); }).find("level"), std::string::npos);
  EXPECT_NE(message_of([&] { bootstrap_interval(0, zero); }).find("0 rows"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
