#include "plumbline/moments.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <limits>

#include "message_of.h"
#include "moments_distance.h"
#include "plumbline/error.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::distance;
using testing::MatrixXd;
using testing::message_of;
using testing::moments_of;
using testing::Random;
using testing::RowMajor;
using testing::span_of;
using testing::VectorXd;
using Kind = Moments::Kind;
using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

// The definition, in long double.
double distance_from_definition(const Moments& m, const MatrixXd& a, const MatrixXd& b, const VectorXd& w) {
  const auto centre = [&](const MatrixXd& x) -> Wide {
    const Wide wide = x.cast<long double>();
    const Wide mean = w.cast<long double>().transpose() * wide / static_cast<long double>(w.sum());
    return wide.rowwise() - mean.row(0);
  };
  const Wide u = centre(a), v = centre(b), wu = w.cast<long double>().asDiagonal() * u;
  const VectorXd sa = (u.transpose() * wu).diagonal().cwiseSqrt().cast<double>();
  const VectorXd sb = (v.transpose() * w.cast<long double>().asDiagonal() * v).diagonal().cwiseSqrt().cast<double>();
  const MatrixXd ba = (v.transpose() * wu).cast<double>(), aa = (u.transpose() * wu).cast<double>();
  const MatrixXd bb = (v.transpose() * w.cast<long double>().asDiagonal() * v).cast<double>();
  double worst = ((m.scatter_ba() - ba).array() / (sb * sa.transpose()).array()).abs().maxCoeff();
  worst = std::max(worst, ((m.scatter_bb() - bb).array() / (sb * sb.transpose()).array()).abs().maxCoeff());
  worst = std::max(worst, ((m.scatter_diagonal_a() - aa.diagonal()).array() / sa.array().square()).abs().maxCoeff());
  if (m.kind() == Kind::full)
    worst = std::max(worst, ((m.scatter_aa() - aa).array() / (sa * sa.transpose()).array()).abs().maxCoeff());
  return worst;
}

class MomentsLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
  Index n = random.integer(2, 12000), q = random.integer(1, 12), p = random.integer(1, 5);
  Kind kind = random.integer(0, 1) == 0 ? Kind::full : Kind::cross;
  MatrixXd b = random.matrix(n, p) * random.matrix(p, p);
  MatrixXd a = random.features(b, q);
};

TEST_P(MomentsLaw, AgreesWithTheDefinition) {
  const VectorXd w = random.matrix(n, 1).cwiseAbs();
  EXPECT_LE(distance_from_definition(moments_of(a, b, kind), a, b, VectorXd::Ones(n)), 1e-14);
  EXPECT_LE(distance_from_definition(moments_of(a, b, kind, {.weights = span_of(w)}), a, b, w), 1e-14);
}

TEST_P(MomentsLaw, LayoutDoesNotMatter) {
  const RowMajor rows_a = a, rows_b = b;
  RowMajor joint(n, p + q);
  joint << b, a;
  const VectorXd w = random.matrix(n, 1).cwiseAbs();
  for (const bool is_weighted : {false, true}) {
    const UpdateOptions options{.weights = is_weighted ? span_of(w) : std::span<const double>()};
    const Moments whole = moments_of(a, b, kind, options);
    for (const Moments& other : {moments_of(rows_a, rows_b, kind, options), moments_of(rows_a, b, kind, options),
                                 moments_of(Columns(joint.rightCols(q)), Columns(joint.leftCols(p)), kind, options)}) {
      // Features that are only multiplied with B go through a kernel for each layout unless there are weights.
      if (kind == Kind::full || is_weighted) EXPECT_EQ(other, whole);
      EXPECT_LE(distance(other, whole), 1e-14);
    }
  }
}

TEST_P(MomentsLaw, FloatsAreTheirDoubleValues) {
  const Eigen::MatrixXf narrow_a = a.cast<float>(), narrow_b = b.cast<float>();
  const MatrixXd wide_a = narrow_a.cast<double>(), wide_b = narrow_b.cast<double>();
  EXPECT_EQ(moments_of(narrow_a, narrow_b, kind), moments_of(wide_a, wide_b, kind));
}

