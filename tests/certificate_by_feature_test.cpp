// What a certificate says of single features, and of rows that the fit has not seen.
#include <gtest/gtest.h>

#include <cmath>

#include "plumbline/certificate.h"
#include "plumbline/fit.h"
#include "random_data.h"
#include "reference_algebra.h"

namespace plumbline {
namespace {

using testing::centred;
using testing::MatrixXd;
using testing::Random;
using testing::VectorXd;

class CertificateByFeature : public ::testing::TestWithParam<unsigned> {
 protected:
  // a = 2 b₁ + noise, whose spread depends on b, and a column of few ones.
  struct Rows {
    MatrixXd a, b;
  };
  Rows people(Index rows) {
    Rows out{random.matrix(rows, 4), random.matrix(rows, 2)};
    for (Index i = 0; i < rows; ++i) {
      out.b(i, 1) = random.uniform(0, 1) < 0.2 ? 1 : 0;
      out.a(i, 0) = 2 * out.b(i, 0) + (1 + out.b(i, 1)) * out.a(i, 0);
      out.a(i, 1) = random.uniform(0, 1) < 0.03 ? 1 : 0;
      out.a(i, 2) += out.b(i, 1);
    }
    return out;
  }

  Certificate measured(const Fit& fit, const MatrixXd& a, const MatrixXd& b) {
    Measurement measurement(fit.model);
    measurement.update(a, b);
    return measurement.certificate(fit.certificate.rows);
  }

  Random random{GetParam()};
};

TEST_P(CertificateByFeature, NumbersAreThoseOfTheRows) {
  const Rows rows = people(random.integer(50, 500));
  const Fit fit = plumbline::fit(rows.a, rows.b, {.alpha = random.uniform(0, 1)});
  const MatrixXd fair = fit.model.apply(rows.a, rows.b);
  const Certificate of_rows = measured(fit, rows.a, rows.b);
  const MatrixXd b = centred(rows.b), before = centred(rows.a), after = centred(fair);
  for (const Certificate* certificate : {&fit.certificate, &of_rows}) {
    const FeatureTable& table = *certificate->by_feature;
    for (Index j = 0; j < rows.a.cols(); ++j) {
      const VectorXd x = before.col(j), y = after.col(j);
      EXPECT_NEAR(table.change[j], (rows.a.col(j) - fair.col(j)).norm() / x.norm(), 1e-9);
      const auto share = [&](const VectorXd& of) {
        return 1 - (of - b * testing::least_squares(b, of)).squaredNorm() / of.squaredNorm();
      };
      EXPECT_NEAR(table.explained_before[j], share(x), 1e-9);
      EXPECT_NEAR(table.explained_after[j], share(y), 1e-9);
      for (Index l = 0; l < b.cols(); ++l) {
        EXPECT_NEAR(table.correlation_before(j, l), std::abs(x.dot(b.col(l))) / (x.norm() * b.col(l).norm()), 1e-9);
        EXPECT_NEAR(table.correlation_after(j, l), std::abs(y.dot(b.col(l))) / (y.norm() * b.col(l).norm()), 1e-9);
      }
    }
    EXPECT_EQ(certificate->varying, 4);
    const Certificate again = Certificate::from_json(certificate->to_json());
    EXPECT_EQ(again.by_feature, certificate->by_feature);
    EXPECT_EQ(again.deviation, certificate->deviation);
    EXPECT_EQ(again.within_chance(), certificate->within_chance());
  }
}

TEST_P(CertificateByFeature, WhereTheOriginLiesIsNoMatter) {
  const Rows rows = people(2000), later = people(1500);
  const Fit fit = plumbline::fit(rows.a, rows.b);
  MatrixXd a = later.a;
  a.col(3) += 0.5 * later.b.col(0);
  const Certificate here = measured(fit, a, later.b);
  const Certificate there = measured(fit, MatrixXd(a.array() + 70.0), MatrixXd(later.b.array() - 30.0));
  EXPECT_NEAR(here.deviation->value, there.deviation->value, 1e-6 * here.deviation->value);
  EXPECT_FALSE(here.within_chance());
  EXPECT_FALSE(there.within_chance());
}

TEST_P(CertificateByFeature, BlocksGiveAboutTheDeviationOfTheWhole) {
  const Rows rows = people(3000), later = people(3000);
  const Fit fit = plumbline::fit(rows.a, rows.b);
  Measurement parts(fit.model);
  parts.update(later.a.topRows(1000), later.b.topRows(1000));
  parts.update(later.a.bottomRows(2000), later.b.bottomRows(2000));
  EXPECT_NEAR(parts.certificate(3000).deviation->value, measured(fit, later.a, later.b).deviation->value, 0.05);
}

// At a probability of .99 four of 200 are more than some in a thousand seeds would refuse.
TEST(Deviation, RowsOfTheSamePopulationAreWithinChance) {
  int refused = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const MatrixXd b = random.matrix(600, 2), later_b = random.matrix(300, 2);
    const MatrixXd noise = random.matrix(600, 5), later_noise = random.matrix(300, 5), slopes = random.matrix(2, 5);
    const Fit fit = plumbline::fit(MatrixXd(b * slopes + noise), b);
    Measurement measurement(fit.model);
    measurement.update(MatrixXd(later_b * slopes + later_noise), later_b);
    refused += measurement.certificate(600).within_chance() ? 0 : 1;
  }
  EXPECT_LE(refused, 7);
}

TEST(Deviation, IsNotToldWhereNothingVaries) {
  Random random(1);
  const MatrixXd b = random.matrix(100, 1), a = random.matrix(100, 2);
  const Fit fit = plumbline::fit(a, b);
  Measurement measurement(fit.model);
  measurement.update(MatrixXd(MatrixXd::Ones(50, 2)), random.matrix(50, 1));
  const Certificate found = measurement.certificate(100);
  EXPECT_FALSE(found.deviation);
  EXPECT_FALSE(found.within_chance());
}

TEST(Deviation, AFitThatLeavesNothingDoesNotHold) {
  Random random(2);
  const MatrixXd b = random.matrix(50, 1);
  const Fit fit = plumbline::fit(MatrixXd(3 * b), b);
  EXPECT_EQ(fit.certificate.varying, 0);
  EXPECT_LE(fit.certificate.after.correlation.value, 1e-8);
  EXPECT_FALSE(fit.certificate.holds());
}

INSTANTIATE_TEST_SUITE_P(Seeds, CertificateByFeature, ::testing::Range(0U, 8U));

}  // namespace
}  // namespace plumbline
