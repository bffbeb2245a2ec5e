#include "plumbline/certificate.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "plumbline/error.h"
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

class CertificateLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
  Index n = random.integer(60, 6000), p = random.integer(1, 3), q = p + random.integer(1, 8);
  MatrixXd b = random.matrix(n, p), a = random.features(b, q);
  std::vector<FitOptions> every_kind() {
    const Index k = random.integer(1, q);
    return {FitOptions{},
            FitOptions{.rank = Rank::count(k)},
            FitOptions{.basis = Basis::paper, .rank = Rank::count(k)},
            FitOptions{.mode = Mode::blind},
            FitOptions{.mode = Mode::blind, .rank = Rank::count(1), .alpha = 0.6},
            FitOptions{.method = Method::sob, .rank = Rank::count(k)},
            FitOptions{.rank = Rank::count(k), .standardize = false}};
  }
};

void expect_same(const Certificate& x, const Certificate& y, double tolerance) {
  EXPECT_EQ(x.rows, y.rows);
  EXPECT_EQ(x.rank, y.rank);
  EXPECT_EQ(x.sensitive_rank, y.sensitive_rank);
  EXPECT_NEAR(x.sensitive_condition, y.sensitive_condition, 1e-9 * y.sensitive_condition);
  EXPECT_NEAR(x.before.correlation.value, y.before.correlation.value, tolerance);
  EXPECT_NEAR(x.after.correlation.value, y.after.correlation.value, tolerance);
  EXPECT_NEAR(x.before.explained.value, y.before.explained.value, tolerance);
  EXPECT_NEAR(x.after.explained.value, y.after.explained.value, tolerance);
  EXPECT_NEAR(x.change, y.change, tolerance);
  EXPECT_EQ(x.minimum_change.has_value(), y.minimum_change.has_value());
  if (x.minimum_change) {
    EXPECT_NEAR(*x.minimum_change, *y.minimum_change, tolerance);
    EXPECT_NEAR(*x.loss, *y.loss, tolerance);
  }
  ASSERT_EQ(x.before.canonical.has_value(), y.before.canonical.has_value());
  if (x.before.canonical) {
    EXPECT_NEAR((*x.before.canonical - *y.before.canonical).norm(), 0, tolerance);
  }
}

TEST_P(CertificateLaw, MomentsAloneSayWhatTheDataShow) {
  for (const FitOptions& options : every_kind()) {
    const Fit f = fit(a, b, options);
    expect_same(f.certificate, certify(f.model, a, b, options.moments_for(n, q)), 1e-9);
    EXPECT_NEAR(f.certificate.before.correlation.value, max_correlation(a, b), 1e-12);
    EXPECT_NEAR(f.certificate.after.correlation.value, max_correlation(f.model.apply(a, b), b), 1e-11);
  }
}

TEST_P(CertificateLaw, LaterDataAreJudgedByTheirOwnMoments) {
  const MatrixXd later_b = (random.matrix(2000, p) * 2).array() + 1, later_a = random.features(later_b, q);
  for (const FitOptions& options : every_kind()) {
    const Fit f = fit(a, b, options);
    Moments moments(q, p);
    moments.update(later_a, later_b);
    expect_same(certify(f.model, moments), certify(f.model, later_a, later_b), 1e-9);
  }
}

TEST_P(CertificateLaw, LaterDataAreMeasuredInTheUnitsOfTheFit) {
  MatrixXd later_a = random.features(b, q);
  later_a.col(0).setConstant(a.col(0).maxCoeff());
  for (const FitOptions& options : every_kind()) {
    const AffineModel model = fit(a, b, options).model;
    const AffineParts& parts = model.parts();
    const VectorXd unit = parts.scale_a.cwiseInverse();
    const MatrixXd moved = (later_a - model.apply(later_a, b)) * unit.asDiagonal();
    const MatrixXd away = (later_a.rowwise() - parts.mean_a.transpose()) * unit.asDiagonal();
    Moments moments(q, p);
    moments.update(later_a, b);
    const double change = moved.norm() / away.norm();
    EXPECT_NEAR(certify(model, moments).change, change, 1e-9 * change);
    EXPECT_NEAR(certify(model, later_a, b).change, change, 1e-9 * change);
  }
}