TEST_P(MomentsLaw, MergedPartsEqualTheWhole) {
  const Index cut = random.integer(0, n);
  Moments merged = moments_of(Columns(a).middle_rows(0, cut), Columns(b).middle_rows(0, cut), kind);
  merged.merge(moments_of(Columns(a).middle_rows(cut, n - cut), Columns(b).middle_rows(cut, n - cut), kind));
  EXPECT_EQ(merged.rows(), n);
  EXPECT_LE(distance(merged, moments_of(a, b, kind)), 1e-14);
}

TEST_P(MomentsLaw, ThePartsLessOneAreTheOthers) {
  const Index cut = random.integer(1, n - 1);
  const Moments first = moments_of(a.topRows(cut), b.topRows(cut), kind);
  const Moments second = moments_of(a.bottomRows(n - cut), b.bottomRows(n - cut), kind);
  Moments both = first;
  both.merge(second);
  const double share = static_cast<double>(std::min(cut, n - cut)) / static_cast<double>(n);
  EXPECT_EQ(both.without(first).rows(), second.rows());
  if (n - cut > q + p) EXPECT_LE(distance(both.without(first), second), 1e-12 / share);
  if (cut > q + p) EXPECT_LE(distance(both.without(second), first), 1e-12 / share);
}

TEST_P(MomentsLaw, PartsThatEndOnBlockBordersMergeToTheSameBits) {
  const Index rows = 5 * 4096 + 77;
  const MatrixXd long_b = random.matrix(rows, p), long_a = random.features(long_b, q);
  const Columns ca(long_a), cb(long_b);
  const Moments whole = moments_of(ca, cb, kind);
  for (const Index cut : {Index{4096}, Index{3 * 4096}}) {
    Moments tail = moments_of(ca.middle_rows(cut, rows - cut), cb.middle_rows(cut, rows - cut), kind);
    Moments head = moments_of(ca.middle_rows(0, cut), cb.middle_rows(0, cut), kind);
    head.merge(tail);
    EXPECT_TRUE(head.scatter_ba() == whole.scatter_ba());
    EXPECT_TRUE(head.scatter_bb() == whole.scatter_bb());
    EXPECT_TRUE(head.scatter_diagonal_a() == whole.scatter_diagonal_a());
    EXPECT_TRUE(head.mean_a() == whole.mean_a());
  }
}

TEST_P(MomentsLaw, BatchesOfWholeLeavesGiveTheBitsOfOneCall) {
  const Index rows = random.integer(4096, 5 * 4096);
  const MatrixXd long_b = random.matrix(rows, p), long_a = random.features(long_b, q);
  const VectorXd w = random.matrix(rows, 1).cwiseAbs();
  for (const bool is_weighted : {false, true}) {
    const auto update = [&](Moments& to, Index first, Index count) {
      const std::span<const double> weights =
          is_weighted ? span_of(w).subspan(first, count) : std::span<const double>();
      to.update(Columns(long_a).middle_rows(first, count), Columns(long_b).middle_rows(first, count),
                {.threads = static_cast<int>(random.integer(1, 3)), .weights = weights});
    };
    Moments whole(q, p, kind), sum(q, p, kind);
    update(whole, 0, rows);
    for (Index first = 0; first < rows;) {
      const Index count = std::min(4096 * random.integer(1, 3), rows - first);
      update(sum, first, count);
      first += count;
    }
    EXPECT_EQ(sum.to_bytes(), whole.to_bytes());
  }
}

TEST_P(MomentsLaw, TheEmptyStatisticIsTheIdentityExactly) {
  const Moments whole = moments_of(a, b, kind);
  for (const Moments& empty : {Moments(), Moments(q, p, kind)}) {
    Moments left = empty, right = whole;
    left.merge(whole);
    right.merge(empty);
    EXPECT_EQ(left, whole);
    EXPECT_EQ(right, whole);
  }
}

TEST_P(MomentsLaw, IntegerWeightsAreRepeatedRows) {
  VectorXd w(n);
  std::vector<Index> repeated;
  for (Index i = 0; i < n; ++i) {
    w[i] = static_cast<double>(random.integer(i == 0 ? 1 : 0, 3));
    for (Index r = 0; r < static_cast<Index>(w[i]); ++r) repeated.push_back(i);
  }
  const MatrixXd long_a = a(repeated, Eigen::all), long_b = b(repeated, Eigen::all);
  if (repeated.size() < 3) return;
  EXPECT_LE(distance(moments_of(a, b, kind, {.weights = span_of(w)}), moments_of(long_a, long_b, kind)), 1e-13);
}

