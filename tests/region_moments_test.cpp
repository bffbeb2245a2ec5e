#include "plumbline/region_moments.h"

#include <gtest/gtest.h>

#include <limits>

#include "message_of.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::span_of;
using testing::VectorXd;

struct RegionRows {
  MatrixXd a, b;
  Partition partition;
  std::optional<Expansion> expansion;
  Moments::Kind kind;

  explicit RegionRows(unsigned seed, Index most = 3000) {
    Random random(seed);
    const Index n = random.integer(100, most), numbers = random.integer(0, 3),
                levels = random.integer(numbers == 0 ? 2 : 0, 4);
    b.resize(n, numbers + levels);
    b.leftCols(numbers) = random.matrix(n, numbers);
    if (levels > 0) b.rightCols(levels) = random.one_hot(n, levels);
    a = random.features(b, random.integer(1, 6));
    partition = Partition::fit(b, {.least_rows = 10});
    if (numbers > 0 && random.integer(0, 1) == 0) expansion = Expansion::fit(b, names(), {.powers = 2});
    kind = random.integer(0, 1) == 0 ? Moments::Kind::full : Moments::Kind::cross;
  }

  std::vector<std::string> names() const { return Moments(1, b.cols()).sensitive_names(); }
  MatrixXd phi() const { return expansion ? expansion->transform(b) : b; }
  RegionMoments empty() const { return {partition, expansion, Moments(a.cols(), 1).feature_names(), names(), kind}; }
  RegionMoments of(const MatrixXd& some_a, const MatrixXd& some_b, const UpdateOptions& options = {}) const {
    RegionMoments out = empty();
    out.update(some_a, some_b, options);
    return out;
  }
  RegionMoments all(const UpdateOptions& options = {}) const { return of(a, b, options); }
};

MatrixXd lower_of(const MatrixXd& x) { return x.triangularView<Eigen::Lower>(); }

// How far apart, for each number in units of the roots of its row's and column's squares.
double region_difference(const RegionMoments& x, const RegionMoments& y) {
  double worst = 0;
  for (Index k = 0; k < x.regions(); ++k) {
    VectorXd unit(x.products(k).rows());
    unit << VectorXd(x.products(k).diagonal().head(unit.size() - x.features())), x.squares_a(k);
    unit = unit.cwiseSqrt().cwiseMax(1e-3);
    for (Index j = 0; j < x.products(k).cols(); ++j)
      for (Index i = j; i < unit.size(); ++i)
        worst = std::max(worst, std::abs(x.products(k)(i, j) - y.products(k)(i, j)) / (unit[i] * unit[j]));
    worst = std::max(
        worst,
        ((x.squares_a(k) - y.squares_a(k)).cwiseAbs().cwiseQuotient(unit.tail(x.features()).cwiseAbs2())).maxCoeff());
  }
  return worst;
}

TEST(RegionMoments, AreWeightedProducts) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const RegionRows rows(seed);
    const RegionMoments moments = rows.all();
    const MatrixXd w = rows.partition.matrix(rows.b), phi = rows.phi();
    MatrixXd x(rows.a.rows(), w.cols() + phi.cols() + rows.a.cols());
    x << w, phi.rowwise() - moments.origin_b().transpose(), rows.a.rowwise() - moments.origin_a().transpose();
    for (Index k = 0; k < moments.regions(); ++k) {
      const MatrixXd expected = x.transpose() * w.col(k).asDiagonal() * x;
      const Index lead = moments.products(k).cols();
      const VectorXd unit = expected.diagonal().cwiseSqrt().cwiseMax(1e-9);
      const MatrixXd error = lower_of(expected).leftCols(lead) - lower_of(moments.products(k));
      EXPECT_LT((unit.cwiseInverse().asDiagonal() * error * unit.head(lead).cwiseInverse().asDiagonal())
                    .cwiseAbs()
                    .maxCoeff(),
                1e-12)
          << seed;
      EXPECT_LT((moments.squares_a(k) - expected.diagonal().tail(rows.a.cols()))
                    .cwiseQuotient(unit.tail(rows.a.cols()).cwiseAbs2())
                    .cwiseAbs()
                    .maxCoeff(),
                1e-12);
    }
  }
}

TEST(RegionMoments, OfPartsMergeToThatOfTheWhole) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const RegionRows rows(seed);
    const Index n = rows.a.rows(), cut = Random(seed).integer(1, n - 1);
    RegionMoments merged = rows.of(rows.a.topRows(cut), rows.b.topRows(cut));
    merged.merge(rows.of(rows.a.bottomRows(n - cut), rows.b.bottomRows(n - cut)));
    const RegionMoments whole = rows.all();
    EXPECT_EQ(merged.whole().rows(), whole.whole().rows());
    RegionMoments twice = whole;  // about the same origin
    twice.merge(merged);
    RegionMoments once_more = whole;
    once_more.merge(whole);
    EXPECT_LT(region_difference(once_more, twice), 1e-10) << seed;
    RegionMoments once = whole, other = rows.empty();
    once.merge(RegionMoments());
    once.merge(rows.empty());
    EXPECT_EQ(once, whole);
    other.merge(whole);
    EXPECT_EQ(other, whole);
  }
}

