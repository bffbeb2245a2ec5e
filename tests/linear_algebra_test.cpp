// The decompositions are what they say, and a basis found by pivots spans all rows.
#include "debias/linear_algebra.h"

#include <gtest/gtest.h>

#include "debias/svd.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::VectorXd;

class LinearAlgebraLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
};

TEST_P(LinearAlgebraLaw, DecompositionsMultiplyBack) {
  const Index rows = random.integer(1, 30), cols = random.integer(1, 30);
  const MatrixXd m = random.matrix(rows, cols), s = m.transpose() * m;
  const SymmetricEigen eigen = symmetric_eigen(s);
  EXPECT_LE((eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose() - s).norm(), 1e-12 * s.norm());
  EXPECT_TRUE(std::is_sorted(eigen.values.begin(), eigen.values.end(), std::greater<>()));
  EXPECT_LE((symmetric_eigenvalues(s) - eigen.values).norm(), 1e-12 * s.norm());
  const Svd svd = thin_svd(m);
  EXPECT_LE((svd.u * svd.values.asDiagonal() * svd.v.transpose() - m).norm(), 1e-12 * m.norm());
  EXPECT_LE((singular_values(m) - svd.values).norm(), 1e-12 * m.norm());
  const MatrixXd square = random.matrix(cols, cols) + 10 * MatrixXd::Identity(cols, cols);
  EXPECT_LE((square * solve(square, m.transpose()) - m.transpose()).norm(), 1e-12 * m.norm());
}

TEST_P(LinearAlgebraLaw, PivotsAreABasisOfTheRows) {
  const Index q = random.integer(1, 40), rank = random.integer(0, q);
  const MatrixXd factor = random.matrix(q, rank);
  const MatrixXd s = factor * factor.transpose();
  const PivotedCholesky found = pivoted_cholesky(s, 1e-10 * (1 + s.norm()));
  ASSERT_EQ(static_cast<Index>(found.pivots.size()), rank);
  EXPECT_TRUE(found.l.isLowerTriangular(0));
  const MatrixXd inner = s(found.pivots, found.pivots);
  EXPECT_LE((found.l * found.l.transpose() - inner).norm(), 1e-12 * (1 + s.norm()));

  // S = S(:, pivots) S(pivots, pivots)⁻¹ S(pivots, :)
  MatrixXd half = s(found.pivots, Eigen::all);
  solve_lower(found.l, half);
  EXPECT_LE((half.transpose() * half - s).norm(), 1e-9 * (1 + s.norm()));
}

INSTANTIATE_TEST_SUITE_P(Seeds, LinearAlgebraLaw, ::testing::Range(0U, 20U));

}  // namespace
}  // namespace plumbline