TEST_P(MomentsLaw, PermutedRowsAreTheSame) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(GetParam()));
  const MatrixXd mixed_a = a(order, Eigen::all), mixed_b = b(order, Eigen::all);
  EXPECT_LE(distance(moments_of(mixed_a, mixed_b, kind), moments_of(a, b, kind)), 1e-14);
}

TEST_P(MomentsLaw, ThreadsGiveIdenticalBits) {
  const Index rows = random.integer(20000, 60000);
  const MatrixXd long_b = random.matrix(rows, p), long_a = random.features(long_b, q);
  const Moments one = moments_of(long_a, long_b, kind, {.threads = 1});
  EXPECT_EQ(moments_of(long_a, long_b, kind, {.threads = 2}), one);
  EXPECT_EQ(moments_of(long_a, long_b, kind, {.threads = 5}), one);
}

TEST_P(MomentsLaw, TheFileFormIsExact) {
  const Moments whole = moments_of(a, b, kind);
  EXPECT_EQ(Moments::from_bytes(whole.to_bytes()), whole);
  EXPECT_EQ(Moments::from_bytes(Moments().to_bytes()), Moments());
}

INSTANTIATE_TEST_SUITE_P(Seeds, MomentsLaw, ::testing::Range(0U, 20U));

TEST(Moments, LargeMeansKeepSmallSpreads) {
  Random random(3);
  const Index n = 20000;
  const MatrixXd b = random.matrix(n, 2), a = b * random.matrix(2, 3) + random.matrix(n, 3);
  const MatrixXd far_a = a.array() + 1e9, far_b = b.array() - 1e9;
  EXPECT_LE(distance_from_definition(moments_of(far_a, far_b), far_a, far_b, VectorXd::Ones(n)), 1e-13);
  const MatrixXd exact_a = far_a.array() - 1e9, exact_b = far_b.array() + 1e9;
  EXPECT_LE((moments_of(far_a, far_b).scatter_ba() - moments_of(exact_a, exact_b).scatter_ba()).cwiseAbs().maxCoeff() /
                static_cast<double>(n),
            1e-12);
}

TEST(Moments, TrendsAndOutliersAreNoTrouble) {
  Random random(10);
  const Index n = 9000;
  const MatrixXd b = VectorXd::LinSpaced(n, -1e6, 1e6);
  MatrixXd a = random.matrix(n, 3);
  a.col(0) += 1e6 * b;
  a(0, 1) = 1e9;
  a(5000, 2) = -1e12;
  EXPECT_LE(distance_from_definition(moments_of(a, b), a, b, VectorXd::Ones(n)), 1e-14);
  VectorXd w = VectorXd::Ones(n);
  w[123] = 1e12;
  EXPECT_LE(distance_from_definition(moments_of(a, b, Kind::full, {.weights = span_of(w)}), a, b, w), 1e-12);
}

TEST(Moments, ConstantColumnsHaveExactlyNoScatter) {
  Random random(4);
  MatrixXd a = random.matrix(9000, 3);
  a.col(1).setConstant(0.1 + 1e7);
  const MatrixXd b = random.matrix(9000, 1);
  const RowMajor rows = a;
  EXPECT_EQ(moments_of(a, b).scatter_diagonal_a()[1], 0);
  EXPECT_EQ(moments_of(rows, b).scatter_diagonal_a()[1], 0);
}

