// The laws of the metrics of predictions: definitions pair by pair, weights as repeated rows.
#include "metrics/accuracy.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "random_people.h"
#include "random_scores.h"

namespace plumbline {
namespace {

using testing::message_of;
using testing::permuted;
using testing::Random;
using testing::random_order;
using testing::random_scores;
using testing::Scores;
using testing::VectorXd;

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

class AccuracyLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
};

TEST_P(AccuracyLaw, RankMetricsAreTheirDefinitions) {
  const Scores s = random_scores(random);
  EXPECT_NEAR(auc(s.p, s.y), auc_pair_by_pair(s), 1e-14);
  EXPECT_NEAR(average_precision(s.p, s.y), average_precision_row_by_row(s), 1e-13);
}

TEST_P(AccuracyLaw, AccuraciesAreTheirDefinitions) {
  const Scores s = random_scores(random);
  double soft = 0, hard = 0;
  for (Index i = 0; i < s.p.size(); ++i) {
    soft += s.y[i] == 1 ? s.p[i] : 1 - s.p[i];
    hard += (s.p[i] > 0.5) == (s.y[i] == 1) ? 1 : 0;
  }
  EXPECT_NEAR(soft_accuracy(s.p, s.y), soft / static_cast<double>(s.p.size()), 1e-14);
  EXPECT_NEAR(hard_accuracy(s.p, s.y), hard / static_cast<double>(s.p.size()), 1e-14);
}

TEST_P(AccuracyLaw, ReversingTheOutcomesReversesAuc) {
  const Scores s = random_scores(random);
  EXPECT_NEAR(auc(s.p, s.y) + auc(s.p, 1 - s.y.array()), 1, 1e-14);
  EXPECT_NEAR(auc(s.p, s.y), auc(s.p.array().exp(), s.y), 1e-14);
  EXPECT_EQ(auc(VectorXd::Constant(s.p.size(), 0.3), s.y), 0.5);
}

TEST_P(AccuracyLaw, WholeWeightsAreRepeatedRowsAndTheOrderDoesNotMatter) {
  const Scores s = random_scores(random);
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
}

INSTANTIATE_TEST_SUITE_P(Seeds, AccuracyLaw, ::testing::Range(1U, 13U));

TEST(Accuracy, IsUndefinedWithoutBothOutcomes) {
  const VectorXd p = VectorXd::LinSpaced(9, 0, 1), zero = VectorXd::Zero(9), one = VectorXd::Ones(9);
  EXPECT_TRUE(std::isnan(auc(p, zero)) && std::isnan(auc(p, one)) && std::isnan(average_precision(p, zero)));
  EXPECT_EQ(average_precision(p, one), 1);
}

TEST(Accuracy, RefusesWhatItCannotUse) {
  const VectorXd p = VectorXd::Constant(3, 0.5), y{{0, 1, 1}}, none;
  EXPECT_NE(message_of([&] { auc(p, y.head(2)); }).find("p has 3 rows and y has 2"), std::string::npos);
  EXPECT_NE(message_of([&] { soft_accuracy(none, none); }).find("no rows"), std::string::npos);
  EXPECT_NE(message_of([&] { hard_accuracy(p, 2 * y); }).find("y is 2 in row 1"), std::string::npos);
  EXPECT_NE(message_of([&] { auc(p * std::nan(""), y); }).find("p is nan in row 0"), std::string::npos);
  EXPECT_NE(message_of([&] { auc(p, y, -p); }), "");
  EXPECT_NE(message_of([&] { auc(p, y, 0 * p); }).find("every weight is zero"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
