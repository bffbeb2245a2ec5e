#include "plumbline/expansion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "message_of.h"
#include "plumbline/error.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::max_correlation;
using testing::message_of;
using testing::Random;
using testing::RowMajor;
using testing::span_of;
using testing::VectorXd;
using Names = std::vector<std::string>;

Names numbered(Index count) {
  Names names;
  for (Index j = 0; j < count; ++j) names.push_back(std::string("b").append(std::to_string(j)));
  return names;
}

Index place(const Expansion& phi, const std::string& name) {
  const auto found = std::find(phi.names().begin(), phi.names().end(), name);
  EXPECT_NE(found, phi.names().end()) << name;
  return found - phi.names().begin();
}

VectorXd standardised(const VectorXd& b) {
  const VectorXd centred = b.array() - b.mean();
  return centred / std::sqrt(centred.squaredNorm() / static_cast<double>(b.size()));
}

// Columns of numbers and of codes, of any scale, and any choice of terms.
class ExpansionLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  ExpansionLaw() {
    for (Index j = 0; j < p; ++j) {
      b.col(j) = (b.col(j) * std::exp(random.uniform(-8, 8))).array() + random.uniform(-100, 100);
      if (random.integer(0, 2) > 0) continue;
      const Index levels = random.integer(1, 6);
      b.col(j) = random.one_hot(n, levels) * (random.matrix(levels, 1) * 10).array().round().matrix();
      options.one_hot.push_back(j);
    }
    std::shuffle(options.one_hot.begin(), options.one_hot.end(), std::mt19937(GetParam()));
    phi = Expansion::fit(b, numbered(p), options);
    whole = phi.transform(b);
  }

  bool is_code(Index j) const { return phi.columns()[j].is_code(); }

  // t, or the indicators.
  MatrixXd base(Index j) const {
    if (!is_code(j)) return standardised(b.col(j));
    return whole.middleCols(phi.columns()[j].first, static_cast<Index>(phi.columns()[j].levels.size()));
  }

  Random random{GetParam()};
  Index n = random.integer(10, 3000), p = random.integer(1, 5);
  MatrixXd b = random.matrix(n, p);
  ExpansionOptions options{.powers = static_cast<int>(random.integer(1, 5)),
                           .knots = static_cast<int>(random.integer(2, 7)) / 3 * 3,
                           .bins = static_cast<int>(random.integer(0, 3)) * 2,
                           .interactions = random.integer(0, 1) == 1,
                           .one_hot = {},
                           .ignore_unknown = random.integer(0, 1) == 1};
  Expansion phi;
  MatrixXd whole;
};

TEST_P(ExpansionLaw, NumbersStayAndPowersAreOfTheStandardisedColumn) {
  for (Index j = 0; j < p; ++j) {
    if (is_code(j)) continue;
    const std::string name = phi.input_names()[j];
    EXPECT_TRUE(whole.col(place(phi, name)) == b.col(j));
    const VectorXd t = standardised(b.col(j));
    for (int d = 2; d <= options.powers; ++d) {
      const VectorXd power = t.array().pow(d);
      const double error =
          (whole.col(place(phi, name + "^" + std::to_string(d))) - power).cwiseAbs().maxCoeff() / power.maxCoeff();
      EXPECT_LE(error, 1e-10) << d;
    }
  }
}

TEST_P(ExpansionLaw, BinsPartitionTheRowsEvenly) {
  for (Index j = 0; j < p && options.bins > 0; ++j) {
    if (is_code(j)) continue;
    const MatrixXd bins = whole.middleCols(place(phi, phi.input_names()[j] + ":bin1"), options.bins);
    EXPECT_TRUE((bins.rowwise().sum().array() == 1).all());
    EXPECT_TRUE((bins.array() == 0 || bins.array() == 1).all());
    EXPECT_LE(bins.colwise().sum().maxCoeff() - bins.colwise().sum().minCoeff(), 1);
    for (Index k = 1; k < options.bins; ++k) {
      const double below = (bins.col(k - 1).array() == 1).select(b.col(j).array(), -HUGE_VAL).maxCoeff();
      const double above = (bins.col(k).array() == 1).select(b.col(j).array(), HUGE_VAL).minCoeff();
      EXPECT_LT(below, above);
    }
  }
}

