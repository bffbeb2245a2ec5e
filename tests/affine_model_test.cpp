// Applying a model: every layout, number type, thread count and call gives the same rows.
#include "plumbline/affine_model.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "plumbline/error.h"
#include "plumbline/fit.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::RowMajor;
using testing::span_of;
using testing::VectorXd;

std::vector<Fit> fits_of(const MatrixXd& a, const MatrixXd& b) {
  return {fit(a, b),
          fit(a, b, {.rank = Rank::count(2)}),
          fit(a, b, {.mode = Mode::blind}),
          fit(a, b, {.mode = Mode::blind, .rank = Rank::count(2), .alpha = 0.7}),
          fit(a, b, {.method = Method::sob, .rank = Rank::count(2)}),
          fit(a, b, {.alpha = 0.5}, {.expand = ExpansionOptions{.powers = 3, .bins = 4}})};
}

class AffineLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
  Index n = random.integer(30, 9000), q = random.integer(5, 12), p = random.integer(1, 4);
  MatrixXd b = random.matrix(n, p), a = random.features(b, q);
};

TEST_P(AffineLaw, FactoredEqualsDense) {
  for (const Fit& f : fits_of(a, b)) {
    const std::optional<Expansion>& expansion = f.model.parts().expansion;
    const MatrixXd phi = expansion ? expansion->transform(b) : b;
    const MatrixXd expected = (a * f.model.dense_a().transpose() + phi * f.model.dense_b().transpose()).rowwise() +
                              f.model.constant().transpose();
    EXPECT_LE((f.model.apply(a, b) - expected).cwiseAbs().maxCoeff(), 1e-10 * (1 + a.cwiseAbs().maxCoeff()));
  }
}

TEST_P(AffineLaw, FactoredScoresEqualDenseOnes) {
  for (const Fit& f : fits_of(a, b)) {
    if (f.model.scores() == 0) {
      EXPECT_THROW(f.model.dense_scores(), Error);
      continue;
    }
    const DenseMap map = f.model.dense_scores();
    const MatrixXd expected = (a * map.a.transpose() + b * map.b.transpose()).rowwise() + map.constant.transpose();
    MatrixXd scores(n, f.model.scores());
    f.model.apply_scores(a, b, scores);
    EXPECT_LE((scores - expected).cwiseAbs().maxCoeff(), 1e-10 * (1 + a.cwiseAbs().maxCoeff()));
  }
}

TEST_P(AffineLaw, LayoutsAndPlacesGiveTheSameBits) {
  const RowMajor rows_a = a, rows_b = b;
  for (const Fit& f : fits_of(a, b)) {
    const MatrixXd expected = f.model.apply(a, b);
    RowMajor out_rows(n, q);
    f.model.apply(rows_a, rows_b, out_rows);
    EXPECT_TRUE(MatrixXd(out_rows) == expected);
    f.model.apply(a, rows_b, out_rows, {.threads = 3});
    EXPECT_TRUE(MatrixXd(out_rows) == expected);
    MatrixXd place = a;
    f.model.apply_in_place(place, b);
    EXPECT_TRUE(place == expected);
    RowMajor place_rows = rows_a;
    f.model.apply_in_place(place_rows, rows_b);
    EXPECT_TRUE(MatrixXd(place_rows) == expected);
    RowMajor padded = RowMajor::Constant(n, q + 3, 5);
    f.model.apply(rows_a, b, padded.middleCols(1, q));
    EXPECT_TRUE(MatrixXd(padded.middleCols(1, q)) == expected);
    EXPECT_TRUE((padded.leftCols(1).array() == 5).all() && (padded.rightCols(2).array() == 5).all());
  }
}

