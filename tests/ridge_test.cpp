#include "debias/ridge.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "debias/random_hinges.h"
#include "random_data.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Random;

RidgeSums sums_of(const MatrixXd& x, const MatrixXd& y) {
  MatrixXd z(x.rows(), x.cols() + y.cols() + 1);
  z << x, y, VectorXd::Ones(x.rows());
  return {z.transpose() * z, static_cast<double>(x.rows())};
}

// The same by its definition: standardised columns, every penalty tried, with the hat matrix in full.
MatrixXd by_definition(const MatrixXd& x, const MatrixXd& y, const MatrixXd& judged) {
  const auto n = static_cast<double>(x.rows());
  const VectorXd mean = x.colwise().mean();
  const VectorXd spread = ((x.rowwise() - mean.transpose()).colwise().squaredNorm() / n).cwiseSqrt();
  const MatrixXd z = (x.rowwise() - mean.transpose()) * spread.cwiseInverse().asDiagonal();
  const MatrixXd other = (judged.rowwise() - mean.transpose()) * spread.cwiseInverse().asDiagonal();
  MatrixXd out(judged.rows(), y.cols());
  for (Index t = 0; t < y.cols(); ++t) {
    const double base = y.col(t).mean();
    const VectorXd centred = y.col(t).array() - base;
    double least = std::numeric_limits<double>::infinity();
    for (int step = 0; step < 28; ++step) {
      const double penalty = 1e-6 * std::pow(1e9, step / 27.0);
      const MatrixXd inverse = (z.transpose() * z / n + penalty * MatrixXd::Identity(z.cols(), z.cols())).inverse();
      const MatrixXd hat = z * inverse * z.transpose() / n;
      const double left = 1 - (1 + hat.trace()) / n;
      if (left <= 0.02) continue;
      const double score = (centred - hat * centred).squaredNorm() / (left * left);
      if (score >= least) continue;
      least = score;
      out.col(t) = (other * (inverse * (z.transpose() * centred / n))).array() + base;
    }
  }
  return out;
}

TEST(Ridge, IsWhatItsDefinitionSays) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    Random random(seed);
    const Index n = random.integer(30, 80), q = random.integer(1, seed % 3 == 0 ? n + 10 : 20);
    const MatrixXd x = random.matrix(n, q), judged = random.matrix(10, q);
    MatrixXd y = x.leftCols(1) * random.matrix(1, 3) + random.uniform(0.1, 5) * random.matrix(n, 3);
    y.col(2).array() += 1000;
    const RidgeFit fit = ridge(sums_of(x, y), q, q);
    const MatrixXd predicted = (judged * fit.weights).rowwise() + fit.base.transpose();
    EXPECT_LT((predicted - by_definition(x, y, judged)).cwiseAbs().maxCoeff(), 1e-6) << seed;
  }
}

TEST(Ridge, OfTheFirstColumnsDoesNotSeeTheOthers) {
  Random random(3);
  const MatrixXd x = random.matrix(100, 8), y = random.matrix(100, 2) + x.rightCols(2);
  const RidgeFit part = ridge(sums_of(x, y), 5, 8), alone = ridge(sums_of(x.leftCols(5), y), 5, 5);
  EXPECT_LT((part.weights - alone.weights).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((part.base - alone.base).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Ridge, GivesNoWeightToWhatDoesNotVary) {
  Random random(4);
  MatrixXd x = random.matrix(50, 4);
  x.col(1).setConstant(1e6);
  x.col(2).setZero();
  const RidgeFit fit = ridge(sums_of(x, x.col(0)), 4, 4);
  EXPECT_EQ(fit.weights(1, 0), 0);
  EXPECT_EQ(fit.weights(2, 0), 0);
  EXPECT_NEAR(fit.weights(0, 0), 1, 1e-4);
}

MatrixXd columns_of(const RandomHinges& hinges, const MatrixXd& rows) {
  MatrixXd out(rows.rows(), hinges.columns());
  hinges.write(rows, 0, rows.rows(), nullptr, out.data(), rows.rows());
  return out;
}

// x − γᵀb is, less a step in its gap, a line in b: two indicators give two of them.
TEST(RandomHinges, GiveAnIndicatorAway) {
  Random random(5);
  const Index n = 1500;
  const MatrixXd b = random.matrix(n, 1).cwiseMax(-4).cwiseMin(4);
  MatrixXd a(n, 3);
  for (Index i = 0; i < n; ++i) {
    a(i, 0) = (random.uniform(0, 1) < 0.05 ? 1.0 : 0.0) - 0.1 * b(i, 0);
    a(i, 1) = random.normal();
    a(i, 2) = std::round(random.uniform(0, 6)) + 0.05 * b(i, 0);
  }
  const RandomHinges hinges(a, 7);
  const MatrixXd x = columns_of(hinges, a);
  const RidgeFit fit = ridge(sums_of(x, b), hinges.columns(), hinges.columns());
  const VectorXd left = b - ((x * fit.weights).rowwise() + fit.base.transpose());
  EXPECT_LT(left.squaredNorm() / b.squaredNorm(), 1e-3);
}

TEST(RandomHinges, AreOfStandardisedFeatures) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Random random(seed);
    MatrixXd a = random.matrix(300, 4), scaled = a;
    a.col(3).setConstant(2);
    scaled.col(3).setConstant(-1e9);
    scaled.col(0) = (scaled.col(0) * 1024).array() + 4096;
    scaled.col(1) /= 64;
    const RandomHinges one(a, seed), other(scaled, seed);
    ASSERT_EQ(one.columns(), other.columns());
    EXPECT_LT((columns_of(one, a) - columns_of(other, scaled)).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_EQ(columns_of(one, a).col(3).cwiseAbs().maxCoeff(), 0);
  }
}

TEST(RandomHinges, OfNothingThatVariesAreNone) {
  const MatrixXd a = MatrixXd::Constant(200, 3, 5);
  EXPECT_EQ(RandomHinges(a, 1).columns(), 3);
}

}  // namespace
}  // namespace plumbline
