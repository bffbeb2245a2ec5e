#include "paper/datasets/loan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "message_of.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::VectorXd;

MatrixXd table(const LoanRows& rows) {
  MatrixXd out(rows.group.size(), 9);
  out << rows.group.cast<double>(), rows.education, rows.income, rows.probability, rows.approved.cast<double>(),
      rows.noise;
  return out;
}

// Mean and variance of a column within a group.
struct Loans {
  double count = 0, mean = 0, variance = 0;
};

Loans within(const LoanRows& rows, int group, const VectorXd& column) {
  const Eigen::ArrayXd in = (rows.group.array() == group).cast<double>();
  Loans out{.count = in.sum()};
  out.mean = (in * column.array()).sum() / out.count;
  out.variance = (in * (column.array() - out.mean).square()).sum() / out.count;
  return out;
}

void expect_mean(const Loans& sample, double expected) {
  EXPECT_NEAR(sample.mean, expected, 5 * std::sqrt(sample.variance / sample.count));
}

TEST(Loan, MomentsAreThoseOfTheModel) {
  const Index n = 200000;
  const LoanOptions o{.seed = 1};
  const LoanRows rows = LoanGenerator(o).rows(0, n);
  for (int g = 0; g < 3; ++g) {
    const Loans share = within(rows, g, rows.approved.cast<double>());
    EXPECT_NEAR(share.count / n, o.share[g], 5 * std::sqrt(o.share[g] * (1 - o.share[g]) / n));
    // E is a normal variable censored at 0, I a lognormal one.
    const double m = o.lambda_e[0] + (g == 0 ? 0 : o.lambda_e[g]), s = o.education_noise, z = m / s;
    expect_mean(within(rows, g, rows.education),
                m * 0.5 * std::erfc(-z / std::sqrt(2)) + s * std::exp(-z * z / 2) / std::sqrt(2 * M_PI));
    const double typical = o.lambda_i[0] + (g == 0 ? 0 : o.lambda_i[g]);
    const double spread = std::pow(o.income_education, 2) + std::pow(o.income_noise, 2);
    expect_mean(within(rows, g, rows.income), typical * std::exp(spread / 2));
    const Loans log_income = within(rows, g, rows.income.array().log());
    expect_mean(log_income, std::log(typical));
    EXPECT_NEAR(log_income.variance, spread, 5 * spread * std::sqrt(2 / log_income.count));
    // Decisions follow their probabilities, which are the logistic function of the columns.
    expect_mean(within(rows, g, rows.approved.cast<double>() - rows.probability), 0);
  }
  for (Index i = 0; i < 1000; ++i) {
    const int g = rows.group[i];
    const double logit =
        o.beta[0] + (g == 0 ? 0 : o.beta[g]) + o.beta_e * rows.education[i] + o.beta_i * rows.income[i];
    EXPECT_NEAR(rows.probability[i], 1 / (1 + std::exp(-logit)), 1e-14);
  }
}

TEST(Loan, BlocksOfAnySizeGiveTheSameRows) {
  Random random(2);
  const LoanGenerator generator({.seed = 3});
  const MatrixXd whole = table(generator.rows(0, 5000));
  for (int round = 0; round < 20; ++round)
    for (Index first = 0, count = 0; first < 5000; first += count) {
      count = std::min<Index>(random.integer(0, 3000), 5000 - first);
      ASSERT_EQ(table(generator.rows(first, count)), whole.middleRows(first, count));
    }
  EXPECT_NE(table(LoanGenerator({.seed = 4}).rows(0, 9)), whole.topRows(9));
}

TEST(Loan, TheCounterfactualKeepsTheNoises) {
  Random random(5);
  const LoanGenerator generator({.seed = 6});
  const LoanRows rows = generator.rows(100, 3000);
  EXPECT_EQ(table(generator.counterfactual(rows, rows.group)), table(rows));

  Eigen::VectorXi group(3000);
  for (int& g : group) g = static_cast<int>(random.integer(0, 2));
  const LoanRows moved = generator.counterfactual(rows, group);
  EXPECT_EQ(moved.group, group);
  EXPECT_EQ(moved.noise, rows.noise);
  EXPECT_EQ(table(generator.counterfactual(moved, rows.group)), table(rows));

  const MatrixXd one = table(generator.counterfactual(rows, 1));
  for (Index i = 0; i < 3000; ++i) {
    EXPECT_EQ(rows.group[i] == 1, table(rows).row(i) == one.row(i));
  }
}

