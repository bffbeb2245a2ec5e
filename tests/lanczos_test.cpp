// Lanczos' method finds what a decomposition of the whole matrix finds.
#include "debias/lanczos.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <functional>
#include <limits>

#include "random_data.h"
#include "reference_algebra.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::VectorXd;

class Lanczos : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};

  MatrixXd with_eigenvalues(const VectorXd& values) {
    const MatrixXd axes = Eigen::HouseholderQR<MatrixXd>(random.matrix(values.size(), values.size())).householderQ();
    const MatrixXd g = axes * values.asDiagonal() * axes.transpose();
    return (g + g.transpose()) / 2;
  }
  VectorXd find(const MatrixXd& g, double tolerance) {
    return leading_by_lanczos(GramOperator(g), random.matrix(g.rows(), 1), tolerance);
  }
};

TEST_P(Lanczos, FindsTheLeadingEigenvector) {
  const Index q = random.integer(1, 150);
  VectorXd values = random.matrix(q, 1).cwiseAbs2();
  std::sort(values.begin(), values.end(), std::greater<>());
  values *= random.uniform(1e-3, 1e3);
  if (q > 1) values[0] = values[1] * (1 + std::pow(10, random.uniform(-3, 1)));
  const MatrixXd g = with_eigenvalues(values);
  const VectorXd u = find(g, 1e-11);
  ASSERT_EQ(u.size(), q);
  EXPECT_NEAR(u.norm(), 1, 1e-14);
  EXPECT_LE((g * u - values[0] * u).norm(), 2e-11 * values[0]);
  EXPECT_NEAR(std::abs(u.dot(testing::leading_eigenvector(g))), 1, 1e-10);
}

TEST_P(Lanczos, FindsOneOfSeveralEqualOnes) {
  const Index q = random.integer(2, 60), equal = random.integer(2, q);
  VectorXd values = VectorXd::Ones(q);
  for (Index i = equal; i < q; ++i) values[i] = random.uniform(0, 0.9);
  const MatrixXd g = with_eigenvalues(values);
  const VectorXd u = find(g, 1e-10);
  ASSERT_EQ(u.size(), q);
  EXPECT_LE((g * u - u).norm(), 1e-9);
}

TEST_P(Lanczos, FindsTheOnlyOne) {
  const VectorXd v = random.matrix(random.integer(1, 80), 1).normalized();
  const double value = std::pow(10, random.uniform(-100, 100));
  const VectorXd u = find(value * v * v.transpose(), 1e-11);
  ASSERT_EQ(u.size(), v.size());
  EXPECT_NEAR(std::abs(u.dot(v)), 1, 1e-12);
}

struct CountedProducts : GramOperator {
  using GramOperator::GramOperator;
  mutable int count = 0;
  void apply(const VectorXd& x, VectorXd& y) const {
    ++count;
    GramOperator::apply(x, y);
  }
};

TEST_P(Lanczos, GoesOnWhereEigenvaluesAreClose) {
  constexpr Index q = 600;
  const VectorXd values = 1 - VectorXd::LinSpaced(q, 1, 0).array().square();
  const CountedProducts g(values.asDiagonal());
  const VectorXd u = leading_by_lanczos(g, random.matrix(q, 1), 1e-9);
  EXPECT_GT(g.count, 256);
  ASSERT_EQ(u.size(), q);
  EXPECT_LE((values.cwiseProduct(u) - values[q - 1] * u).norm(), 2e-9);
}

TEST_P(Lanczos, FindsItAtAnyScaleOrNothing) {
  const Index q = random.integer(2, 40);
  VectorXd values = random.matrix(q, 1).cwiseAbs();
  values[0] = values.maxCoeff() * 1.1;
  const MatrixXd g = with_eigenvalues(values);
  for (const double scale : {1e-320, 1e-300, 1e-200, 1e-100, 1e100, 1e200, 1e300}) {
    const VectorXd u = find(scale * g, 1e-10);
    if (u.size() > 0) {
      EXPECT_LE((g * u - values[0] * u).norm(), 1e-8) << scale;
    } else {
      EXPECT_TRUE(scale < 1e-199 || scale > 1e199) << scale;
    }
  }
}

TEST_P(Lanczos, FindsNothingWhereNothingIs) {
  const Index q = random.integer(1, 50);
  EXPECT_EQ(find(MatrixXd::Zero(q, q), 1e-11).size(), 0);
  EXPECT_EQ(find(-MatrixXd::Identity(q, q), 1e-11).size(), 0);
  EXPECT_EQ(find(-MatrixXd(VectorXd::LinSpaced(q, 1, 10).asDiagonal()), 1e-11).size(), 0);
  EXPECT_EQ(find(MatrixXd::Constant(1, 1, std::numeric_limits<double>::infinity()), 1e-11).size(), 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Lanczos, ::testing::Range(0U, 20U));

}  // namespace
}  // namespace plumbline