TEST(RegionMoments, LessAPartAreThoseOfTheRest) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const RegionRows rows(seed);
    Random random(seed + 80);
    VectorXd weights(rows.a.rows());
    std::vector<Index> part, rest;
    for (Index i = 0; i < weights.size(); ++i) {
      weights[i] = random.integer(0, 9) == 0 ? 0.0 : random.uniform(0.5, 2);
      (random.integer(0, 2) == 0 ? part : rest).push_back(i);
    }
    const auto of = [&](const std::vector<Index>& which) {
      const VectorXd w = weights(which);
      return rows.of(rows.a(which, Eigen::all), rows.b(which, Eigen::all), {.weights = span_of(w)});
    };
    const RegionMoments whole = rows.all({.weights = span_of(weights)}), left = whole.without(of(part));
    const RegionMoments expected = of(rest);
    EXPECT_EQ(left.whole().rows(), expected.whole().rows());
    EXPECT_NEAR(left.whole().weight(), expected.whole().weight(), 1e-9);
    RegionMoments one = whole, other = whole;  // about the same origin
    one.merge(left);
    other.merge(expected);
    EXPECT_LT(region_difference(one, other), 1e-10) << seed;
    EXPECT_EQ(whole.without(rows.empty()), whole);
  }
}

// What rounding leaves of regions and columns would otherwise be taken for data.
TEST(RegionMoments, LessAllRowsOfALevelHaveNoneOfIt) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Index n = random.integer(200, 2000);
    MatrixXd b(n, 4);
    b << random.matrix(n, 1), random.one_hot(n, 3);
    MatrixXd a = 1e6 * random.matrix(n, 3);
    a.col(1) = a.col(1).cwiseProduct(b.col(3)).array() + 0.1;  // varies at that level alone
    std::vector<Index> part, rest;
    for (Index i = 0; i < n; ++i) (b(i, 3) == 1 ? part : rest).push_back(i);
    RegionMoments whole(Partition::fit(b, {.least_rows = 10}), std::nullopt, {"x", "y", "z"}, {"s", "k", "l", "m"});
    RegionMoments of_part = whole;
    whole.update(a, b);
    of_part.update(MatrixXd(a(part, Eigen::all)), MatrixXd(b(part, Eigen::all)));
    const RegionMoments left = whole.without(of_part);
    const MatrixXd w = whole.partition().matrix(MatrixXd(b(rest, Eigen::all)));
    for (Index k = 0; k < left.regions(); ++k) {
      EXPECT_EQ(left.products(k).isZero(0), w.col(k).isZero(0)) << seed << " " << k;
      EXPECT_EQ(left.squares_a(k)[1], 0) << seed;
    }
    EXPECT_EQ(left.whole().scatter_diagonal_a()[1], 0);
    EXPECT_EQ(left.whole().scatter_bb()(3, 3), 0);
  }
}

TEST(RegionMoments, CountWholeWeightsAsRepetition) {
  for (unsigned seed = 0; seed < 15; ++seed) {
    const RegionRows rows(seed, 600);
    Random random(seed + 50);
    VectorXd weights(rows.a.rows());
    std::vector<Index> repeated;
    for (Index i = 0; i < weights.size(); ++i) {
      weights[i] = static_cast<double>(random.integer(0, 3));
      for (int r = 0; r < static_cast<int>(weights[i]); ++r) repeated.push_back(i);
    }
    const RegionMoments weighted = rows.all({.weights = span_of(weights)});
    const MatrixXd a = rows.a(repeated, Eigen::all), b = rows.b(repeated, Eigen::all);
    const RegionMoments expected = rows.of(a, b);
    EXPECT_EQ(weighted.whole().weight(), expected.whole().weight());
    EXPECT_LT(region_difference(weighted, expected), 1e-9) << seed;
  }
}

TEST(RegionMoments, HaveTheSameBitsForAnyNumberOfThreads) {
  const RegionRows rows(4);
  Random random(9);
  const Index n = 20'000;
  MatrixXd b(n, rows.b.cols());
  for (Index i = 0; i < n; ++i) b.row(i) = rows.b.row(random.integer(0, rows.b.rows() - 1));
  const MatrixXd a = random.features(b, rows.a.cols());
  const RegionMoments one = rows.of(a, b, {.threads = 1});
  for (const int threads : {2, 3, 7}) EXPECT_EQ(rows.of(a, b, {.threads = threads}), one);
}

TEST(RegionMoments, StayAsTheyWereWhenRowsAreBad) {
  const RegionRows rows(2);
  RegionMoments moments = rows.all();
  const RegionMoments before = moments;
  MatrixXd bad = rows.a;
  bad(7, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message_of([&] { moments.update(bad, rows.b); }).find("row 7"), std::string::npos);
  EXPECT_THROW(moments.update(rows.a.topRows(3), rows.b), Error);
  const RegionRows other(3);
  EXPECT_THROW(moments.merge(other.all()), Error);
  EXPECT_EQ(moments, before);
  EXPECT_THROW(RegionMoments(rows.partition, std::nullopt, {"a"}, {"one", "two", "three", "four", "five", "six", "7"}),
               Error);
}

}  // namespace
}  // namespace plumbline