// All effects of the groups are negative, so with the same noises nobody fares better in a group further down.
TEST(Loan, GroupsAreOrdered) {
  const LoanGenerator generator({.seed = 8});
  const LoanRows rows = generator.rows(0, 5000);
  const LoanRows in[] = {generator.counterfactual(rows, 0), generator.counterfactual(rows, 1),
                         generator.counterfactual(rows, 2)};
  for (int g = 0; g < 2; ++g) {
    EXPECT_TRUE((in[g].education.array() >= in[g + 1].education.array()).all());
    EXPECT_TRUE((in[g].income.array() > in[g + 1].income.array()).all());
    EXPECT_TRUE((in[g].probability.array() > in[g + 1].probability.array()).all());
    EXPECT_TRUE((in[g].approved.array() >= in[g + 1].approved.array()).all());
  }
}

// The exact CF metric of a well specified predictor tends to this gap; 0.6287 is its value by quadrature.
TEST(Loan, TheGapBetweenGroupsIsNearThePrintedOne) {
  const LoanGenerator generator({.seed = 9});
  const LoanRows rows = generator.rows(0, 100000);
  const VectorXd gap = generator.counterfactual(rows, 0).probability - generator.counterfactual(rows, 2).probability;
  const double deviation = std::sqrt((gap.array() - gap.mean()).square().mean() / 100000);
  EXPECT_NEAR(gap.mean(), 0.6287, 5 * deviation + 0.0001);
  EXPECT_NEAR(gap.mean(), 0.6291, 0.01);
}

TEST(Loan, WithoutEffectsTheGroupChangesNothing) {
  const LoanGenerator generator({.seed = 10, .lambda_e = {1.07, 0, 0}, .lambda_i = {0.58, 0, 0}, .beta = {-1, 0, 0}});
  const LoanRows rows = generator.rows(0, 1000);
  for (int g = 0; g < 3; ++g)
    EXPECT_EQ(table(generator.counterfactual(rows, g)).rightCols(8), table(rows).rightCols(8));
}

// Computed in Python from the definitions alone, with an mt19937_64 in its integers.
TEST(Loan, NumbersAreTheSameOnEveryPlatform) {
  const LoanGenerator generator({.seed = 7});
  MatrixXd expected(2, 5);
  expected << 1, 0x1.b90e44395d928p-4, 0x1.cddd0d514a830p-3, 0x1.87e0e63146d29p-3, 1,  //
      0, 0x1.25b3677a1b9d8p+0, 0x1.2a04b7e57ece5p-1, 0x1.9353b0745bd00p-1, 1;
  EXPECT_EQ(table(generator.rows(0, 1)).leftCols(5), expected.row(0));
  EXPECT_EQ(table(generator.rows(1500, 1)).leftCols(5), expected.row(1));
}

TEST(Loan, ExtremeOptionsStayFinite) {
  const LoanGenerator generator({.seed = 11,
                                 .lambda_e = {1e100, -1e100, 1e100},
                                 .lambda_i = {1e100, 0, 1e100},
                                 .education_noise = 10,
                                 .income_education = 10,
                                 .income_noise = 10,
                                 .beta = {-1e100, 1e100, 0},
                                 .beta_e = -1e100,
                                 .beta_i = 1e100});
  EXPECT_TRUE(table(generator.rows(0, 5000)).allFinite());
}

TEST(Loan, RefusesWhatCannotBeGenerated) {
  const auto message = [](const LoanOptions& options) { return message_of([&] { LoanGenerator{options}; }); };
  EXPECT_NE(message({.share = {0.5, 0.5, 0.5}}).find("share adds up to 1.5"), std::string::npos);
  EXPECT_NE(message({.share = {1.5, -0.5, 0}}).find("share[0] is 1.5"), std::string::npos);
  EXPECT_NE(message({.lambda_i = {0.58, -0.2, -0.58}}).find("group 2 the income 0"), std::string::npos);
  EXPECT_NE(message({.lambda_e = {1, 2, std::numeric_limits<double>::quiet_NaN()}}).find("lambda_e[2]"),
            std::string::npos);
  EXPECT_NE(message({.income_noise = -1}).find("income_noise is -1"), std::string::npos);
  EXPECT_NE(message({.education_noise = 11}).find("from 0 to 10"), std::string::npos);
  EXPECT_NE(message({.beta_i = 1e200}).find("beta_i"), std::string::npos);
  const LoanGenerator generator;
  EXPECT_THROW(generator.rows(-1, 1), Error);
  EXPECT_THROW(generator.rows(0, -1), Error);
  EXPECT_EQ(generator.rows(7, 0).group.size(), 0);
  EXPECT_NE(message_of([&] { generator.counterfactual(generator.rows(0, 3), 3); }).find("group is 3"),
            std::string::npos);
  EXPECT_THROW(generator.counterfactual(generator.rows(0, 3), Eigen::VectorXi::Zero(2)), Error);
  EXPECT_THROW(LoanGenerator::group_name(-1), Error);
  EXPECT_NE(LoanGenerator::group_name(0), LoanGenerator::group_name(1));
}

}  // namespace
}  // namespace plumbline