// Whatever the steps from cell to cell are, also where one table is of columns and the other of rows.
TEST_P(AffineLaw, AnyStridesOfInputAndOutputGiveTheSameBits) {
  for (const Index columns : {Index{1}, Index{2}, q}) {
    const MatrixXd some = a.leftCols(columns);
    const AffineModel model = fit(some, b).model;
    const MatrixXd expected = model.apply(some, b);
    for (const Index row_step : {columns, columns + 2, Index{1}})
      for (const Index out_step : {columns, columns + 3, Index{1}}) {
        const Index column_step = row_step == 1 ? n + 1 : 1, out_column = out_step == 1 ? n + 2 : 1;
        std::vector<double> from(static_cast<std::size_t>((n + 4) * (columns + 4)), 7), to = from;
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < columns; ++j)
            from[static_cast<std::size_t>(i * row_step + j * column_step)] = some(i, j);
        model.apply(Columns(from.data(), n, columns, row_step, column_step), b,
                    MutableColumns(to.data(), n, columns, out_step, out_column));
        std::vector<double> wanted(to.size(), 7);
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < columns; ++j)
            wanted[static_cast<std::size_t>(i * out_step + j * out_column)] = expected(i, j);
        EXPECT_TRUE(to == wanted) << columns << " columns, steps " << row_step << " and " << out_step;
      }
  }
}

// Columns that overlap in memory are allowed to be read.
TEST_P(AffineLaw, WindowsOverOneSeriesAreATable) {
  const VectorXd series = random.matrix(n + q, 1);
  const Columns windows(series.data(), n, q, 1, 1);
  MatrixXd copy(n, q);
  for (Index j = 0; j < q; ++j) copy.col(j) = series.segment(j, n);
  const AffineModel model = fit(copy, b).model;
  RowMajor out(n, q);
  model.apply(windows, b, out);
  EXPECT_TRUE(MatrixXd(out) == model.apply(copy, b));
}

TEST_P(AffineLaw, PartsOfATableGiveTheirRows) {
  const Index cut = random.integer(0, n);
  for (const Fit& f : fits_of(a, b)) {
    const MatrixXd whole = f.model.apply(a, b);
    EXPECT_TRUE(f.model.apply(a.topRows(cut), b.topRows(cut)) == whole.topRows(cut));
    EXPECT_TRUE(f.model.apply(a.bottomRows(n - cut), b.bottomRows(n - cut)) == whole.bottomRows(n - cut));
  }
}

TEST_P(AffineLaw, FloatsAreTransformedInDouble) {
  const Eigen::MatrixXf narrow_a = a.cast<float>(), narrow_b = b.cast<float>();
  const MatrixXd wide_a = narrow_a.cast<double>(), wide_b = narrow_b.cast<double>();
  for (const Fit& f : fits_of(a, b)) {
    Eigen::MatrixXf out(n, q);
    f.model.apply(narrow_a, narrow_b, out);
    EXPECT_TRUE(out == f.model.apply(wide_a, wide_b).cast<float>());
  }
}

TEST_P(AffineLaw, OneRowIsARowOfTheTable) {
  for (const Fit& f : fits_of(a, b)) {
    const MatrixXd whole = f.model.apply(a, b);
    VectorXd row(q);
    for (Index i = 0; i < std::min<Index>(n, 20); ++i) {
      const VectorXd row_a = a.row(i), row_b = b.row(i);
      f.model.apply_row(span_of(row_a), span_of(row_b), {row.data(), static_cast<std::size_t>(q)});
      EXPECT_LE((row - whole.row(i).transpose()).cwiseAbs().maxCoeff(), 1e-11 * (1 + a.cwiseAbs().maxCoeff()));
    }
    VectorXd place = a.row(0);
    const VectorXd row_a = place, row_b = b.row(0);
    f.model.apply_row(span_of(row_a), span_of(row_b), {row.data(), static_cast<std::size_t>(q)});
    f.model.apply_row(span_of(place), span_of(row_b), {place.data(), static_cast<std::size_t>(q)});
    EXPECT_TRUE(place == row);
  }
}