TEST_P(ExpansionLaw, IndicatorsOfCodesPartitionTheRowsAndGiveTheCodesBack) {
  for (Index j = 0; j < p; ++j) {
    if (!is_code(j)) continue;
    EXPECT_TRUE((base(j).rowwise().sum().array() == 1).all());
    EXPECT_TRUE((base(j).colwise().sum().array() >= 1).all());
    const std::vector<double>& levels = phi.columns()[j].levels;
    EXPECT_TRUE(std::is_sorted(levels.begin(), levels.end()));
    EXPECT_TRUE(base(j) * Eigen::Map<const VectorXd>(levels.data(), base(j).cols()) == b.col(j));
  }
}

TEST_P(ExpansionLaw, InteractionsAreProductsOfBaseColumns) {
  Index count = 0;
  for (Index i = 0; i < p && options.interactions; ++i)
    for (Index j = i + 1; j < p; ++j) count += base(i).cols() * base(j).cols();
  Index at = phi.outputs() - count;
  EXPECT_EQ(phi.names()[at - 1].find('*'), std::string::npos);
  for (Index i = 0; i < p && count > 0; ++i)
    for (Index j = i + 1; j < p; ++j)
      for (Index k = 0; k < base(i).cols(); ++k)
        for (Index l = 0; l < base(j).cols(); ++l, ++at) {
          const VectorXd product = base(i).col(k).cwiseProduct(base(j).col(l));
          EXPECT_LE((whole.col(at) - product).cwiseAbs().maxCoeff(), 1e-10) << phi.names()[at];
          EXPECT_EQ(phi.names()[at],
                    phi.names()[phi.columns()[i].first + k] + "*" + phi.names()[phi.columns()[j].first + l]);
        }
}

TEST_P(ExpansionLaw, LayoutDoesNotMatter) {
  const RowMajor rows = b;
  EXPECT_EQ(Expansion::fit(rows, numbered(p), options), phi);
  EXPECT_TRUE(phi.transform(rows) == whole);
  RowMajor wide(n, p + 3);
  wide << random.matrix(n, 2), b, random.matrix(n, 1);
  EXPECT_TRUE(phi.transform(Columns(wide.middleCols(2, p))) == whole);
}

TEST_P(ExpansionLaw, FloatsAreTheirDoubleValues) {
  const Eigen::MatrixXf narrow = b.cast<float>();
  const MatrixXd widened = narrow.cast<double>();
  const Expansion of_floats = Expansion::fit(narrow, numbered(p), options);
  EXPECT_EQ(of_floats, Expansion::fit(widened, numbered(p), options));
  EXPECT_TRUE(of_floats.transform(narrow) == of_floats.transform(widened));
}

TEST_P(ExpansionLaw, PartsAreRowsOfTheWhole) {
  const Index first = random.integer(0, n), count = random.integer(0, n - first);
  EXPECT_TRUE(phi.transform(Columns(b).middle_rows(first, count)) == whole.middleRows(first, count));
}

TEST_P(ExpansionLaw, EvaluateIsTransformAndWritesNothingElse) {
  const Index pad_in = random.integer(0, 5), pad_out = random.integer(0, 5);
  MatrixXd in(n + pad_in, p), out = MatrixXd::Constant(n + pad_out, phi.outputs(), -7);
  in.topRows(n) = b;
  in.bottomRows(pad_in).setConstant(std::numeric_limits<double>::quiet_NaN());
  phi.evaluate(in.data(), in.rows(), n, out.data(), out.rows());
  EXPECT_TRUE(out.topRows(n) == whole);
  EXPECT_TRUE((out.bottomRows(pad_out).array() == -7).all());
}

TEST_P(ExpansionLaw, TheOrderOfRowsDoesNotMatter) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(GetParam()));
  const MatrixXd mixed = b(order, Eigen::all);
  EXPECT_EQ(Expansion::fit(mixed, numbered(p), options), phi);
}

TEST_P(ExpansionLaw, WholeWeightsAreRepeatedRows) {
  VectorXd w(n);
  std::vector<Index> repeated;
  for (Index i = 0; i < n; ++i) {
    w[i] = static_cast<double>(random.integer(i == 0 ? 1 : 0, 3));
    for (Index r = 0; r < static_cast<Index>(w[i]); ++r) repeated.push_back(i);
    if (w[i] == 0) b.row(i).array() += 1e6;  // codes and outliers that no other row has
  }
  const MatrixXd rows = b(repeated, Eigen::all);
  const Expansion weighted = Expansion::fit(b, numbered(p), options, span_of(w));
  EXPECT_EQ(weighted, Expansion::fit(rows, numbered(p), options));
  const MatrixXd all = weighted.transform(b, span_of(w));
  EXPECT_TRUE(MatrixXd(all(repeated, Eigen::all)) == weighted.transform(rows));
  for (Index i = 0; i < n; ++i) {
    if (w[i] == 0) {
      EXPECT_TRUE((all.row(i).array() == 0).all());
    }
  }
  EXPECT_EQ(Expansion::fit(b, numbered(p), options, span_of(VectorXd::Ones(n))),
            Expansion::fit(b, numbered(p), options));
}

