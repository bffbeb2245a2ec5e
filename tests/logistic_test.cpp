// The laws of logistic regression: the score equations, what weights, units and redundant columns do, separation.
#include "predict/logistic.h"

#include <gtest/gtest.h>

#include <limits>

#include "message_of.h"
#include "random_people.h"
#include "reference_algebra.h"

namespace plumbline {
namespace {

using testing::inverse;
using testing::largest;
using testing::MatrixXd;
using testing::message_of;
using testing::permuted;
using testing::Random;
using testing::random_order;
using testing::random_outcomes;
using testing::VectorXd;

struct Case {
  MatrixXd x;
  VectorXd y;
};

Case random_case(Random& random, Index least_rows = 100, Index most_rows = 9000) {
  const Index n = random.integer(least_rows, most_rows), m = random.integer(1, 8);
  Case out{random.matrix(n, m) * random.matrix(m, m), {}};
  const VectorXd eta = out.x * random.matrix(m, 1) / static_cast<double>(m);
  out.y = random_outcomes(random, eta.array() + random.normal());
  for (Index j = 0; j < m; ++j) out.x.col(j).array() += random.uniform(-3, 3);
  return out;
}

MatrixXd with_ones(const MatrixXd& x) {
  MatrixXd out(x.rows(), x.cols() + 1);
  out << VectorXd::Ones(x.rows()), x;
  return out;
}

class LogisticLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
};

// Computed anew from the predictions: with x̃ = (1, x), Σ w (y − p) x̃ = ridge (0, β), and the errors are those of the
// inverse of Σ w p(1 − p) x̃ x̃ᵀ + ridge.
TEST_P(LogisticLaw, ScoreEquationsHoldAndErrorsAreThoseOfTheInformation) {
  const Case c = random_case(random);
  const VectorXd weights = random.matrix(c.x.rows(), 1).cwiseAbs();
  for (const double ridge : {0.0, 3.0})
    for (const bool intercept : {true, false}) {
      const LogisticRegression model = fit_logistic(c.x, c.y, {.ridge = ridge, .intercept = intercept}, weights);
      const LogisticFit& fit = model.fit();
      ASSERT_EQ(fit.status, LogisticStatus::converged) << fit.warning;
      EXPECT_TRUE(fit.redundant.empty());
      const MatrixXd x = intercept ? with_ones(c.x) : c.x;
      const VectorXd p = model.predict(c.x);
      VectorXd score = x.transpose() * weights.cwiseProduct(c.y - p);
      score.tail(c.x.cols()) -= ridge * fit.coefficients;
      EXPECT_LE(largest(score), 1e-8 * weights.sum());
      const VectorXd spread = weights.array() * p.array() * (1 - p.array());
      MatrixXd information = x.transpose() * spread.asDiagonal() * x;
      information.diagonal().tail(c.x.cols()).array() += ridge;
      const VectorXd errors = inverse(information).diagonal().cwiseSqrt();
      EXPECT_LE(largest(errors.tail(c.x.cols()) - fit.standard_errors), 1e-7 * largest(errors));
      EXPECT_NEAR(fit.intercept_error, intercept ? errors[0] : 0, 1e-7 * largest(errors));
      const VectorXd log_p = c.y.array() * p.array().log() + (1 - c.y.array()) * (1 - p.array()).log();
      EXPECT_NEAR(fit.log_likelihood, weights.dot(log_p), 1e-9 * std::abs(fit.log_likelihood));
    }
}

TEST_P(LogisticLaw, WholeWeightsAreRepeatedRows) {
  const Case c = random_case(random, 100, 1500);
  VectorXd weights(c.x.rows());
  std::vector<Index> rows;
  for (Index i = 0; i < c.x.rows(); ++i) {
    weights[i] = static_cast<double>(random.integer(0, 3));
    rows.insert(rows.end(), static_cast<std::size_t>(weights[i]), i);
  }
  for (const double ridge : {0.0, 1.0}) {
    const LogisticFit weighted = fit_logistic(c.x, c.y, {.ridge = ridge}, weights).fit();
    const LogisticFit repeated = fit_logistic(permuted(c.x, rows), permuted(c.y, rows), {.ridge = ridge}).fit();
    EXPECT_LE(largest(weighted.coefficients - repeated.coefficients), 1e-8);
    EXPECT_LE(largest(weighted.standard_errors - repeated.standard_errors), 1e-8);
    EXPECT_NEAR(weighted.log_likelihood, repeated.log_likelihood, 1e-8);
  }
}

TEST_P(LogisticLaw, NeitherTheOrderOfRowsNorUnitsMatter) {
  const Case c = random_case(random);
  const VectorXd p = fit_logistic(c.x, c.y).predict(c.x);
  const std::vector<Index> order = random_order(random, c.x.rows());
  EXPECT_LE(largest(fit_logistic(permuted(c.x, order), permuted(c.y, order)).predict(c.x) - p), 1e-8);
  MatrixXd x = c.x;
  for (Index j = 0; j < x.cols(); ++j)
    x.col(j) = (x.col(j) * std::pow(10, random.uniform(-8, 8))).array() + random.uniform(-10, 10);
  const LogisticRegression scaled = fit_logistic(x, c.y);
  EXPECT_EQ(scaled.fit().status, LogisticStatus::converged);
  EXPECT_LE(largest(scaled.predict(x) - p), 1e-7);
}

TEST_P(LogisticLaw, TheSameBitsForAnyNumberOfThreads) {
  const Case c = random_case(random, 9000, 30000);
  const LogisticFit one = fit_logistic(c.x, c.y, {.threads = 1}).fit();
  for (const int threads : {2, 3, 5}) {
    const LogisticFit many = fit_logistic(c.x, c.y, {.threads = threads}).fit();
    EXPECT_TRUE(one.coefficients == many.coefficients && one.intercept == many.intercept);
    EXPECT_TRUE(one.standard_errors == many.standard_errors && one.log_likelihood == many.log_likelihood);
  }
}

TEST_P(LogisticLaw, NoOtherCoefficientsAreMoreLikely) {
  const Case c = random_case(random, 100, 1000);
  const LogisticFit fit = fit_logistic(c.x, c.y).fit();
  for (int round = 0; round < 20; ++round) {
    const double size = std::pow(10, random.uniform(-4, 0));
    const VectorXd other = fit.coefficients + size * random.matrix(c.x.cols(), 1);
    const VectorXd eta = (c.x * other).array() + fit.intercept + size * random.normal();
    const VectorXd terms = c.y.array() * eta.array() - (1 + eta.array().exp()).log();
    EXPECT_LE(terms.sum(), fit.log_likelihood + 1e-9);
  }
}

// The last of the columns that depend on each other is left out, and predictions are those without it.
TEST_P(LogisticLaw, RedundantColumnsGetZeroAndAreListed) {
  const Case c = random_case(random);
  const Index m = c.x.cols();
  MatrixXd x(c.x.rows(), m + 3);
  x << c.x, c.x * random.matrix(m, 1), VectorXd::Constant(c.x.rows(), 0.1), 1e5 * c.x.col(0).array() + 7;
  const LogisticRegression plain = fit_logistic(c.x, c.y), wide = fit_logistic(x, c.y);
  EXPECT_EQ(wide.fit().redundant, (std::vector<Index>{m, m + 1, m + 2}));
  EXPECT_TRUE((wide.fit().coefficients.tail(3).array() == 0).all());
  EXPECT_TRUE((wide.fit().standard_errors.tail(3).array() == 0).all());
  EXPECT_LE(largest(wide.predict(x) - plain.predict(c.x)), 1e-8);
  EXPECT_LE(largest(wide.fit().standard_errors.head(m) - plain.fit().standard_errors), 1e-7);
}

TEST_P(LogisticLaw, IndicatorsOfAllGroupsWithoutInterceptPredictTheSame) {
  const Sample people = testing::random_people(random, 900, 4, 5);
  MatrixXd x(900, 9);
  x << MatrixXd::NullaryExpr(900, 5, [&](Index i, Index g) { return people.s[i] == g ? 1.0 : 0.0; }), people.a;
  const LogisticRegression with = fit_logistic(x, people.y), without = fit_logistic(x, people.y, {.intercept = false});
  EXPECT_EQ(with.fit().redundant, std::vector<Index>{4});
  EXPECT_TRUE(without.fit().redundant.empty());
  EXPECT_LE(largest(with.predict(x) - without.predict(x)), 1e-8);
}

TEST_P(LogisticLaw, RidgeShrinksFromTheMaximumToTheInterceptAlone) {
  const Case c = random_case(random);
  const LogisticFit free = fit_logistic(c.x, c.y).fit();
  double last = free.coefficients.norm();
  for (const double ridge : {1e-3, 1.0, 1e3, 1e6}) {
    const LogisticFit fit = fit_logistic(c.x, c.y, {.ridge = ridge}).fit();
    EXPECT_EQ(fit.status, LogisticStatus::converged);
    EXPECT_LT(fit.coefficients.norm(), last);
    EXPECT_LE(fit.log_likelihood, free.log_likelihood + 1e-9);
    last = fit.coefficients.norm();
  }
  // With H = −∂², a small ridge moves β by ridge H⁻¹ β, and |(H⁻¹ β)_j| ≤ se_j √(βᵀ H⁻¹ β) ≤ se_j Σ |β_k| se_k.
  constexpr double kSmall = 1e-6;
  const VectorXd moved = fit_logistic(c.x, c.y, {.ridge = kSmall}).fit().coefficients - free.coefficients;
  const double reach = free.coefficients.cwiseAbs().dot(free.standard_errors);
  for (Index j = 0; j < moved.size(); ++j)
    EXPECT_LE(std::abs(moved[j]), kSmall * free.standard_errors[j] * (1.01 * reach + 1e-3));
  const double mean = c.y.mean();
  const LogisticFit stiff = fit_logistic(c.x, c.y, {.ridge = 1e12}).fit();
  EXPECT_NEAR(stiff.intercept, std::log(mean / (1 - mean)), 1e-6);
}

TEST_P(LogisticLaw, SeparatedOutcomesGiveAFiniteAnswerAndAWarning) {
  const Case c = random_case(random, 50, 2000);
  const Index n = c.x.rows();
  const VectorXd direction = c.x * random.matrix(c.x.cols(), 1);
  // Fully, by a combination of columns; by one that decides a part of the rows; and by outcomes that are all the same.
  const VectorXd decided = (direction.array() > direction.mean()).cast<double>();
  MatrixXd partly(n, c.x.cols() + 1);
  VectorXd outcome = c.y;
  partly << c.x, VectorXd::Zero(n);
  for (Index i = 0; i < n; i += 7) {
    partly(i, c.x.cols()) = 1;
    outcome[i] = 1;
  }
  const std::vector<Case> cases = {
      {c.x, decided}, {partly, outcome}, {c.x, VectorXd::Ones(n)}, {c.x, VectorXd::Zero(n)}};
  for (const Case& separated : cases) {
    const LogisticRegression model = fit_logistic(separated.x, separated.y);
    const LogisticFit& fit = model.fit();
    EXPECT_EQ(fit.status, LogisticStatus::separated);
    EXPECT_NE(fit.warning.find("separated"), std::string::npos);
    EXPECT_TRUE(fit.coefficients.allFinite() && fit.standard_errors.allFinite() && std::isfinite(fit.intercept) &&
                std::isfinite(fit.intercept_error));
    const VectorXd p = model.predict(separated.x);
    EXPECT_TRUE(p.minCoeff() >= 0 && p.maxCoeff() <= 1);
    const LogisticFit ridged = fit_logistic(separated.x, separated.y, {.ridge = 1}).fit();
    if (largest(separated.y.array() - separated.y.mean()) > 0) {
      EXPECT_EQ(ridged.status, LogisticStatus::converged);
      EXPECT_EQ(ridged.warning, "");
    }
  }
  const VectorXd p = fit_logistic(c.x, decided).predict(c.x);
  EXPECT_LE(largest(p - decided), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LogisticLaw, ::testing::Range(1U, 13U));

TEST(Logistic, FewIterationsAreAStatus) {
  Random random(1);
  const Case c = random_case(random);
  const LogisticFit fit = fit_logistic(c.x, c.y, {.max_iterations = 1}).fit();
  EXPECT_EQ(fit.status, LogisticStatus::iteration_limit);
  EXPECT_EQ(fit.iterations, 1);
  EXPECT_NE(fit.warning, "");
}

TEST(Logistic, NearlySeparatedOutcomesConverge) {
  VectorXd y = VectorXd::Zero(2000);
  MatrixXd x(2000, 1);
  for (Index i = 0; i < 2000; ++i) {
    x(i, 0) = i < 1000 ? 0 : 1;
    y[i] = i < 1000 || i == 1500 ? 0 : 1;
  }
  y[500] = 1;
  const LogisticFit fit = fit_logistic(x, y).fit();
  EXPECT_EQ(fit.status, LogisticStatus::converged);
  EXPECT_NEAR(fit.intercept, std::log(1.0 / 999), 1e-8);
  EXPECT_NEAR(fit.coefficients[0], 2 * std::log(999.0), 1e-8);
}

TEST(Logistic, RefusesWhatItCannotUse) {
  const MatrixXd x = MatrixXd::Random(20, 2);
  VectorXd y = VectorXd::Zero(20);
  y.head(10).setOnes();
  const VectorXd none;
  EXPECT_EQ(message_of([&] { fit_logistic(x, y.head(3)); }), "y has 3 rows and x has 20; they must have the same rows");
  EXPECT_NE(message_of([&] { fit_logistic(x, 2 * y); }).find("y is 2 in row 0"), std::string::npos);
  EXPECT_NE(message_of([&] { fit_logistic(x, y, {.ridge = -1}); }).find("ridge is -1"), std::string::npos);
  EXPECT_NE(message_of([&] { fit_logistic(x, y, {.tolerance = 0}); }).find("tolerance is 0"), std::string::npos);
  EXPECT_NE(message_of([&] { fit_logistic(x, y, {.max_iterations = 0}); }).find("max_iterations is 0"),
            std::string::npos);
  EXPECT_NE(message_of([&] { fit_logistic(x, y, {}, VectorXd::Zero(20)); }), "");
  EXPECT_NE(message_of([&] { fit_logistic(x, y, {}, -VectorXd::Ones(20)); }), "");
  EXPECT_NE(message_of([&] { fit_logistic(MatrixXd(20, 0), y, {.intercept = false}); }), "");
  EXPECT_NE(message_of([&] { fit_logistic(MatrixXd(0, 2), none); }), "");
  MatrixXd bad = x;
  bad(4, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of([&] { fit_logistic(bad, y); }), "x is nan in row 4, column 1; cells must be finite");
  EXPECT_NE(message_of([&] { fit_logistic(1e200 * x, y); }).find("rescale"), std::string::npos);
  const LogisticRegression model = fit_logistic(x, y);
  EXPECT_NE(message_of([&] { model.predict(x.leftCols(1)); }).find("x has 1 columns"), std::string::npos);
  EXPECT_NE(message_of([&] { model.predict(bad); }).find("row 4, column 1"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
