#include "plumbline/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "mixed_table.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::mixed_table;
using testing::MixedTable;
using testing::Random;
using testing::RowMajor;
using testing::span_of;
using testing::VectorXd;

MatrixXd applied(const Distribution& d, const MatrixXd& a, const MatrixXd& b, int threads = 1) {
  MatrixXd out(a.rows(), a.cols());
  d.apply(a, b, out, {.threads = threads});
  return out;
}

Distribution fitted(const MixedTable& table, const DistributionOptions& options = {}, int threads = 1) {
  return Distribution::fit(table.a, table.b, table.groups, options, {}, threads);
}

// The share of the rows of each level of b at which a column is 1, and their largest difference.
double difference(const VectorXd& x, const VectorXd& level) {
  return std::abs(x.dot(level) / level.sum() -
                  (x.sum() - x.dot(level)) / (static_cast<double>(level.size()) - level.sum()));
}

TEST(Distribution, LeavesNoTraceOfThreadsOrderOrTiles) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    Random random(seed);
    const MixedTable table = mixed_table(random, 3000);
    const Distribution one = fitted(table, {.seed = seed}, 1), three = fitted(table, {.seed = seed}, 3);
    EXPECT_TRUE(one == three) << seed;
    const MatrixXd out = applied(one, table.a, table.b);
    EXPECT_EQ(applied(three, table.a, table.b, 4), out);

    std::vector<Index> order(3000);
    std::iota(order.begin(), order.end(), Index{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    const MatrixXd a = table.a(order, Eigen::all), b = table.b(order, Eigen::all);
    EXPECT_EQ(applied(one, a, b, 2), MatrixXd(out(order, Eigen::all)));
    EXPECT_EQ(applied(one, table.a.middleRows(700, 5), table.b.middleRows(700, 5)), MatrixXd(out.middleRows(700, 5)));
    for (Index i = 0; i < 20; ++i) {
      const VectorXd row = table.a.row(i), sensitive = table.b.row(i);
      VectorXd result(10);
      one.apply_row(span_of(row), span_of(sensitive), {result.data(), 10});
      EXPECT_EQ(result, VectorXd(out.row(i)));
    }
    MatrixXd in_place = table.a;
    one.apply(in_place, table.b, in_place);
    EXPECT_EQ(in_place, out);
  }
}

TEST(Distribution, AnotherSeedDrawsAnew) {
  Random random(3);
  const MixedTable table = mixed_table(random, 2000);
  EXPECT_NE(applied(fitted(table, {.seed = 1}), table.a, table.b),
            applied(fitted(table, {.seed = 2}), table.a, table.b));
}

TEST(Distribution, TellsZerosOfEitherSignAlike) {
  Random random(4);
  const MixedTable table = mixed_table(random, 1000);
  const Distribution d = fitted(table);
  MatrixXd signs = table.a;
  signs = (signs.array() == 0).select(MatrixXd::Constant(1000, 10, -0.0), signs);
  EXPECT_EQ(applied(d, signs, table.b), applied(d, table.a, table.b));
}

TEST(Distribution, KeepsKindsAndGrids) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    Random random(seed);
    const MixedTable table = mixed_table(random, 2500), later = mixed_table(random, 2500);
    const Distribution d = fitted(table);
    const MatrixXd out = applied(d, later.a, later.b);
    ASSERT_TRUE(out.allFinite());
    for (Index i = 0; i < out.rows(); ++i) {
      EXPECT_EQ(out.row(i).head(4).sum(), 1);
      EXPECT_EQ(out.row(i).head(4).maxCoeff(), 1);
      EXPECT_TRUE(out(i, 4) == 0 || out(i, 4) == 1);
      EXPECT_EQ(out(i, 5), std::round(out(i, 5)));
    }
    const auto column = table.a.col(5);
    const std::set<double> seen(column.begin(), column.end());
    for (Index i = 0; i < out.rows(); ++i) EXPECT_TRUE(seen.contains(out(i, 5)));
    EXPECT_EQ(out.col(8), later.a.col(8));
    EXPECT_EQ(out.col(9), later.a.col(9));
    const double zeros = static_cast<double>((out.col(6).array() == 0).count()) / 2500,
                 before = static_cast<double>((later.a.col(6).array() == 0).count()) / 2500;
    EXPECT_NEAR(zeros, before, 0.05);
  }
}

TEST(Distribution, OnNewRowsLevelsAndMeansAreThoseOfAllB) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    Random random(seed);
    const MixedTable table = mixed_table(random, 20'000), later = mixed_table(random, 20'000);
    const Distribution d = fitted(table);
    const MatrixXd out = applied(d, later.a, later.b, 2);
    const VectorXd male = later.b.col(1), old = (later.b.col(0).array() > 0).cast<double>();
    // Of two sampling errors, that of the fit and that of the new rows; a share's is below .0073 in the smaller group.
    for (const VectorXd& level : {male, old})
      for (Index j = 0; j < 5; ++j) EXPECT_LT(difference(out.col(j), level), 0.045) << seed << " " << j;
    EXPECT_GT(difference(later.a.col(4), male), 0.2);
    for (Index j = 5; j < 8; ++j) {
      const double before = testing::max_correlation(later.a.col(j), later.b);
      EXPECT_LT(testing::max_correlation(out.col(j), later.b), std::max(0.04, 0.25 * before)) << seed << " " << j;
    }
    EXPECT_GT(testing::max_correlation(later.a.col(7), later.b), 0.5);
    EXPECT_LT(testing::max_correlation(out.col(7).cwiseAbs2(), later.b), 0.05);
  }
}