// Weights that are not whole have no unit: any multiple of them is the same, and equal ones are none.
TEST_P(ExpansionLaw, OtherWeightsHaveNoUnit) {
  VectorXd w(n);
  for (double& weight : w) weight = random.uniform(0, 1);
  const auto learned = [&](const VectorXd& weights) {
    return Expansion::fit(b, numbered(p), options, span_of(weights)).transform(b);
  };
  const double size = whole.cwiseAbs().maxCoeff();
  EXPECT_LE((learned(w) - learned(w / 7)).cwiseAbs().maxCoeff(), 1e-9 * size);
  EXPECT_LE((learned(w) - learned(w * 123.4)).cwiseAbs().maxCoeff(), 1e-9 * size);
  EXPECT_LE((learned(VectorXd::Constant(n, 0.1)) - whole).cwiseAbs().maxCoeff(), 1e-9 * size);
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(GetParam()));
  const MatrixXd mixed = b(order, Eigen::all);
  const VectorXd mixed_w = w(order);
  EXPECT_EQ(Expansion::fit(mixed, numbered(p), options, span_of(mixed_w)),
            Expansion::fit(b, numbered(p), options, span_of(w)));
}

TEST_P(ExpansionLaw, TheJsonFormIsExact) {
  const Expansion copy = Expansion::from_json(phi.to_json());
  EXPECT_EQ(copy, phi);
  EXPECT_TRUE(copy.transform(b) == whole);
  EXPECT_EQ(copy.to_json(), phi.to_json());
}

TEST_P(ExpansionLaw, NaNsAreNamedInFitAndTransform) {
  const Index row = random.integer(0, n - 1), column = random.integer(0, p - 1);
  MatrixXd bad = b;
  bad(row, column) = random.integer(0, 1) == 0 ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL;
  const std::string cell = "row " + std::to_string(row) + ", column 'b" + std::to_string(column) + "' is ";
  const std::string in_fit = message_of([&] { Expansion::fit(bad, numbered(p), options); });
  const std::string in_transform = message_of([&] { phi.transform(bad); });
  VectorXd w = VectorXd::Ones(n);
  w[row] = 0;
  const std::string of_weight_zero = message_of([&] { Expansion::fit(bad, numbered(p), options, span_of(w)); });
  EXPECT_NE(in_fit.find(cell), std::string::npos) << in_fit;
  EXPECT_NE(of_weight_zero.find(cell), std::string::npos) << of_weight_zero;
  EXPECT_NE(in_transform.find(cell), std::string::npos) << in_transform;
}

INSTANTIATE_TEST_SUITE_P(Seeds, ExpansionLaw, ::testing::Range(0U, 30U));

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
  const VectorXd m = system.partialPivLu().solve(right);
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
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(design);
  EXPECT_EQ(qr.rank(), count);
  const VectorXd target = interpolate(knots, random.matrix(count, 1), x);
  EXPECT_LE((target - design * qr.solve(target)).norm(), 1e-10 * target.norm());
}

INSTANTIATE_TEST_SUITE_P(Seeds, SplineLaw, ::testing::Range(0U, 20U));

TEST(Expansion, RemovesWhatIsNotLinear) {
  Random random(1);
  const MatrixXd b = random.matrix(5000, 1).array() + 3;
  const MatrixXd square = b.array().square();
  const MatrixXd a = square + random.matrix(5000, 1);
  const auto residual = [&](const ExpansionOptions& options) -> MatrixXd {
    const MatrixXd terms = Expansion::fit(b, {"b"}, options).transform(b);
    MatrixXd design(terms.rows(), terms.cols() + 1);
    design << VectorXd::Ones(terms.rows()), terms;
    return a - design * design.colPivHouseholderQr().solve(a);
  };
  EXPECT_GE(max_correlation(residual({}), square), 0.05);
  EXPECT_LE(max_correlation(residual({}), b), 1e-10);
  EXPECT_LE(max_correlation(residual({.powers = 2}), square), 1e-10);
  EXPECT_LE(max_correlation(residual({.powers = 3, .knots = 5, .bins = 4}), square), 1e-10);
  EXPECT_LE(max_correlation(residual({.knots = 8}), square), 0.05);
}

TEST(Expansion, NamesSayWhatTheOutputsAre) {
  MatrixXd b(4, 3);
  b << 1, 2, 10, 2, 0.5, 20, 3, 2, 30, 4, -1, 40;
  const Expansion phi = Expansion::fit(b, {"age", "race", "income"},
                                       {.powers = 2, .knots = 3, .bins = 2, .interactions = true, .one_hot = {1}});
  EXPECT_EQ(phi.names(), (Names{"age",         "age^2",          "age:spline1",     "age:bin1",
                                "age:bin2",    "race=-1",        "race=0.5",        "race=2",
                                "income",      "income^2",       "income:spline1",  "income:bin1",
                                "income:bin2", "age*race=-1",    "age*race=0.5",    "age*race=2",
                                "age*income",  "race=-1*income", "race=0.5*income", "race=2*income"}));
  EXPECT_EQ(phi.input_names(), (Names{"age", "race", "income"}));
  EXPECT_EQ(phi.inputs(), 3);
  EXPECT_EQ(phi.outputs(), 20);
}

TEST(Expansion, TheDefaultHasNoColumnsAndDefaultOptionsChangeNothing) {
  EXPECT_EQ(Expansion().outputs(), 0);
  EXPECT_EQ(Expansion().transform(Columns()).size(), 0);
  EXPECT_EQ(Expansion::from_json(Expansion().to_json()), Expansion());
  Random random(2);
  const MatrixXd b = random.matrix(1000, 4);
  const Expansion same = Expansion::fit(b, numbered(4));
  EXPECT_EQ(same.names(), same.input_names());
  EXPECT_TRUE(same.transform(b) == b);
}

TEST(Expansion, TiesMergeKnotsAndEdges) {
  const ExpansionOptions options{.powers = 2, .knots = 5, .bins = 4, .interactions = true};
  const VectorXd constant = VectorXd::Constant(50, 0.1);
  const Expansion of_constant = Expansion::fit(constant, {"b"}, options);
  EXPECT_EQ(of_constant.names(), (Names{"b", "b^2"}));
  EXPECT_TRUE((of_constant.transform(constant).col(1).array() == 0).all());

  Random random(3);
  VectorXd tied(1000);
  for (Index i = 0; i < 1000; ++i) tied[i] = static_cast<double>(i < 600 ? 0 : random.integer(0, 9));
  const Expansion phi = Expansion::fit(tied, {"b"}, options);
  const MatrixXd out = phi.transform(tied);
  const Index bins = static_cast<Index>(phi.columns()[0].edges.size()) + 1;
  EXPECT_GE(bins, 2);
  EXPECT_LT(bins, 4);
  EXPECT_TRUE((out.rightCols(bins).rowwise().sum().array() == 1).all());
  EXPECT_TRUE((out.rightCols(bins).colwise().sum().array() >= 1).all());
  EXPECT_TRUE(out.allFinite());

  VectorXd two(100);
  for (Index i = 0; i < 100; ++i) two[i] = i < 98 ? 5 : -5;
  EXPECT_EQ(Expansion::fit(two, {"b"}, options).names(), (Names{"b", "b^2"}));
  two = -two;
  EXPECT_EQ(Expansion::fit(two, {"b"}, options).names(), (Names{"b", "b^2", "b:bin1", "b:bin2"}));
  two[0] = -5 + 1e-14;
  EXPECT_TRUE(Expansion::fit(two, {"b"}, options).transform(two).allFinite());
}

TEST(Expansion, MinusZeroIsZero) {
  VectorXd plus(4), minus(4);
  plus << 0, 0, 1, 2;
  minus << -0.0, 0, 1, 2;
  for (const ExpansionOptions& options : {ExpansionOptions{.bins = 2}, ExpansionOptions{.one_hot = {0}}})
    EXPECT_EQ(Expansion::fit(minus, {"b"}, options).to_json(), Expansion::fit(plus, {"b"}, options).to_json());
}

TEST(Expansion, ValuesOutsideTheFitKeepTheirBin) {
  const VectorXd b = VectorXd::LinSpaced(10, 1, 10);
  const Expansion phi = Expansion::fit(b, {"b"}, {.bins = 2});
  VectorXd outside(4);
  outside << -1e6, 5, 5.000001, 1e6;
  MatrixXd expected(4, 2);
  expected << 1, 0, 1, 0, 0, 1, 0, 1;
  EXPECT_TRUE(phi.transform(outside).rightCols(2) == expected);
}

TEST(Expansion, UnknownCodesAreRefusedOrSetNothing) {
  VectorXd b(4), later(3);
  b << 1, 0, 1, 2;
  later << 2, -0.0, 3;
  const Expansion strict = Expansion::fit(b, {"race"}, {.one_hot = {0}});
  const std::string message = message_of([&] { strict.transform(later); });
  EXPECT_NE(message.find("row 2, column 'race' is 3, a code not seen in fit"), std::string::npos) << message;
  const Expansion lenient = Expansion::fit(b, {"race"}, {.one_hot = {0}, .ignore_unknown = true});
  MatrixXd expected(3, 3);
  expected << 0, 0, 1, 1, 0, 0, 0, 0, 0;
  EXPECT_TRUE(lenient.transform(later) == expected);
  later[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message_of([&] { lenient.transform(later); }).find("row 1, column 'race' is nan"), std::string::npos);
}

TEST(ExpansionBadInput, OptionsNameTheirField) {
  const MatrixXd b = MatrixXd::Random(50, 2);
  const auto message = [&](const ExpansionOptions& options) {
    return message_of([&] { Expansion::fit(b, {"x", "y"}, options); });
  };
  EXPECT_NE(message({.powers = 0}).find("powers is 0"), std::string::npos);
  EXPECT_NE(message({.knots = 2}).find("knots is 2; it must be 0 or from 3"), std::string::npos);
  EXPECT_NE(message({.knots = -1}).find("knots is -1"), std::string::npos);
  EXPECT_NE(message({.bins = 1}).find("bins is 1; it must be 0 or from 2"), std::string::npos);
  EXPECT_NE(message({.bins = 1001}).find("bins is 1001"), std::string::npos);
  EXPECT_NE(message({.one_hot = {2}}).find("one_hot names column 2; there are 2"), std::string::npos);
  EXPECT_NE(message({.one_hot = {-1}}).find("one_hot names column -1"), std::string::npos);
  EXPECT_NE(message({.one_hot = {1, 0, 1}}).find("one_hot names column 1 twice"), std::string::npos);
}

TEST(ExpansionBadInput, ShapesAndRangesAreChecked) {
  Random random(4);
  const MatrixXd b = random.matrix(5000, 2);
  const auto message = [&](const Columns& table, const Names& names, const ExpansionOptions& options = {}) {
    return message_of([&] { Expansion::fit(table, names, options); });
  };
  EXPECT_NE(message(b, {"x"}).find("1 names for 2 columns"), std::string::npos);
  EXPECT_NE(message(b.topRows(0), {"x", "y"}).find("0 rows"), std::string::npos);
  EXPECT_NE(message(Columns(), {}).find("no sensitive columns"), std::string::npos);
  EXPECT_NE(message(b, {"x", "y"}, {.one_hot = {1}}).find("column 'y' has 5000 levels"), std::string::npos);
  EXPECT_NE(message(b.topRows(900), {"x", "y"}, {.interactions = true, .one_hot = {0, 1}}).find("over 100000 outputs"),
            std::string::npos);
  for (const double scale : {1e200, 1e-200, 4e307}) {
    const MatrixXd extreme = b * scale;
    EXPECT_NE(message(extreme, {"x", "y"}).find("column 'x' has values from"), std::string::npos) << scale;
  }
  const Expansion phi = Expansion::fit(b, {"x", "y"}, {.powers = 3, .knots = 4, .interactions = true});
  EXPECT_NE(message_of([&] { phi.transform(b.leftCols(1)); }).find("b has 1 columns"), std::string::npos);
  MatrixXd far = b.topRows(700);
  far(600, 1) = 1e200;
  EXPECT_NE(message_of([&] { phi.transform(far); }).find("row 600, output 'y^2' leaves the range"), std::string::npos);
  MatrixXd out(10, phi.outputs());
  EXPECT_THROW(phi.evaluate(b.data(), 5000, 10, out.data(), 9), Error);
  EXPECT_THROW(phi.evaluate(b.data(), 5000, -1, out.data(), 10), Error);
}