TEST_P(CertificateLaw, CorrelationsDoNotDependOnUnits) {
  VectorXd unit(q);
  for (double& u : unit) u = std::pow(10, random.uniform(-5, 5));
  const MatrixXd scaled = a * unit.asDiagonal();
  for (const bool standardize : {true, false}) {
    const FitOptions options{.alpha = 0.5, .standardize = standardize};
    const Certificate expected = certify(fit(a, b, options).model, a, b);
    const Certificate found = certify(fit(scaled, b, options).model, scaled, b);
    for (const auto side : {&Certificate::before, &Certificate::after}) {
      EXPECT_NEAR((found.*side).correlation.value, (expected.*side).correlation.value, 1e-9);
      EXPECT_NEAR((found.*side).explained.value, (expected.*side).explained.value, 1e-9);
      ASSERT_EQ((found.*side).canonical->size(), (expected.*side).canonical->size());
      EXPECT_LE((*(found.*side).canonical - *(expected.*side).canonical).norm(), 1e-9);
    }
  }
}

TEST_P(CertificateLaw, OnlyTheOptimalBasisGivesNothingAway) {
  const Index k = random.integer(1, q);
  EXPECT_LE(*fit(a, b).certificate.loss, 1e-12);
  EXPECT_LE(*fit(a, b, {.rank = Rank::count(k)}).certificate.loss, 1e-9);
  EXPECT_GT(*fit(a, b, {.basis = Basis::paper, .rank = Rank::count(1)}).certificate.loss, 1e-6);
}

TEST_P(CertificateLaw, WhatIsFairAlreadyNeedsNoChange) {
  const MatrixXd fair = fit(a, b).model.apply(a, b);
  for (const double influence : {0.0, 1e-8, 1e-4}) {
    const MatrixXd nearly = fair + influence * b * random.matrix(b.cols(), q);
    const Certificate found = fit(nearly, b).certificate;
    EXPECT_NEAR(*found.minimum_change, found.change, 1e-12 * found.change + 1e-14);
    EXPECT_NE(found.to_text().find("the least that leaves no correlation at this rank"), std::string::npos)
        << found.to_text();
  }
  // All of A has few dimensions, so that fewer columns hold it.
  const Index k = std::min<Index>(q, 3);
  MatrixXd thin = random.matrix(n, k) * random.matrix(k, q);
  thin = fit(thin, b).model.apply(thin, b);
  const Certificate found = fit(thin, b, {.rank = Rank::count(k)}).certificate;
  EXPECT_LE(found.change, 1e-7);
  EXPECT_NE(found.to_text().find("the least that leaves no correlation at this rank"), std::string::npos)
      << found.to_text();
}

TEST_P(CertificateLaw, RowsWithoutWeightCountForNothingWhateverTheyHold) {
  const Index rows = random.integer(20, 40),
              cols = random.integer(45, 60);  // SOB has a form for more columns than rows
  const MatrixXd few_b = random.matrix(rows, 2), few_a = random.features(few_b, cols);
  MatrixXd more_a(rows + 1, cols), more_b(rows + 1, 2);
  more_a << few_a, 1e160 * random.matrix(1, cols);
  more_b << few_b, 1e160 * random.matrix(1, 2);
  std::vector<double> weights(static_cast<std::size_t>(rows), 1.0);
  weights.push_back(0);
  for (const FitOptions& options :
       {FitOptions{}, FitOptions{.rank = Rank::count(2)}, FitOptions{.method = Method::sob, .rank = Rank::count(3)},
        FitOptions{.method = Method::sob, .rank = Rank::count(3), .sob = {.form = SobForm::gram}}}) {
    const Fit few = fit(few_a, few_b, options), more = fit(more_a, more_b, options, {.weights = weights});
    EXPECT_EQ(more.model.rank(), few.model.rank());
    EXPECT_NEAR(more.certificate.change, few.certificate.change, 1e-9);
    const Certificate later = certify(few.model, more_a, more_b, Moments::Kind::full, {.weights = weights});
    EXPECT_NEAR(later.change, certify(few.model, few_a, few_b, Moments::Kind::full, {}).change, 1e-12);
  }
}

TEST_P(CertificateLaw, DataInOtherUnitsAreJudgedOrRefused) {
  const Fit result = fit(MatrixXd(1e-100 * a), b);
  EXPECT_GT(certify(result.model, MatrixXd(1e45 * a), b, Moments::Kind::full, {}).before.correlation.value, 0);
  EXPECT_NE(testing::message_of([&] {
              certify(result.model, MatrixXd(1e60 * a), b, Moments::Kind::full, {});
            }).find("column 'a0' is spread so much wider than in the fit"),
            std::string::npos);
}

TEST_P(CertificateLaw, AFeatureThatIsBToACloseDistanceIsFullyCorrelated) {
  MatrixXd twins(n, 2);
  twins << a.col(0), a.col(0) + 3e-6 * (a.col(0).norm() / b.col(0).norm()) * b.col(0);
  const Certificate c = fit(twins, b.leftCols(1), {.rank = Rank::count(1)}).certificate;
  EXPECT_NEAR(c.before.canonical->maxCoeff(), 1, 1e-4);
}

TEST_P(CertificateLaw, FullMomentsSayMoreAndAreTakenWhereTheyAreCheap) {
  EXPECT_TRUE(fit(a, b).certificate.before.canonical);
  EXPECT_EQ(FitOptions{}.moments_for(1'000'000, 50), Moments::Kind::cross);
  EXPECT_EQ(FitOptions{.mode = Mode::blind}.moments_for(1'000'000, 50), Moments::Kind::full);
  EXPECT_EQ(FitOptions{.method = Method::sob}.moments_for(1'000'000, 50), Moments::Kind::full);
}

TEST_P(CertificateLaw, CanonicalCorrelationsVanish) {
  for (const FitOptions& options : every_kind()) {
    if (options.alpha < 1) continue;
    const Certificate c = fit(a, b, options).certificate;
    if (!c.after.canonical || c.after.canonical->size() == 0) continue;
    EXPECT_LE(c.after.canonical->maxCoeff(), 1e-10);
    EXPECT_GE(c.before.canonical->maxCoeff() + 1e-12, c.before.correlation.value);
  }
}

TEST_P(CertificateLaw, WeightsAreRepeatedRows) {
  VectorXd w(n);
  std::vector<Index> repeated;
  for (Index i = 0; i < n; ++i) {
    w[i] = static_cast<double>(random.integer(0, 2));
    for (Index r = 0; r < static_cast<Index>(w[i]); ++r) repeated.push_back(i);
  }
  const MatrixXd long_a = a(repeated, Eigen::all), long_b = b(repeated, Eigen::all);
  const AffineModel model = fit(a, b).model;
  Certificate weighted = certify(model, a, b, Moments::Kind::full, {.weights = span_of(w)});
  weighted.rows = static_cast<Index>(repeated.size());
  expect_same(weighted, certify(model, long_a, long_b), 1e-9);
}

TEST_P(CertificateLaw, JsonIsExact) {
  for (const FitOptions& options : every_kind()) {
    const Certificate c = fit(a, b, options).certificate;
    EXPECT_EQ(Certificate::from_json(c.to_json()).to_json(), c.to_json());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, CertificateLaw, ::testing::Range(0U, 10U));

TEST(Certificate, TextNamesTheStrongestAndTheCaveat) {
  Random random(3);
  const MatrixXd b = random.matrix(400, 2);
  MatrixXd a = random.matrix(400, 3);
  a.col(1) += 3 * b.col(1);
  const Fit f = fit(a, b, {.rank = Rank::count(9)},
                    {.feature_names = {"rent", "salary", "debt"}, .sensitive_names = {"height", "age"}});
  const std::string text = f.certificate.to_text();
  for (const char* part :
       {"400 rows, 3 features, 2 sensitive", "salary ~ age", "3 of 3", "rank 9 was asked for", "jointly normal"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_NE(f.certificate.to_json().find("jointly normal"), std::string::npos);
}

TEST(Certificate, TextSaysHowTheChangeComparesWithTheLeast) {
  Random random(5);
  const MatrixXd b = random.matrix(400, 1), a = random.features(b, 3), other = random.features(b, 3);
  const auto says = [](const Certificate& c, const char* words) {
    return c.to_text().find(words) != std::string::npos;
  };
  const Fit full = fit(a, b);
  EXPECT_TRUE(says(full.certificate, "; the least that leaves no correlation at this rank)"));
  EXPECT_TRUE(says(fit(a, b, {.alpha = 0.5}).certificate, "; the least of this rank and strength)"));
  EXPECT_TRUE(says(fit(a, b, {.basis = Basis::paper, .rank = Rank::count(1)}).certificate, "; the least possible is "));
  AffineParts weak = full.model.parts();
  weak.output /= 10;  // as on data where b moves the features more than it did in the fit
  EXPECT_TRUE(says(certify(AffineModel(weak), a, b), "; to leave no correlation on these data would take "));
}

TEST(Certificate, AMeasurementThatFailsIsAsItWas) {
  Random random(6);
  const Index n = 70'000;
  MatrixXd b(n, 1);
  for (Index i = 0; i < n; ++i) b(i, 0) = static_cast<double>(random.integer(0, 2));
  MatrixXd a = random.features(b, 2);
  const AffineModel model = fit(a, b, {}, {.expand = ExpansionOptions{.one_hot = {0}}}).model;
  Measurement measured(model);
  measured.update(a.topRows(300), b.topRows(300));
  const std::string before = measured.certificate().to_json();
  a(69'999, 1) = std::nan("");
  EXPECT_NE(message_of([&] { measured.update(a, b); }).find("row 69999, column 'a1' is nan"), std::string::npos);
  a(69'999, 1) = 0;
  b(69'998, 0) = 7;
  EXPECT_NE(message_of([&] { measured.update(a, b); }).find("row 69998"), std::string::npos);
  EXPECT_EQ(measured.certificate().to_json(), before);
}

TEST(Certificate, RowsWithoutWeightMayHoldCodesThatTheFitDidNotSee) {
  Random random(7);
  MatrixXd b(12, 1);
  for (Index i = 0; i < 12; ++i) b(i, 0) = static_cast<double>(i % 3);
  const MatrixXd a = random.matrix(12, 20);
  VectorXd weights = VectorXd::Ones(12);
  weights[7] = 0;
  b(7, 0) = 99;
  for (const SobForm form : {SobForm::gram, SobForm::matrix_free})
    EXPECT_NO_THROW(fit(a, b, {.method = Method::sob, .rank = Rank::count(2), .sob = {.form = form}},
                        {.expand = ExpansionOptions{.one_hot = {0}}, .weights = testing::span_of(weights)}));
}

TEST(Certificate, RefusesMomentsOfOtherColumns) {
  Random random(4);
  const MatrixXd b = random.matrix(100, 2), a = random.matrix(100, 3);
  const Fit f = fit(a, b, {.rank = Rank::count(2)});
  EXPECT_THROW(certify(f.model, Moments(2, 2)), Error);
  EXPECT_THROW(certify(f.model, Moments(3, 2)), Error);
  Moments cross(3, 2, Moments::Kind::cross);
  cross.update(a, b);
  EXPECT_THROW(certify(f.model, cross), Error);
  EXPECT_THROW(Certificate::from_json("{}"), Error);
  EXPECT_THROW(Certificate::from_json(f.to_json()), Error);
}

TEST(CertificateBadInput, TablesAndWeightsMustHaveTheSameRows) {
  Random random(8);
  const MatrixXd b = random.matrix(5000, 2), a = random.features(b, 3);
  const AffineModel model = fit(a, b).model;
  const std::vector<double> weights(10, 1.0);
  EXPECT_NE(message_of([&] { certify(model, a, b, Moments::Kind::full, {.weights = weights}); }).find("10 weights"),
            std::string::npos);
  EXPECT_NE(message_of([&] { certify(model, a.topRows(100), b); }).find("a has 100 rows and b has 5000"),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline
