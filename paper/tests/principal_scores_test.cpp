#include "paper/datasets/principal_scores.h"

#include <gtest/gtest.h>

#include <limits>

#include "message_of.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::VectorXd;

TEST(PrincipalScores, AreUncorrelatedAndFallInVariance) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const Index n = random.integer(50, 400), q = random.integer(1, 12);
    const MatrixXd rows = random.features(random.matrix(n, 2), q);
    const MatrixXd scores = PrincipalScores(rows).of(rows);
    const MatrixXd covariance = scores.transpose() * scores / static_cast<double>(n);
    EXPECT_LT(scores.colwise().mean().cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((covariance - MatrixXd(covariance.diagonal().asDiagonal())).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(covariance.trace(), static_cast<double>(q), 1e-10) << "standardised columns have variance 1";
    for (Index j = 0; j + 1 < q; ++j) EXPECT_GE(covariance(j, j), covariance(j + 1, j + 1) - 1e-12);
  }
}

TEST(PrincipalScores, TheLargestScoreOfEachAxisIsPositive) {
  Random random(2);
  const MatrixXd rows = random.features(random.matrix(200, 2), 6);
  const PrincipalScores axes(rows);
  const MatrixXd scores = axes.of(rows), mirrored = PrincipalScores(-rows).of(-rows);
  EXPECT_GT((scores.colwise().maxCoeff() + scores.colwise().minCoeff()).minCoeff(), 0);
  // Rows seen in a mirror have the same largest rows, and the same signs.
  EXPECT_LT((scores - mirrored).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(PrincipalScores, UnitsDoNotMatter) {
  Random random(3);
  const MatrixXd rows = random.matrix(100, 4) * random.matrix(4, 4);
  MatrixXd other = rows;
  for (Index j = 0; j < 4; ++j) other.col(j) = (rows.col(j) * std::exp(random.normal())).array() + random.normal();
  EXPECT_LT((PrincipalScores(rows).of(rows) - PrincipalScores(other).of(other)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(PrincipalScores, EqualRowsHaveEqualBitsWhereverTheyStand) {
  Random random(4);
  const MatrixXd few = random.matrix(7, 5);
  const PrincipalScores axes(random.matrix(50, 5));
  const MatrixXd alone = axes.of(few);
  for (Index before = 0; before < 9; ++before) {
    MatrixXd rows(before + 7 + 3, 5);
    rows << random.matrix(before, 5), few, random.matrix(3, 5);
    EXPECT_EQ(MatrixXd(axes.of(rows).middleRows(before, 7)), alone);
  }
}

TEST(PrincipalScores, AConstantColumnIsBorne) {
  Random random(5);
  MatrixXd rows = random.matrix(60, 3);
  rows.col(1).setConstant(7);
  const MatrixXd scores = PrincipalScores(rows).of(rows);
  EXPECT_TRUE(scores.allFinite());
  EXPECT_LT(scores.col(2).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(PrincipalScores, RefusesWhatHasNoAxes) {
  MatrixXd rows = MatrixXd::Ones(3, 2);
  rows(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message_of([&] { PrincipalScores{rows}; }).find("finite"), std::string::npos);
  EXPECT_NE(message_of([] { PrincipalScores{MatrixXd(0, 2)}; }).find("0 rows"), std::string::npos);
  EXPECT_NE(message_of([] { PrincipalScores(MatrixXd::Random(5, 2)).of(MatrixXd(5, 3)); }).find("3 columns"),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline
