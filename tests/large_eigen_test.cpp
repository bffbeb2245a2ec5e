// The decomposition multiplies back, is orthonormal and has the values that Eigen finds, for sizes on both sides of
// its blocks and for matrices with equal, missing and far-apart values.
#include "debias/large_eigen.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>

#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::VectorXd;

void expect_decomposed(const MatrixXd& s) {
  const SymmetricEigen found = large_symmetric_eigen(s);
  const Index n = s.rows();
  const double unit = std::max(s.cwiseAbs().maxCoeff(), 1e-300);  // norms of s itself may overflow
  const MatrixXd scaled = s / unit;
  const VectorXd values = found.values / unit;
  const double size = 1e-15 * static_cast<double>(n + 10) * std::max(scaled.norm(), 1.0);
  ASSERT_EQ(found.vectors.rows(), n);
  ASSERT_EQ(found.vectors.cols(), n);
  EXPECT_LE((found.vectors.transpose() * found.vectors - MatrixXd::Identity(n, n)).norm(),
            1e-15 * static_cast<double>(n + 10));
  EXPECT_LE((scaled * found.vectors - found.vectors * values.asDiagonal()).norm(), size);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), std::greater<>()));
  const Eigen::SelfAdjointEigenSolver<MatrixXd> reference(scaled, Eigen::EigenvaluesOnly);
  EXPECT_LE((values - reference.eigenvalues().reverse()).norm(), 4 * size);
  EXPECT_EQ(large_symmetric_eigenvalues(s), found.values);
}

class LargeEigenLaw : public ::testing::TestWithParam<Index> {
 protected:
  Index n = GetParam();
  Random random{static_cast<unsigned>(GetParam())};

  MatrixXd with_values(const VectorXd& values) {
    const MatrixXd v = random.orthonormal(n, n), s = v * values.asDiagonal() * v.transpose();
    return (s + s.transpose()) / 2;
  }
};

TEST_P(LargeEigenLaw, OfAnySign) {
  const MatrixXd m = random.matrix(n, n);
  expect_decomposed(m + m.transpose());
}

TEST_P(LargeEigenLaw, OfLowRank) {
  const MatrixXd m = random.matrix(n, random.integer(1, n));
  expect_decomposed(m * m.transpose());
}

TEST_P(LargeEigenLaw, WithEqualValues) {
  VectorXd values(n);
  for (Index i = 0; i < n; ++i) values[i] = static_cast<double>(random.integer(-1, 1));
  expect_decomposed(with_values(values));
}

TEST_P(LargeEigenLaw, WithValuesFarApart) {
  VectorXd values(n);
  for (Index i = 0; i < n; ++i) values[i] = std::pow(10, random.uniform(-30, 0));
  expect_decomposed(with_values(values));
}

TEST_P(LargeEigenLaw, OfColumnsInUnitsFarApart) {
  const MatrixXd m = random.matrix(n + 3, n);
  VectorXd units(n);
  for (Index i = 0; i < n; ++i) units[i] = std::pow(10, random.uniform(-12, 0));
  expect_decomposed(units.asDiagonal() * (m.transpose() * m) * units.asDiagonal());
}

TEST_P(LargeEigenLaw, OfAnySize) {
  const MatrixXd m = random.matrix(n, n), s = m * m.transpose();
  for (const double unit : {1e-290, 1e-160, 1e160, 1e290}) expect_decomposed(unit * s);
}

TEST_P(LargeEigenLaw, OfMatricesThatAreDiagonalAlready) {
  expect_decomposed(MatrixXd::Zero(n, n));
  expect_decomposed(MatrixXd::Identity(n, n));
  expect_decomposed(random.matrix(n, 1).asDiagonal().toDenseMatrix());
}

INSTANTIATE_TEST_SUITE_P(Dimensions, LargeEigenLaw,
                         ::testing::Values(1, 2, 3, 5, 31, 32, 33, 34, 63, 64, 65, 66, 97, 128, 130, 211));

}  // namespace
}  // namespace plumbline
