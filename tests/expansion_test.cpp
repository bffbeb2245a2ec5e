#include "plumbline/expansion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "message_of.h"
#include "plumbline/error.h"
#include "random_data.h"
#include "reference_algebra.h"

namespace plumbline {
namespace {

using testing::least_squares;
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

TEST(Expansion, RemovesWhatIsNotLinear) {
  Random random(1);
  const MatrixXd b = random.matrix(5000, 1).array() + 3;
  const MatrixXd square = b.array().square();
  const MatrixXd a = square + random.matrix(5000, 1);
  const auto residual = [&](const ExpansionOptions& options) -> MatrixXd {
    const MatrixXd terms = Expansion::fit(b, {"b"}, options).transform(b);
    MatrixXd design(terms.rows(), terms.cols() + 1);
    design << VectorXd::Ones(terms.rows()), terms;
    return a - design * least_squares(design, a);
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

}  // namespace
}  // namespace plumbline