TEST_P(AffineLaw, ScoresAreUncorrelatedWithBAndGiveTheFeatures) {
  for (const Fit& f : {fit(a, b, {.rank = Rank::count(3)}), fit(a, b, {.mode = Mode::blind, .rank = Rank::count(1)})}) {
    MatrixXd scores(n, f.model.scores());
    f.model.apply_scores(a, b, scores);
    EXPECT_LE(testing::max_correlation(scores, b), 1e-12);
    const MatrixXd features =
        (scores * f.model.parts().output.transpose()).rowwise() + f.model.parts().mean_a.transpose();
    EXPECT_LE((features - f.model.apply(a, b)).cwiseAbs().maxCoeff(), 1e-10 * (1 + a.cwiseAbs().maxCoeff()));
  }
}

// Large outputs go past the caches; their bits are those of small ones.
TEST(AffineEdge, StreamedTablesHaveTheBitsOfTheirParts) {
  Random random(3);
  const Index n = 180001, q = 50;  // over 8 × 2²⁰ cells
  const RowMajor b = random.matrix(n, 2), a = random.matrix(n, q);
  const AffineModel model = fit(a, b).model;
  RowMajor rows(n, q), parts(n, q);
  MatrixXd columns(n, q);
  model.apply(a, b, rows);
  model.apply(MatrixXd(a), b, columns);
  const Index step = 8 * 4096;
  for (Index first = 0; first < n; first += step) {
    const Index count = std::min(step, n - first);
    model.apply(a.middleRows(first, count), b.middleRows(first, count), parts.middleRows(first, count));
  }
  EXPECT_TRUE(rows == parts);
  EXPECT_TRUE(columns == parts);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AffineLaw, ::testing::Range(0U, 8U));

TEST(AffineBadInput, NamesTheCellAndLeavesTablesInPlaceAlone) {
  Random random(1);
  const MatrixXd b = random.matrix(9000, 2), clean = random.matrix(9000, 4);
  const AffineModel model = fit(clean, b).model;
  MatrixXd a = clean;
  a(8000, 3) = std::nan("");
  a(7000, 1) = INFINITY;
  const MatrixXd before = a;
  EXPECT_NE(message_of([&] { model.apply(a, b); }).find("row 7000, column 'a1' is inf"), std::string::npos);
  EXPECT_NE(message_of([&] { model.apply_in_place(a, b); }).find("row 7000, column 'a1' is inf"), std::string::npos);
  EXPECT_TRUE((a.array() == before.array() || before.array().isNaN()).all());
  MatrixXd bad_b = b;
  bad_b(3, 1) = std::nan("");
  EXPECT_NE(message_of([&] { model.apply(clean, bad_b); }).find("row 3, column 'b1' is nan"), std::string::npos);
  VectorXd row_a = a.row(8000), row_b = b.row(0), out = row_a;
  EXPECT_NE(message_of([&] {
              model.apply_row(span_of(row_a), span_of(row_b), {out.data(), 4});
            }).find("column 'a3' is nan"),
            std::string::npos);
}

TEST(AffineBadInput, ShapesAreChecked) {
  Random random(2);
  const MatrixXd b = random.matrix(50, 2), a = random.matrix(50, 4);
  const AffineModel model = fit(a, b).model;
  MatrixXd out(50, 3);
  EXPECT_NE(message_of([&] { model.apply(a.leftCols(3), b); }).find("a has 3 columns; the model has 4"),
            std::string::npos);
  EXPECT_NE(message_of([&] { model.apply(a, b.leftCols(1)); }).find("b has 1 columns; the model needs 2"),
            std::string::npos);
  EXPECT_NE(message_of([&] { model.apply(a, Columns()); }).find("blind mode"), std::string::npos);
  EXPECT_NE(message_of([&] { model.apply(a, b.topRows(49)); }).find("50 rows and b has 49"), std::string::npos);
  EXPECT_NE(message_of([&] { model.apply(a, b, out); }).find("out is 50 × 3; it must be 50 × 4"), std::string::npos);
  EXPECT_NE(message_of([&] { model.apply_scores(a, b, out); }).find("no scores"), std::string::npos);
  EXPECT_NE(message_of([&] { AffineModel().apply(a, b); }).find("empty"), std::string::npos);
  EXPECT_NE(message_of([&] { AffineModel(AffineParts{}); }).find("no features"), std::string::npos);
  const std::vector<double> three(3);
  std::vector<double> four(4);
  EXPECT_NE(message_of([&] { model.apply_row(three, three, four); }).find("4 features"), std::string::npos);
}