TEST(ExpansionBadInput, WeightsAreChecked) {
  const MatrixXd b = MatrixXd::Random(4, 1);
  const auto message = [&](const std::vector<double>& weights) {
    return message_of([&] { Expansion::fit(b, {"x"}, {}, weights); });
  };
  EXPECT_NE(message({1, 1}).find("2 weights for 4 rows"), std::string::npos);
  EXPECT_NE(message({1, 1, -1, 1}).find("row 2 is -1"), std::string::npos);
  EXPECT_NE(message({1, 1, 1, std::nan("")}).find("row 3 is nan"), std::string::npos);
  EXPECT_NE(message({1e308, 1e308, 1, 1}).find("weights"), std::string::npos);
  EXPECT_NE(message({0, 0, 0, 0}).find("the weight of every row is 0"), std::string::npos);
  EXPECT_NE(message({1e307, 0, 1e-300, 2}).find("squares"), std::string::npos);
  EXPECT_EQ(message({1e200, 0, 1e-50, 2}), "");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ExpansionJson, MalformedTextIsRefused) {
  MatrixXd b(6, 2);
  b << 1, 0, 2, 1, 3, 0, 4, 1, 5, 2, 6, 0;
  const Expansion phi = Expansion::fit(b, {"age", "race"}, {.powers = 2, .knots = 3, .bins = 2, .one_hot = {1}});
  const std::string text = phi.to_json();
  for (std::size_t i = 0; i < text.size(); ++i) EXPECT_THROW(Expansion::from_json(text.substr(0, i)), Error) << i;
  for (const std::string field : {"format", "version", "powers", "interactions", "ignore_unknown", "columns", "outputs",
                                  "name", "mean", "sd", "knots", "edges", "levels"}) {
    const std::string without = replaced(text, "\"" + field + "\":", "\"other\":");
    EXPECT_NE(message_of([&] { Expansion::from_json(without); }), "") << field;
    for (const std::string value : {"null", "{}", "[null]", "\"x\"", "-1", "1e999", "[1,\"x\"]", "[[1]]", "[1,1,1]"}) {
      if (field == "mean" && value == "-1") continue;
      const std::string wrong = replaced(text, "\"" + field + "\":", "\"" + field + "\":" + value + ",\"other\":");
      EXPECT_THROW(Expansion::from_json(wrong), Error) << wrong;
    }
  }
  const auto refused = [&](const std::string& from, const std::string& to) {
    return message_of([&] { Expansion::from_json(replaced(text, from, to)); });
  };
  EXPECT_NE(refused("\"version\":1", "\"version\":2").find("version 2"), std::string::npos);
  EXPECT_NE(refused("\"powers\":2", "\"powers\":1").find("'outputs'"), std::string::npos);
  EXPECT_NE(refused("\"powers\":2", "\"powers\":true").find("'powers'"), std::string::npos);
  EXPECT_NE(refused("\"powers\":2", "\"powers\":18446744073709551615").find("'powers'"), std::string::npos);
  EXPECT_NE(refused("\"powers\":2", "\"powers\":1001").find("powers is 1001"), std::string::npos);
  EXPECT_NE(refused("\"edges\":[", "\"edges\":[-1,").find("'outputs'"), std::string::npos);
  EXPECT_NE(refused("\"edges\":[", "\"edges\":[9,").find("increasing"), std::string::npos);
  EXPECT_NE(refused("\"levels\":[0.0,", "\"levels\":[").find("'outputs'"), std::string::npos);
  EXPECT_NE(refused("\"knots\":[", "\"knots\":[-1e308,0,1e308],\"k\":[").find("'knots'"), std::string::npos);
  EXPECT_NE(refused("\"sd\":", "\"sd\":0,\"s\":").find("'sd'"), std::string::npos);
  for (const std::string other : {"", "[]", "null", "3", "\"text\"", "{}", "\xff"})
    EXPECT_THROW(Expansion::from_json(other), Error) << other;
  EXPECT_THROW(Expansion::from_json(std::string(1000000, '[')), Error);
}

TEST(ExpansionJson, NamesAreAnyUtf8Text) {
  const MatrixXd b = MatrixXd::Random(20, 2);
  const Expansion phi = Expansion::fit(b, {"äge, \"years\"\n", ""}, {.powers = 2, .interactions = true});
  EXPECT_EQ(Expansion::from_json(phi.to_json()), phi);
  EXPECT_NE(message_of([&] { Expansion::fit(b, {"\xff", "y"}).to_json(); }).find("UTF-8"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