TEST(Moments, OutliersOfWeightZeroLeaveConstantColumnsConstant) {
  Random random(14);
  for (int round = 0; round < 60; ++round) {
    const Index n = random.integer(2, 600);
    const double outlier = round % 3 == 0 ? 1e9 : round % 3 == 1 ? -1e300 : 1.7e308;
    MatrixXd a = MatrixXd::Constant(n, 3, 0.1);
    a.col(1) = random.matrix(n, 1);
    MatrixXd b = random.matrix(n, 1);
    VectorXd w = random.matrix(n, 1).cwiseAbs();
    const Index out = round % 2 == 0 ? 0 : random.integer(0, n - 1);
    w[out] = 0;
    const MatrixXd kept = a;
    a.row(out).setConstant(outlier);
    const RowMajor rows = a, wide = a.replicate(1, 2);
    Eigen::MatrixXf narrow = a.cwiseMax(-1e38).cwiseMin(1e38).cast<float>();
    const Eigen::Matrix<float, -1, -1, Eigen::RowMajor> narrow_rows = narrow;
    for (const Kind kind : {Kind::full, Kind::cross}) {
      const UpdateOptions options{.weights = span_of(w)};
      const Moments expected = moments_of(kept, b, kind, options);
      for (const Columns& table :
           {Columns(a), Columns(rows), Columns(wide).select({0, 4, 2}), Columns(narrow), Columns(narrow_rows)}) {
        const Moments m = moments_of(table, b, kind, options);
        const double constant = table.scalar() == Scalar::float64 ? 0.1 : static_cast<double>(0.1F);
        for (const Index j : {0, 2}) {
          EXPECT_EQ(m.mean_a()[j], constant) << out;
          EXPECT_EQ(m.scatter_diagonal_a()[j], 0) << out;
        }
        if (table.scalar() == Scalar::float64 && expected.scatter_diagonal_a()[1] > 0) {
          EXPECT_LE(std::abs(m.scatter_diagonal_a()[1] / expected.scatter_diagonal_a()[1] - 1), 1e-13);
        }
      }
    }
  }
}

TEST(MomentsBadInput, NamesTheFirstCellAndLeavesTheStatisticAlone) {
  Random random(5);
  for (const int threads : {1, 3}) {
    MatrixXd a = random.matrix(30000, 4);
    const MatrixXd b = random.matrix(30000, 2);
    Moments m = moments_of(a, b);
    const Moments before = m;
    a(29000, 1) = std::numeric_limits<double>::infinity();
    a(20001, 2) = std::numeric_limits<double>::quiet_NaN();
    const std::string message = message_of([&] { m.update(a, b, {.threads = threads}); });
    EXPECT_NE(message.find("row 20001, column 'a2' is nan"), std::string::npos) << message;
    EXPECT_EQ(m, before);
  }
}

TEST(MomentsBadInput, OnlyAPartIsTakenAway) {
  Random random(3);
  const MatrixXd a = random.matrix(50, 3), b = random.matrix(50, 2);
  const Moments part = moments_of(a.topRows(20), b.topRows(20), Kind::full), all = moments_of(a, b, Kind::full);
  EXPECT_NE(message_of([&] { part.without(all); }).find("not less than"), std::string::npos);
  EXPECT_NE(message_of([&] { all.without(all); }).find("not less than"), std::string::npos);
  EXPECT_NE(message_of([&] { all.without(Moments(2, 2)); }).find("different columns"), std::string::npos);
}

TEST(Moments, WhatIsConstantInTheOtherRowsStaysSo) {
  Random random(4);
  MatrixXd a = random.matrix(500, 2).array() + 7, b = random.matrix(500, 2);
  a.col(0).tail(400).setConstant(7.3);
  b.col(1).tail(400).setConstant(-0.1);
  for (const Kind kind : {Kind::full, Kind::cross}) {
    const Moments left = moments_of(a, b, kind).without(moments_of(a.topRows(100), b.topRows(100), kind));
    EXPECT_EQ(left.scatter_diagonal_a()[0], 0);
    EXPECT_EQ(left.scatter_bb()(1, 1), 0);
    EXPECT_EQ(left.scatter_ba().col(0).cwiseAbs().maxCoeff(), 0);
    EXPECT_EQ(left.scatter_ba().row(1).cwiseAbs().maxCoeff(), 0);
    EXPECT_GT(left.scatter_diagonal_a()[1], 0);
  }
}

