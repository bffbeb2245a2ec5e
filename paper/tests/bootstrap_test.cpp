// The laws of the bootstrap: what a resample is, threads, and an interval that is known.
#include "paper/reproduction/bootstrap.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "metrics/accuracy.h"
#include "random_scores.h"

namespace plumbline {
namespace {

using testing::message_of;
using testing::Random;
using testing::random_scores;
using testing::Scores;
using testing::VectorXd;

class BootstrapLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
};

TEST_P(BootstrapLaw, ResamplesDrawAsManyRowsAsThereAre) {
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

TEST_P(BootstrapLaw, IntervalsAreTheSameForAnyNumberOfThreads) {
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
TEST_P(BootstrapLaw, TheIntervalOfAMeanIsThatOfItsStandardError) {
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

// Every metric of predictions has an interval, by the same resamples, and lies in it.
TEST_P(BootstrapLaw, EveryMetricLiesInItsInterval) {
  const Index n = 600;
  Scores s{VectorXd(n), VectorXd(n)};
  for (Index i = 0; i < n; ++i) {
    s.p[i] = random.uniform(0, 1);
    s.y[i] = random.uniform(0, 1) < s.p[i] ? 1 : 0;
  }
  const Ranking ranking(s.p, s.y);
  const Statistics all = [&](const VectorXd& counts) {
    return VectorXd{{soft_accuracy(s.p, s.y, counts), hard_accuracy(s.p, s.y, counts), ranking.auc(counts),
                     ranking.average_precision(counts)}};
  };
  const auto found = bootstrap_intervals(n, all, {.seed = GetParam()});
  const VectorXd values = all(VectorXd::Ones(n));
  for (Index j = 0; j < values.size(); ++j) {
    const Interval& interval = found[static_cast<std::size_t>(j)];
    EXPECT_LT(interval.low, values[j]) << j;
    EXPECT_GT(interval.high, values[j]) << j;
    EXPECT_EQ(interval.undefined, 0);
  }
  // Hard accuracy is a share of the rows, whose standard error is known.
  const double error = std::sqrt(values[1] * (1 - values[1]) / static_cast<double>(n));
  EXPECT_NEAR(found[1].low, values[1] - 1.96 * error, 0.4 * error);
  EXPECT_NEAR(found[1].high, values[1] + 1.96 * error, 0.4 * error);
  // Average precision is that of the rows drawn: one statistic alone, of rows repeated, gives the same interval.
  const auto of_repeated_rows = [&](const VectorXd& counts) {
    std::vector<Index> rows;
    for (Index i = 0; i < n; ++i) rows.insert(rows.end(), static_cast<std::size_t>(counts[i]), i);
    return average_precision(s.p(rows), s.y(rows));
  };
  const Interval repeated = bootstrap_interval(n, of_repeated_rows, {.seed = GetParam()});
  EXPECT_NEAR(found[3].low, repeated.low, 1e-12);
  EXPECT_NEAR(found[3].high, repeated.high, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Seeds, BootstrapLaw, ::testing::Range(1U, 13U));

TEST(Bootstrap, LeavesOutResamplesWithoutAnAnswer) {
  const VectorXd p = VectorXd::LinSpaced(9, 0, 1);
  VectorXd rare = VectorXd::Zero(9);
  rare[4] = 1;
  const Ranking ranking(p, rare);
  const Interval found = bootstrap_interval(9, [&](const VectorXd& counts) { return ranking.auc(counts); });
  EXPECT_TRUE(std::isfinite(found.low) && std::isfinite(found.high));
  EXPECT_NEAR(found.undefined, 1000 * std::pow(8.0 / 9, 9), 100);
  const Interval none = bootstrap_interval(9, [](const VectorXd&) { return std::nan(""); });
  EXPECT_TRUE(std::isnan(none.low) && std::isnan(none.high) && none.undefined == 1000);
}

TEST(Bootstrap, RefusesWhatItCannotUse) {
  const Statistic zero = [](const VectorXd&) { return 0.0; };
  EXPECT_NE(message_of([&] { bootstrap_interval(3, zero, {.resamples = 0}); }).find("resamples"), std::string::npos);
  EXPECT_NE(message_of([&] { bootstrap_interval(3, zero, {.level = 1}); }).find("level"), std::string::npos);
  EXPECT_NE(message_of([&] { bootstrap_interval(0, zero); }).find("0 rows"), std::string::npos);
  const Statistics uneven = [](const VectorXd& counts) { return VectorXd::Zero(static_cast<Index>(counts[0])); };
  EXPECT_NE(message_of([&] { bootstrap_intervals(3, uneven); }).find("same number"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
