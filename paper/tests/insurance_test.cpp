#include "paper/datasets/insurance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "message_of.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::centred;
using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::VectorXd;

MatrixXd table(const InsuranceRows& rows) {
  MatrixXd out(rows.b.size(), 6);
  out << rows.b, rows.a, rows.y;
  return out;
}

bool same(const InsuranceRows& x, const InsuranceRows& y) { return table(x) == table(y) && x.u == y.u && x.e == y.e; }

// (b, A, y) = μ + L z with z = (ε_b, ε_U1 … ε_U5, ε_1 … ε_4, ε_y), written from the equations with other words.
MatrixXd loads(const InsuranceOptions& options) {
  MatrixXd x = MatrixXd::Zero(6, 11);
  x(0, 0) = options.b_sd;
  x.row(1) = 0.1 * x.row(0);
  x.row(1).segment(1, 3) << 1, 2, std::sqrt(2);
  x.row(2) = x.row(0);
  x(2, 2) = 2;
  x.row(3) = 5 * x.row(0);
  x(3, 3) = 5 * std::sqrt(2);
  x.row(4) = 5 * x.row(0);
  x.row(4).segment(4, 2) << std::sqrt(3), std::sqrt(2);
  for (Index j = 0; j < 4; ++j) x(1 + j, 6 + j) = options.a_sd[j];
  x.row(5) = 14 * x.row(0) + 40 * x.middleRows(1, 4).colwise().sum();
  x(5, 10) = options.y_sd;
  return x;
}

TEST(Insurance, MomentsAreThoseOfTheModel) {
  const Index n = 200000;
  for (const InsuranceOptions& options :
       {InsuranceOptions{.seed = 1}, InsuranceOptions{.seed = 2,
                                     .b_mean = -3,
                                     .b_sd = std::sqrt(5),
                                     .a_sd = {1, std::sqrt(10), std::sqrt(20), std::sqrt(1000)},
                                     .y_sd = std::sqrt(0.1)}}) {
    const MatrixXd x = table(InsuranceGenerator(options).rows(0, n));
    const MatrixXd load = loads(options), expected = load * load.transpose();
    VectorXd mean(6);
    const double b = options.b_mean;
    mean << b, 7 + 0.1 * b + 1.5, 80 + b + 0.5, 200 + 5 * b + 5, 10000 + 5 * b + 3.5, 0;
    mean[5] = 14 * b + 40 * mean.segment(1, 4).sum();
    const MatrixXd covariance = centred(x).transpose() * centred(x) / static_cast<double>(n);
    for (Index i = 0; i < 6; ++i) {
      EXPECT_NEAR(x.col(i).mean(), mean[i], 5 * std::sqrt(expected(i, i) / static_cast<double>(n)));
      for (Index j = 0; j <= i; ++j) {
        const double variance = expected(i, i) * expected(j, j) + expected(i, j) * expected(i, j);
        EXPECT_NEAR(covariance(i, j), expected(i, j), 5 * std::sqrt(variance / static_cast<double>(n))) << i << j;
      }
    }
  }
}

TEST(Insurance, BlocksOfAnySizeGiveTheSameRows) {
  Random random(2);
  const InsuranceGenerator generator({.seed = 3});
  const InsuranceRows whole = generator.rows(0, 5000);
  for (int round = 0; round < 20; ++round)
    for (Index first = 0, count = 0; first < 5000; first += count) {
      count = std::min<Index>(random.integer(0, 3000), 5000 - first);
      const InsuranceRows part = generator.rows(first, count);
      ASSERT_EQ(table(part), table(whole).middleRows(first, count));
      ASSERT_EQ(part.u, whole.u.middleRows(first, count));
      ASSERT_EQ(part.e, whole.e.middleRows(first, count));
    }
  EXPECT_NE(table(InsuranceGenerator({.seed = 4}).rows(0, 9)), table(whole).topRows(9));
}

TEST(Insurance, TheCounterfactualKeepsTheNoises) {
  Random random(5);
  const InsuranceGenerator generator({.seed = 6});
  const InsuranceRows rows = generator.rows(100, 2000);
  EXPECT_TRUE(same(generator.counterfactual(rows, rows.b), rows));

  const VectorXd b = 45 + 20 * random.matrix(2000, 1).array();
  const InsuranceRows moved = generator.counterfactual(rows, b);
  EXPECT_EQ(moved.b, b);
  EXPECT_EQ(moved.u, rows.u);
  EXPECT_EQ(moved.e, rows.e);
  EXPECT_TRUE(same(generator.counterfactual(moved, rows.b), rows));
  const VectorXd step = b - rows.b;
  const MatrixXd by = step * Eigen::RowVector4d(0.1, 1, 5, 5);
  EXPECT_LT((moved.a - rows.a - by).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((moved.y - rows.y - 458 * step).cwiseAbs().maxCoeff(), 1e-9);
}

// Computed in Python from the definitions alone, with an mt19937_64 in its integers.
TEST(Insurance, NumbersAreTheSameOnEveryPlatform) {
  const InsuranceGenerator generator({.seed = 7});
  MatrixXd expected(2, 6);
  expected << 0x1.859ca7f5be1ccp+5, 0x1.38e296c852165p+3, 0x1.10beb1526cf72p+7, 0x1.d8a74aa4c10cbp+8,
      0x1.5ad8d6b4ee760p+13, 0x1.ca65819d95eebp+18,  //
      0x1.6bea59e4d6624p+5, 0x1.d6ef1855ee370p+3, 0x1.c774db308df0bp+6, 0x1.b619df483de4cp+8, 0x1.1dd6f9067e8dep+13,
      0x1.7c0eb690d3b19p+18;
  EXPECT_EQ(table(generator.rows(0, 1)), expected.row(0));
  EXPECT_EQ(table(generator.rows(1500, 1)), expected.row(1));
}

TEST(Insurance, RefusesWhatCannotBeGenerated) {
  const auto message = [](const InsuranceOptions& options) { return message_of([&] { InsuranceGenerator{options}; }); };
  EXPECT_NE(message({.b_mean = std::numeric_limits<double>::quiet_NaN()}).find("b_mean is nan"), std::string::npos);
  EXPECT_NE(message({.b_sd = -1}).find("b_sd is -1"), std::string::npos);
  EXPECT_NE(message({.a_sd = {1, 1, -2, 1}}).find("a_sd[2] is -2"), std::string::npos);
  EXPECT_NE(message({.y_sd = std::numeric_limits<double>::infinity()}).find("y_sd is inf"), std::string::npos);
  const InsuranceGenerator generator;
  EXPECT_THROW(generator.rows(-1, 1), Error);
  EXPECT_THROW(generator.rows(0, -1), Error);
  EXPECT_EQ(generator.rows(7, 0).b.size(), 0);
  EXPECT_THROW(generator.counterfactual(generator.rows(0, 3), VectorXd::Zero(2)), Error);
}

}  // namespace
}  // namespace plumbline