TEST(MomentsBadInput, ValuesBeyondTheRangeOfSquaresAreRefused) {
  Random random(6);
  const MatrixXd b = random.matrix(100, 1);
  for (const double scale : {1e300, 1e-300, 1e200, 1e-200}) {
    const MatrixXd a = random.matrix(100, 2) * scale;
    Moments m(2, 1);
    const std::string message = message_of([&] { m.update(a, b); });
    EXPECT_NE(message.find("column 'a0' has values from"), std::string::npos) << scale << message;
    EXPECT_EQ(m, Moments(2, 1));
  }
  for (const double scale : {1e140, 1e-140}) {
    const MatrixXd a = random.matrix(100, 2) * scale;
    EXPECT_LE(distance_from_definition(moments_of(a, b), a, b, VectorXd::Ones(100)), 1e-14);
  }
  const MatrixXd far = MatrixXd::Constant(9, 1, 1e200), opposite = -far;
  Moments low = moments_of(far, b.topRows(9));
  const Moments high = moments_of(opposite, b.topRows(9)), before = low;
  EXPECT_NE(message_of([&] { low.merge(high); }).find("rescale"), std::string::npos);
  EXPECT_EQ(low, before);
}

TEST(MomentsBadInput, SquaresThatOnlyTogetherLeaveTheRangeAreRefused) {
  Random random(11);
  const Index n = 9000;
  MatrixXd signs(n, 1);
  for (Index i = 0; i < n; ++i) signs(i) = random.integer(0, 1) == 0 ? 1 : -1;
  const MatrixXd plain = random.matrix(n, 1);
  for (const Kind kind : {Kind::full, Kind::cross})
    for (const double size : {1e152, 1.3e152, 1.6e152, 2e152, 1e153}) {
      const MatrixXd large = signs * size;
      const double squares = static_cast<double>(n) * size * size;
      for (const bool is_b : {false, true}) {
        const MatrixXd &a = is_b ? plain : large, &b = is_b ? large : plain;
        Moments m = moments_of(plain, plain, kind);
        const Moments before = m;
        const std::string message = message_of([&] { m.update(a, b); });
        if (std::isfinite(squares)) {
          EXPECT_EQ(message, "");
          EXPECT_EQ(Moments::from_bytes(m.to_bytes()), m);
        } else {
          EXPECT_NE(message.find(is_b ? "column 'b0'" : "column 'a0'"), std::string::npos) << message;
          EXPECT_EQ(m, before);
        }
      }
    }
}

TEST(MomentsBadInput, WeightsWhoseSumLeavesTheRangeAreNamed) {
  Random random(12);
  const MatrixXd a = random.matrix(9000, 2), b = random.matrix(9000, 1);
  for (const double weight : {1e305, 3e304, 1e308}) {
    const VectorXd w = VectorXd::Constant(9000, weight);
    Moments m(2, 1);
    const std::string message = message_of([&] { m.update(a, b, {.weights = span_of(w)}); });
    EXPECT_NE(message.find("weights"), std::string::npos) << message;
    EXPECT_EQ(m, Moments(2, 1));
  }
  const MatrixXd flat_a = MatrixXd::Ones(9, 2), flat_b = MatrixXd::Ones(9, 1);
  const VectorXd heavy = VectorXd::Constant(9, 1.2e307);
  Moments m = moments_of(flat_a, flat_b, Kind::full, {.weights = span_of(heavy)});
  const Moments before = m;
  const std::string message = message_of([&] { m.merge(before); });
  EXPECT_NE(message.find("weights"), std::string::npos) << message;
  EXPECT_EQ(m, before);
}

// A mean far from the other's, weighed so little that its square still counts for something finite.
TEST(MomentsBadInput, SmallWeightsBringLargeDistancesIntoRange) {
  Random random(13);
  const MatrixXd a = MatrixXd::Constant(9, 1, 1e156), opposite = -a, b = random.matrix(9, 1);
  const VectorXd w = VectorXd::Constant(9, 1e-10);
  for (const Kind kind : {Kind::full, Kind::cross}) {
    Moments m = moments_of(a, b, kind, {.weights = span_of(w)});
    m.merge(moments_of(opposite, b, kind, {.weights = span_of(w)}));
    EXPECT_NEAR(m.scatter_diagonal_a()[0] / (18 * 1e-10 * 1e156 * 1e156), 1, 1e-14);
  }
}

TEST(MomentsBadInput, ShapesAndWeightsAreChecked) {
  const MatrixXd a = MatrixXd::Random(5, 3), b = MatrixXd::Random(5, 2);
  Moments m(3, 2);
  EXPECT_NE(message_of([&] { m.update(b, b); }).find("a has 2 columns"), std::string::npos);
  EXPECT_NE(message_of([&] { m.update(a, a); }).find("b has 3 columns"), std::string::npos);
  EXPECT_NE(message_of([&] { m.update(a, b.topRows(4)); }).find("5 rows and b has 4"), std::string::npos);
  const std::vector<double> short_weights{1, 1}, negative{1, 1, -1, 1, 1};
  EXPECT_NE(message_of([&] { m.update(a, b, {.weights = short_weights}); }).find("2 weights for 5 rows"),
            std::string::npos);
  EXPECT_NE(message_of([&] { m.update(a, b, {.weights = negative}); }).find("row 2: the weight is -1"),
            std::string::npos);
  EXPECT_THROW(Moments(0, 1), Error);
  EXPECT_THROW(Moments(1, 0), Error);
  EXPECT_THROW(Moments().update(a, b), Error);
  EXPECT_THROW(m.merge(Moments(3, 1)), Error);
  EXPECT_THROW(m.merge(Moments(3, 2, Kind::cross)), Error);
  EXPECT_THROW(Moments(3, 2, Kind::cross).scatter_aa(), Error);
}

TEST(MomentsBadInput, ANameOfTwoColumnsIsRefused) {
  const auto message = [](const std::vector<std::string>& features, const std::vector<std::string>& sensitive) {
    return message_of([&] { Moments(features, sensitive); });
  };
  EXPECT_NE(message({"x", "y", "x"}, {"b"}).find("'x' names two columns"), std::string::npos);
  EXPECT_NE(message({"x"}, {"b", "c", "c"}).find("'c' names two columns"), std::string::npos);
  EXPECT_NE(message({"x", "y"}, {"b", "y"}).find("'y' names two columns"), std::string::npos);
  EXPECT_NE(message({"", ""}, {"b"}).find("'' names two columns"), std::string::npos);
  EXPECT_EQ(message({"x", "y"}, {"b", ""}), "");
}

TEST(MomentsBadInput, RowsOfWeightZeroCountForNothing) {
  Random random(7);
  MatrixXd a = random.matrix(3000, 2);
  const MatrixXd b = random.matrix(3000, 1);
  VectorXd w = VectorXd::Zero(3000);
  w.tail(900).setOnes();
  EXPECT_LE(
      distance(moments_of(a, b, Kind::full, {.weights = span_of(w)}), moments_of(a.bottomRows(900), b.bottomRows(900))),
      1e-14);
  VectorXd single = VectorXd::Zero(3000);
  single[17] = 3;
  const Moments one = moments_of(a, b, Kind::full, {.weights = span_of(single)});
  EXPECT_LE((one.mean_a() - a.row(17).transpose()).norm(), 1e-15);
  EXPECT_LE(one.scatter_diagonal_a().norm(), 1e-30);
  const VectorXd none = VectorXd::Zero(3000);
  EXPECT_EQ(moments_of(a, b, Kind::full, {.weights = span_of(none)}).weight(), 0);
}

TEST(MomentsFile, DamageIsFoundWhereverItIs) {
  Random random(8);
  const MatrixXd a = random.matrix(50, 2), b = random.matrix(50, 1);
  const std::string bytes = moments_of(a, b).to_bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_THROW(Moments::from_bytes(damaged), Error) << i;
    EXPECT_THROW(Moments::from_bytes(std::string_view(bytes).substr(0, i)), Error) << i;
  }
  std::string newer = bytes;
  newer[8] = 9;
  EXPECT_NE(message_of([&] { Moments::from_bytes(newer); }).find("version 9"), std::string::npos);
}

TEST(MomentsFile, SavesAndLoads) {
  Random random(9);
  const MatrixXd a = random.matrix(50, 2), b = random.matrix(50, 1);
  Moments m({"height", "weight, kg"}, {"äge"});
  m.update(a, b);
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "plumbline_moments_test.bin";
  m.save(path);
  EXPECT_EQ(Moments::load(path), m);
  std::filesystem::remove(path);
  EXPECT_NE(message_of([&] { Moments::load(path); }).find(path.string()), std::string::npos);
  EXPECT_NE(message_of([&] { m.save(path / "below"); }).find("cannot"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