// Where nothing depends on b, what changes is noise, and falls with the number of rows once there are enough of them
// for all terms of locations.
TEST(Distribution, ChangesAlmostNothingWhereNothingDependsOnB) {
  std::vector<double> changed;
  for (const Index n : {6000, 96'000}) {
    double levels = 0;
    for (unsigned seed = 0; seed < 2; ++seed) {
      Random random(seed);
      MixedTable table = mixed_table(random, n);
      table.b.col(0) = random.matrix(n, 1);
      for (Index i = 0; i < n; ++i) table.b.row(i).tail(2) << (i % 2), 1 - (i % 2);
      const Distribution d = fitted(table);
      for (const GroupChange& change : d.changes()) levels += change.moved / 14;
    }
    changed.push_back(levels);
  }
  EXPECT_LT(changed[0], 0.15);
  EXPECT_LT(changed[1], 0.6 * changed[0]);
}

// Weights count beside each other. A prior that is given, and leaves, go by rows.
TEST(Distribution, WholeWeightsAreRepeatedRows) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    Random random(seed);
    const Index n = 1500;
    MixedTable table = mixed_table(random, n);
    table.b.col(0).setZero();  // regions of levels alone do not depend on how many rows there are
    VectorXd weights(n);
    std::vector<Index> repeated;
    for (Index i = 0; i < n; ++i) {
      weights[i] = static_cast<double>(random.integer(0, 3));
      for (Index k = 0; k < static_cast<Index>(weights[i]); ++k) repeated.push_back(i);
    }
    // One leaf, and ordered levels or categories alone: then all that depends on rows is the estimated prior.
    const std::vector<FeatureGroup> groups(table.groups.begin(), table.groups.begin() + 3);
    const MatrixXd a = table.a.leftCols(6);
    const auto fit_to = [&](const MatrixXd& x, const MatrixXd& b, std::span<const double> w) {
      return applied(Distribution::fit(x, b, groups, {.order = {"job", "owns", "children"}, .leaves = 1}, w), a,
                     table.b);
    };
    const MatrixXd one = fit_to(a, table.b, span_of(weights));
    const MatrixXd other = fit_to(a(repeated, Eigen::all), table.b(repeated, Eigen::all), {});
    Index differ = 0;
    for (Index i = 0; i < n; ++i) differ += one.row(i) == other.row(i) ? 0 : 1;
    EXPECT_LT(differ, n / 20) << seed;
    const MatrixXd tripled = fit_to(a, table.b, span_of(VectorXd(3 * weights)));
    EXPECT_EQ(tripled, one) << "weights are relative";
  }
}

TEST(Distribution, ReadsBackExactly) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    Random random(seed);
    const MixedTable table = mixed_table(random, 1200);
    const Distribution d = fitted(table, {.seed = 0xfedcba9876543210 + seed});
    const Distribution back = Distribution::from_json(d.to_json());
    EXPECT_TRUE(back == d);
    EXPECT_EQ(back.to_json(), d.to_json());
    EXPECT_EQ(applied(back, table.a, table.b), applied(d, table.a, table.b));
  }
}

TEST(Distribution, CounterfactualAtItsOwnBIsTheRow) {
  Random random(6);
  const MixedTable table = mixed_table(random, 2000);
  const Distribution d = fitted(table);
  MatrixXd same(2000, 10), other(2000, 10), b = table.b;
  d.counterfactual(table.a, table.b, table.b, same);
  EXPECT_EQ(same, table.a);
  for (Index i = 0; i < b.rows(); ++i) b.row(i) << b(i, 0) + 1, 1, 0;
  d.counterfactual(table.a, table.b, b, other);
  EXPECT_GT(other.col(7).mean(), table.a.col(7).mean() + 0.5);
  EXPECT_GT(other.col(4).mean(), table.a.col(4).mean());
  for (Index i = 0; i < b.rows(); ++i) EXPECT_EQ(other.row(i).head(4).sum(), 1);
}

TEST(Distribution, RowsGivenBySharesGetALevelAndRowsWithoutOneKeepNone) {
  Random random(7);
  MixedTable table = mixed_table(random, 3000);
  const Distribution d = fitted(table);
  const Eigen::RowVectorXd shares = table.a.leftCols(4).colwise().mean();
  for (Index i = 0; i < 1500; ++i) table.a.row(i).head(4) = shares;
  for (Index i = 1500; i < 1600; ++i) table.a.row(i).head(4).setZero();
  const MatrixXd out = applied(d, table.a, table.b);
  EXPECT_EQ(out.middleRows(1500, 100).leftCols(4).cwiseAbs().maxCoeff(), 0);
  EXPECT_TRUE((out.topRows(1500).leftCols(4).rowwise().maxCoeff().array() == 1).all());
  EXPECT_NEAR(out.topRows(1500).col(0).mean(), shares[0], 0.06);
}

TEST(Distribution, FloatTablesGetWhatTheirNumbersGet) {
  Random random(8);
  const MixedTable table = mixed_table(random, 1500);
  const Distribution d = fitted(table);
  const Eigen::MatrixXf a = table.a.cast<float>(), b = table.b.cast<float>();
  Eigen::MatrixXf out(1500, 10);
  d.apply(a, b, out);
  EXPECT_EQ(out, applied(d, a.cast<double>(), b.cast<double>()).cast<float>());
}

}  // namespace
}  // namespace plumbline
