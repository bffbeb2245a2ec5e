// Means and covariances are equal for all b, and the data are changed as little as that allows.
#include "plumbline/spread.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <limits>

#include "debias/fit_spread.h"
#include "message_of.h"
#include "plumbline/fit.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::max_correlation;
using testing::message_of;
using testing::Random;
using testing::span_of;
using testing::VectorXd;

FitOptions spread_options(bool diagonal = false, Rank rank = Rank::all()) {
  FitOptions out;
  out.remove = Remove::spread;
  out.rank = rank;
  out.spread.diagonal = diagonal;
  return out;
}

struct SpreadRows {
  MatrixXd a, b;
  FitOptions options;

  explicit SpreadRows(unsigned seed, Index least = 150, Index most = 1500) {
    Random random(seed);
    const Index n = random.integer(least, most), numbers = random.integer(0, 3),
                levels = random.integer(numbers == 0 ? 2 : 0, 3), q = random.integer(2, 7);
    b.resize(n, numbers + levels);
    b.leftCols(numbers) = random.matrix(n, numbers);
    if (levels > 0) b.rightCols(levels) = random.one_hot(n, levels);
    a = random.features(b, q);
    const MatrixXd scale = (0.3 * b * random.matrix(b.cols(), q)).array().exp();
    a = a.cwiseProduct(scale) + (b.cwiseAbs2() * random.matrix(b.cols(), q));
    options = spread_options(random.integer(0, 1) == 0,
                             random.integer(0, 1) == 0 ? Rank::all() : Rank::count(random.integer(1, q)));
  }

  Fit fitted() const { return fit(a, b, options); }
};

MatrixXd equalised(const Fit& f, const MatrixXd& a, const MatrixXd& b, int threads = 1) {
  MatrixXd out(a.rows(), a.cols());
  f.apply(a, b, out, {.threads = threads});
  return out;
}

MatrixXd scores_of(const Fit& f, const MatrixXd& a, const MatrixXd& b) {
  MatrixXd out(a.rows(), f.scores());
  f.apply_scores(a, b, out);
  return out;
}

double relative_distance(const MatrixXd& x, const MatrixXd& y) { return (x - y).norm() / (1e-300 + y.norm()); }

class SpreadTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(SpreadTest, LeavesNoCorrelationWithBOrItsRegions) {
  const SpreadRows rows(GetParam());
  const Fit f = rows.fitted();
  const MatrixXd fair = equalised(f, rows.a, rows.b);
  EXPECT_LT(max_correlation(fair, rows.b), 1e-9);
  EXPECT_LT(max_correlation(fair, f.spread->parts().partition.matrix(rows.b)), 1e-9);
  EXPECT_TRUE(f.certificate.holds());
  EXPECT_LT(f.certificate.after.correlation.value, 1e-9);
}

// Computed from the rows by the definition.
TEST_P(SpreadTest, TakesEachRegionsCovarianceToTheCommonOne) {
  const SpreadRows rows(GetParam());
  const Fit f = fit(rows.a, rows.b, spread_options());
  const SpreadParts& parts = f.spread->parts();
  const Index n = rows.a.rows(), q = rows.a.cols();
  const MatrixXd w = parts.partition.matrix(rows.b);
  MatrixXd u = testing::centred(rows.a);
  for (Index j = 0; j < q; ++j) u.col(j) /= std::sqrt(u.col(j).squaredNorm() / static_cast<double>(n));
  MatrixXd terms(n, w.cols() + rows.b.cols());
  terms << w, rows.b;
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> qr;  // w and b are collinear
  qr.setThreshold(1e-9);
  qr.compute(terms);
  const MatrixXd r = u - terms * qr.solve(u);
  const MatrixXd pooled = r.transpose() * r / static_cast<double>(n);
  const double prior = static_cast<double>(q) + 1;
  MatrixXd mean = MatrixXd::Zero(q, q);
  for (Index k = 0; k < w.cols(); ++k) {
    const double effective = std::pow(w.col(k).sum(), 2) / w.col(k).squaredNorm(), shrunk = prior / (prior + effective);
    EXPECT_NEAR(parts.rows[k], effective, 1e-8 * effective);
    EXPECT_NEAR(parts.shrunk[k], shrunk, 1e-10);
    const MatrixXd own = r.transpose() * w.col(k).asDiagonal() * r / w.col(k).sum();
    const MatrixXd covariance = (1 - shrunk) * own + shrunk * pooled;
    const auto& t = parts.maps[static_cast<std::size_t>(k)];
    EXPECT_LT(relative_distance(t * covariance * t, parts.centre), 1e-4) << GetParam();  // φ is told from w up to that
    mean += w.col(k).mean() * MatrixXd(t).inverse();
  }
  EXPECT_LT((mean - MatrixXd::Identity(q, q)).cwiseAbs().maxCoeff(), 1e-6);
}

// Levels are regions without overlap: there is nothing between the definition and the rows.
TEST_P(SpreadTest, MakesGroupsAlike) {
  Random random(GetParam());
  const Index n = random.integer(200, 900), levels = random.integer(2, 4), q = random.integer(1, 6);
  const MatrixXd b = random.one_hot(n, levels);
  MatrixXd a = random.features(b, q);
  for (Index i = 0; i < n; ++i)
    if (b(i, 0) == 1) a.row(i) = a.row(i) * (MatrixXd::Identity(q, q) + 0.3 * MatrixXd::Ones(q, q));
  for (const bool diagonal : {false, true}) {
    FitOptions options = spread_options(diagonal);
    options.spread.shrinkage = 0;
    const Fit f = fit(a, b, options);
    const MatrixXd fair = equalised(f, a, b);
    std::vector<MatrixXd> means, covariances;
    for (Index l = 0; l < levels; ++l) {
      const MatrixXd own = fair(([&] {
                                  std::vector<Index> at;
                                  for (Index i = 0; i < n; ++i)
                                    if (b(i, l) == 1) at.push_back(i);
                                  return at;
                                })(),
                                Eigen::all);
      means.emplace_back(own.colwise().mean());
      const MatrixXd centred = testing::centred(own);
      covariances.emplace_back(centred.transpose() * centred / static_cast<double>(own.rows()));
      const VectorXd sd = covariances[0].diagonal().cwiseSqrt();
      EXPECT_LT(((means.back() - means[0]).transpose().cwiseQuotient(sd)).cwiseAbs().maxCoeff(), 1e-9);
      const MatrixXd off =
          sd.cwiseInverse().asDiagonal() * (covariances.back() - covariances[0]) * sd.cwiseInverse().asDiagonal();
      EXPECT_LT((diagonal ? MatrixXd(off.diagonal()) : off).cwiseAbs().maxCoeff(), 1e-7);
    }
  }
}

// A = m(B) + D(B) ε: nearer data that are the same for all b there are none.
TEST_P(SpreadTest, ChangesWhatDiffersBetweenMeansAndDeviationsOfGroups) {
  Random random(GetParam());
  const Index n = 4000, q = 3;
  const MatrixXd b = random.one_hot(n, 3);
  const MatrixXd m = random.matrix(3, q), sd = random.matrix(3, q).cwiseAbs().array() + 0.2;
  const MatrixXd a = b * m + (b * sd).cwiseProduct(random.matrix(n, q));
  FitOptions options = spread_options(true);
  options.spread.shrinkage = 0;
  options.standardize = false;
  const Fit f = fit(a, b, options);
  const double change = (a - equalised(f, a, b)).squaredNorm() / static_cast<double>(n);
  // Of the groups as they came out.
  double expected = 0;
  const VectorXd share = b.colwise().mean();
  for (Index j = 0; j < q; ++j) {
    VectorXd mean(3), deviation(3);
    for (Index l = 0; l < 3; ++l) {
      const double count = b.col(l).sum();
      mean[l] = a.col(j).dot(b.col(l)) / count;
      deviation[l] = std::sqrt(((a.col(j).array() - mean[l]).square() * b.col(l).array()).sum() / count);
    }
    for (const VectorXd& x : {mean, deviation}) expected += (x.array() - share.dot(x)).square().matrix().dot(share);
  }
  EXPECT_NEAR(change, expected, 1e-9 * expected);
}

TEST_P(SpreadTest, StrengthIsAShareOfTheWay) {
  SpreadRows rows(GetParam());
  const MatrixXd fair = equalised(rows.fitted(), rows.a, rows.b);
  rows.options.alpha = 0.3;
  const Fit f = rows.fitted();
  EXPECT_LT(relative_distance(equalised(f, rows.a, rows.b), 0.3 * fair + 0.7 * rows.a), 1e-12);
  EXPECT_EQ(f.certificate.alpha, 0.3);
  EXPECT_EQ(Fit::from_json(f.to_json()).to_json(), f.to_json());
}

TEST_P(SpreadTest, ReadsItsFileBackExactly) {
  const SpreadRows rows(GetParam());
  const Fit f = rows.fitted();
  const std::string text = f.to_json();
  const Fit read = Fit::from_json(text);
  EXPECT_EQ(read.to_json(), text);
  EXPECT_EQ(*read.spread, *f.spread);
  EXPECT_EQ(equalised(read, rows.a, rows.b), equalised(f, rows.a, rows.b));
}

TEST_P(SpreadTest, AppliesToRowsAsToTables) {
  const SpreadRows rows(GetParam());
  const Fit f = rows.fitted();
  const MatrixXd fair = equalised(f, rows.a, rows.b);
  const VectorXd unit = rows.a.cwiseAbs().colwise().maxCoeff();
  for (Index i = 0; i < 20; ++i) {
    const VectorXd a = rows.a.row(i), b = rows.b.row(i);
    VectorXd out = a;
    f.apply_row(span_of(out), span_of(b), {out.data(), static_cast<std::size_t>(out.size())});  // in place
    EXPECT_LT((out - fair.row(i).transpose()).cwiseQuotient(unit).cwiseAbs().maxCoeff(), 1e-11);
  }
  MatrixXd in_place = rows.a;
  f.apply(in_place, rows.b, in_place);
  EXPECT_EQ(in_place, fair);
  const testing::RowMajor a = rows.a, b = rows.b;
  testing::RowMajor out(a.rows(), a.cols());
  f.apply(a, b, out);
  EXPECT_LT(relative_distance(out, fair), 1e-13);
  MatrixXd part(10, rows.a.cols());
  f.apply(rows.a.middleRows(30, 10).eval(), rows.b.middleRows(30, 10).eval(), part);
  EXPECT_LT(relative_distance(part, fair.middleRows(30, 10)), 1e-13);
}

TEST_P(SpreadTest, WeightsAreRepetition) {
  const SpreadRows rows(GetParam(), 200, 400);
  Random random(GetParam() + 77);
  VectorXd weights(rows.a.rows());
  std::vector<Index> repeated;
  for (Index i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<double>(random.integer(0, 3));
    for (int r = 0; r < static_cast<int>(weights[i]); ++r) repeated.push_back(i);
  }
  FitOptions options = rows.options;
  options.rank = Rank::all();
  const MatrixXd a = rows.a(repeated, Eigen::all), b = rows.b(repeated, Eigen::all);
  const Fit weighted = fit(rows.a, rows.b, options, {.weights = span_of(weights)}), longer = fit(a, b, options);
  EXPECT_LT(relative_distance(equalised(weighted, rows.a, rows.b), equalised(longer, rows.a, rows.b)), 1e-6);
}

TEST_P(SpreadTest, PartsMergeToTheWhole) {
  const SpreadRows rows(GetParam());
  const Index n = rows.a.rows(), cut = n / 3;
  const Fit whole = rows.fitted();
  const Moments names(rows.a.cols(), rows.b.cols());
  RegionMoments merged(whole.spread->parts().partition, std::nullopt, names.feature_names(), names.sensitive_names());
  RegionMoments rest = merged;
  merged.update(rows.a.topRows(cut).eval(), rows.b.topRows(cut).eval());
  rest.update(rows.a.bottomRows(n - cut).eval(), rows.b.bottomRows(n - cut).eval());
  merged.merge(rest);
  const Fit f = fit(merged, rows.options);
  EXPECT_LT(relative_distance(equalised(f, rows.a, rows.b), equalised(whole, rows.a, rows.b)), 1e-7);
  const Certificate &said = f.certificate, &measured = whole.certificate;
  EXPECT_TRUE(said.holds());
  EXPECT_GE(said.change, measured.change - 1e-9);  // a bound
  EXPECT_LT(said.change, 2 * measured.change + 1e-9);
  EXPECT_EQ(said.before.correlation.feature, measured.before.correlation.feature);
}

TEST_P(SpreadTest, ThreadsLeaveNoTrace) {
  const SpreadRows rows(GetParam(), 9000, 9500);
  const Fit one = fit(rows.a, rows.b, rows.options, {.threads = 1}),
            three = fit(rows.a, rows.b, rows.options, {.threads = 3});
  EXPECT_EQ(one.to_json(), three.to_json());
  EXPECT_EQ(equalised(one, rows.a, rows.b, 1), equalised(one, rows.a, rows.b, 3));
}

TEST_P(SpreadTest, ScoresAreEqualToo) {
  SpreadRows rows(GetParam());
  rows.options.rank = Rank::count(2);
  const Fit f = rows.fitted();
  const MatrixXd s = scores_of(f, rows.a, rows.b);
  EXPECT_EQ(s.cols(), std::min<Index>(2, f.scores()));
  EXPECT_LT(max_correlation(s, f.spread->parts().partition.matrix(rows.b)), 1e-9);
  const AffineParts& parts = f.model.parts();
  const MatrixXd rebuilt = (s * parts.output.transpose()).rowwise() + parts.mean_a.transpose();
  EXPECT_LT(relative_distance(rebuilt, equalised(f, rows.a, rows.b)), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SpreadTest, ::testing::Range(0U, 12U));

TEST(Spread, KeepsConstantWhatIsConstantOrExplained) {
  Random random(1);
  const MatrixXd b = random.matrix(600, 1);
  MatrixXd a = random.features(b, 4);
  a.col(0).setConstant(3.5);
  a.col(2) = 2 * b.col(0).array() - 1;
  for (const bool diagonal : {false, true})
    for (const Rank rank : {Rank::all(), Rank::count(2)}) {
      const Fit f = fit(a, b, spread_options(diagonal, rank));
      const MatrixXd fair = equalised(f, a, b);
      EXPECT_EQ(fair.col(0), a.col(0));
      EXPECT_EQ(fair.col(2), VectorXd::Constant(600, fair(0, 2)));
      MatrixXd later = random.matrix(50, 4), of = random.matrix(50, 1);
      EXPECT_TRUE((equalised(f, later, of).col(2).array() == fair(0, 2)).all());
    }
}

TEST(Spread, RefusesInOneSentence) {
  Random random(1);
  const MatrixXd b = random.matrix(300, 2), a = random.features(b, 3);
  const auto says = [&](const FitOptions& options, const char* words) {
    const std::string message = message_of([&] { fit(a, b, options); });
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  FitOptions blind = spread_options();
  blind.mode = Mode::blind;
  says(blind, "cannot be known without its sensitive columns");
  FitOptions few = spread_options();
  few.spread.partition.regions = 1;
  says(few, "regions is 1");
  FitOptions negative = spread_options();
  negative.spread.shrinkage = -1;
  says(negative, "spread.shrinkage is -1");
  EXPECT_NE(message_of([&] { fit(Moments(3, 2), spread_options()); }).find("means alone"), std::string::npos);
  const Partition partition = Partition::fit(b, {.regions = 8, .least_rows = 1});
  RegionMoments small(partition, std::nullopt, {"x", "y", "z"}, {"b0", "b1"});
  EXPECT_NE(message_of([&] { fit(small, spread_options()); }).find("no rows of positive weight"), std::string::npos);
  small.update(a.topRows(5).eval(), b.topRows(5).eval());
  EXPECT_NE(message_of([&] { fit(small, spread_options()); }).find("8 regions and 5 rows"), std::string::npos);
  EXPECT_THROW(fit(small, FitOptions{}), Error);
}

TEST(Spread, NamesThinRegions) {
  Random random(2);
  MatrixXd b = MatrixXd::Zero(400, 2);
  for (Index i = 0; i < 400; ++i) b(i, i < 12 ? 0 : 1) = 1;
  const MatrixXd a = random.features(b, 20);
  FitOptions options = spread_options();
  options.spread.partition.least_rows = 5;
  const std::string text = fit(a, b, options).certificate.to_text();
  EXPECT_NE(text.find("more than half of their spread"), std::string::npos) << text;
  EXPECT_NE(text.find("(12 rows)"), std::string::npos) << text;
}

TEST(Spread, NamesTheRowThatIsBad) {
  const SpreadRows rows(5, 6000, 6001);
  const Fit f = rows.fitted();
  MatrixXd a = rows.a, b = rows.b;
  a(5000, 1) = std::numeric_limits<double>::infinity();
  EXPECT_NE(message_of([&] { equalised(f, a, rows.b); }).find("row 5000"), std::string::npos);
  b(4999, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message_of([&] { equalised(f, rows.a, b); }).find("row 4999"), std::string::npos);
  const MatrixXd before = a;
  EXPECT_THROW(f.apply(a, rows.b, a), Error);
  EXPECT_EQ(a.topRows(4999), before.topRows(4999));
  EXPECT_THROW(equalised(f, rows.a.leftCols(1), rows.b), Error);
  EXPECT_THROW(equalised(f, rows.a, rows.b.leftCols(0)), Error);
}

TEST(Spread, OfSobTakesItsScores) {
  const SpreadRows rows(3);
  FitOptions options = spread_options(false, Rank::count(2));
  options.method = Method::sob;
  const Fit f = fit(rows.a, rows.b, options);
  EXPECT_LT(max_correlation(equalised(f, rows.a, rows.b), f.spread->parts().partition.matrix(rows.b)), 1e-9);
  EXPECT_EQ(Fit::from_json(f.to_json()).to_json(), f.to_json());
}

}  // namespace
}  // namespace plumbline