TEST(AffineBadInput, InPlaceNothingIsWrittenBeforeAllIsKnownToBeRight) {
  Random random(3);
  const Index n = 9000;
  MatrixXd b(n, 1);
  for (Index i = 0; i < n; ++i) b(i, 0) = static_cast<double>(random.integer(0, 3));
  const MatrixXd a = random.features(b, 3);
  const AffineModel model = fit(a, b, {}, {.expand = ExpansionOptions{.one_hot = {0}}}).model;
  b(8500, 0) = 9;
  MatrixXd place = a;
  EXPECT_NE(message_of([&] { model.apply_in_place(place, b); }).find("row 8500"), std::string::npos);
  EXPECT_TRUE(place == a);

  AffineParts parts = fit(a, MatrixXd(b.cwiseMin(3))).model.parts();
  parts.output *= 1e300;
  b.setZero();
  b(8500, 0) = 1e300;
  EXPECT_NE(message_of([&] { AffineModel(parts).apply_in_place(place, b); }).find("so large"), std::string::npos);
  EXPECT_TRUE(place == a);
}

TEST(AffineBadInput, AFloatThatCannotHoldTheResultIsNamed) {
  Random random(4);
  const MatrixXd b = random.matrix(50, 1), a = random.features(b, 3);
  for (const FitOptions& options : {FitOptions{}, FitOptions{.rank = Rank::count(2)}}) {
    AffineParts parts = fit(a, b, options).model.parts();
    parts.direct.setConstant(4);
    const Eigen::MatrixXf large = Eigen::MatrixXf::Constant(50, 3, 3e38F), narrow_b = b.cast<float>();
    Eigen::MatrixXf out(50, 3);
    EXPECT_NE(message_of([&] {
                AffineModel(parts).apply(large, narrow_b, out);
              }).find("row 0, column 'a0': the values are so large"),
              std::string::npos);
  }
}

TEST(AffineEdge, ResultsThatFitAreWrittenThoughTheirSumWouldNot) {
  Random random(5);
  const MatrixXd b = random.matrix(300, 1), a = random.features(b, 2);
  AffineParts parts = fit(a, b, {.rank = Rank::count(1)}).model.parts();
  parts.output.setZero();
  parts.direct.setOnes();
  const AffineModel model(parts);
  const MatrixXd large = MatrixXd::Constant(300, 2, 1e306), expected = model.apply(large, b);
  MatrixXd place = large;
  EXPECT_NO_THROW(model.apply_in_place(place, b));
  EXPECT_TRUE(place == expected);
}

TEST(AffineBadInput, AnOutputThatIsTheInputIsLeftAlone) {
  Random random(6);
  const MatrixXd b = random.matrix(9000, 1);
  MatrixXd a = random.features(b, 3);
  const AffineModel model = fit(a, b).model;
  MatrixXd place = a;
  model.apply(place, b, place);
  EXPECT_TRUE(place == model.apply(a, b));
  a(8000, 1) = INFINITY;
  place = a;
  EXPECT_NE(message_of([&] { model.apply(place, b, place); }).find("row 8000, column 'a1' is inf"), std::string::npos);
  EXPECT_TRUE(place == a);
}

TEST(AffineBadInput, ScalesMustBePositive) {
  Random random(5);
  const MatrixXd b = random.matrix(50, 1), a = random.features(b, 3);
  AffineParts parts = fit(a, b).model.parts();
  parts.scale_a[1] = 0;
  EXPECT_NE(message_of([&] { AffineModel{parts}; }).find("scale_a"), std::string::npos);
  EXPECT_NE(message_of([&] { AffineModel().apply_row({}, {}, {}); }).find("empty"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
