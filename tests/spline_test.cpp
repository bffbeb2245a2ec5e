// The laws of natural cubic splines, which an expansion has for a column with knots.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plumbline/expansion.h"
#include "random_data.h"
#include "reference_algebra.h"

namespace plumbline {
namespace {

using testing::least_squares;
using testing::MatrixXd;
using testing::Random;
using testing::range_of;
using testing::VectorXd;

// One column, a spline of K knots, of any scale.
class SplineLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  MatrixXd splines(const VectorXd& x) const { return phi.transform(x).rightCols(count - 2); }

  Random random{GetParam()};
  Index n = random.integer(200, 2000), count = random.integer(3, 8);
  double scale = std::exp(random.uniform(-8, 8)), shift = scale * random.uniform(-10, 10);
  MatrixXd b = (random.matrix(n, 1) * scale).array() + shift;
  Expansion phi = Expansion::fit(b, {"b"}, {.knots = static_cast<int>(count)});
  VectorXd knots = Eigen::Map<const VectorXd>(phi.columns()[0].knots.data(), count);
  double width = knots[count - 1] - knots[0];
};

TEST_P(SplineLaw, KnotsAreAtQuantiles) {
  for (Index k = 0; k < count; ++k) {
    const double share = (b.array() <= knots[k]).cast<double>().mean();
    EXPECT_NEAR(share, 0.05 + 0.9 * static_cast<double>(k) / static_cast<double>(count - 1),
                1.0 / static_cast<double>(n));
  }
}

TEST_P(SplineLaw, IsOfOrderOneAndLinearBeyondTheKnots) {
  EXPECT_LE(splines(VectorXd::LinSpaced(100, knots[0], knots[count - 1])).cwiseAbs().maxCoeff(), 1);
  const VectorXd below = VectorXd::LinSpaced(50, knots[0] - 1000 * width, knots[0]);
  EXPECT_TRUE((splines(below).array() == 0).all());
  const VectorXd above = VectorXd::LinSpaced(51, knots[count - 1], knots[count - 1] + 1000 * width);
  const MatrixXd line = splines(above);
  const MatrixXd bend = line.topRows(49) - 2 * line.middleRows(1, 49) + line.bottomRows(49);
  EXPECT_LE(bend.cwiseAbs().maxCoeff(), 1e-12 * line.cwiseAbs().maxCoeff());
}

// Central second differences of a cubic are its second derivative, which is a line within a piece and so can be
// continued to the knot from either side; the one-sided differences of four points are 6 h times the first derivative.
TEST_P(SplineLaw, HasTwoContinuousDerivatives) {
  double gap = width;
  for (Index k = 1; k < count; ++k) gap = std::min(gap, knots[k] - knots[k - 1]);
  const double h = gap / 4;
  for (Index k = 0; k < count; ++k) {
    VectorXd at(7);
    for (Index i = 0; i < 7; ++i) at[i] = knots[k] + h * static_cast<double>(i - 3);
    const MatrixXd f = splines(at);
    const auto second = [&](Index i) -> VectorXd {
      return (f.row(i - 1) - 2 * f.row(i) + f.row(i + 1)).transpose() * (width / h) * (width / h);
    };
    const VectorXd left = 2 * second(2) - second(1), right = 2 * second(4) - second(5);
    const double tolerance = 1e-14 * (width / h) * (width / h);
    EXPECT_LE((left - right).cwiseAbs().maxCoeff(), tolerance);
    if (k == 0 || k == count - 1) {
      EXPECT_LE(left.cwiseAbs().maxCoeff(), tolerance);
    }
    const VectorXd slope_left = (11 * f.row(3) - 18 * f.row(2) + 9 * f.row(1) - 2 * f.row(0)).transpose();
    const VectorXd slope_right = (-11 * f.row(3) + 18 * f.row(4) - 9 * f.row(5) + 2 * f.row(6)).transpose();
    EXPECT_LE((slope_left - slope_right).cwiseAbs().maxCoeff(), 1e-13);
  }
}

// The natural cubic spline through values at the knots, by the tridiagonal system for its second derivatives.
VectorXd interpolate(const VectorXd& knots, const VectorXd& values, const VectorXd& x) {
  const Index last = knots.size() - 1;
  MatrixXd system = MatrixXd::Identity(last + 1, last + 1);
  VectorXd right = VectorXd::Zero(last + 1);
  const auto h = [&](Index k) { return knots[k + 1] - knots[k]; };
  const auto slope = [&](Index k) { return (values[k + 1] - values[k]) / h(k); };
  for (Index k = 1; k < last; ++k) {
    system.row(k).segment(k - 1, 3) << h(k - 1), 2 * (h(k - 1) + h(k)), h(k);
    right[k] = 6 * (slope(k) - slope(k - 1));
  }
  const VectorXd m = least_squares(system, right);
  return x.unaryExpr([&](double at) {
    if (at <= knots[0]) return values[0] + (at - knots[0]) * (slope(0) - h(0) * m[1] / 6);
    if (at >= knots[last]) return values[last] + (at - knots[last]) * (slope(last - 1) + h(last - 1) * m[last - 1] / 6);
    Index k = 0;
    while (at > knots[k + 1]) ++k;
    const double u = knots[k + 1] - at, v = at - knots[k];
    return (m[k] * u * u * u + m[k + 1] * v * v * v) / (6 * h(k)) + (values[k] / h(k) - m[k] * h(k) / 6) * u +
           (values[k + 1] / h(k) - m[k + 1] * h(k) / 6) * v;
  });
}

TEST_P(SplineLaw, SpansEveryNaturalSplineOfItsKnots) {
  const VectorXd x = VectorXd::LinSpaced(500, knots[0] - width, knots[count - 1] + width);
  MatrixXd design(500, count);
  design << VectorXd::Ones(500), (x.array() - knots[0]).matrix() / width, splines(x);
  EXPECT_EQ(range_of(design).cols(), count);
  const VectorXd target = interpolate(knots, random.matrix(count, 1), x);
  EXPECT_LE((target - design * least_squares(design, target)).norm(), 1e-10 * target.norm());
}

INSTANTIATE_TEST_SUITE_P(Seeds, SplineLaw, ::testing::Range(0U, 20U));

}  // namespace
}  // namespace plumbline
