// The laws of a fit at the ends of what data can be: many sensitive columns, any unit, nothing to explain.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plumbline/fit.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::max_correlation;
using testing::Random;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

class FitExtremes : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
};

TEST_P(FitExtremes, ResultIsOrthogonalToManySensitiveColumns) {
  for (const Index p : {33, 48, 64}) {
    const Index q = p + 5, n = random.integer(500, 1500);
    for (const auto& [condition, bound] : {std::pair{1e4, 1e-12}, {5e7, 1e-8}, {1e8, 1e-8}}) {
      const MatrixXd b = random.with_condition(n, p, condition);
      const MatrixXd a = random.matrix(n, q) + b * random.matrix(p, q);
      for (const FitOptions& options :
           {FitOptions{}, FitOptions{.rank = Rank::count(4)}, FitOptions{.mode = Mode::blind}})
        EXPECT_LE(max_correlation(fit(a, b, options).model.apply(a, b), b), bound)
            << p << " columns, condition " << condition << ", mode " << static_cast<int>(options.mode);
    }
  }
}

// A length of stay of someone whose arrival and departure are sensitive: nothing is left of it, and rounding must not
// be taken for something, whatever the condition of B.
TEST_P(FitExtremes, WhatIllConditionedSensitiveColumnsExplainIsDropped) {
  const Index n = random.integer(300, 2000);
  for (const double range : {1e2, 1e3, 1e4, 3e4, 1e5, 1e6, 1e7, 1e8}) {
    MatrixXd b(n, 2), a(n, 2);
    b.col(0) = MatrixXd::NullaryExpr(n, 1, [&] { return std::floor(random.uniform(0, range) * 1000) / 1000; });
    b.col(1) = b.col(0) + 60 * MatrixXd::Ones(n, 1) + 10 * random.matrix(n, 1);
    a << b.col(1) - b.col(0), random.matrix(n, 1);
    const Fit fitted = fit(a, b, {}, {.feature_names = {"stay", "other"}});
    EXPECT_EQ(fitted.certificate.fully_explained, std::vector<std::string>{"stay"}) << range;
    const MatrixXd fair = fitted.model.apply(a, b);
    EXPECT_EQ(fair.col(0).maxCoeff(), fair.col(0).minCoeff()) << range;
  }
}

// More dimensions than there are would be rounding, which correlates with anything.
TEST_P(FitExtremes, ScoresAreOfDimensionsThatAreThere) {
  const Index n = random.integer(50, 400), r = random.integer(1, 4), q = r + random.integer(1, 5);
  const MatrixXd b = random.matrix(n, 2);
  for (const double influence : {1.0, 100.0})
    for (const bool standardize : {true, false})
      for (const Basis basis : {Basis::optimal, Basis::paper}) {
        const MatrixXd scores = random.matrix(n, r) + influence * b * random.matrix(2, r);
        const Eigen::VectorXd units =
            Eigen::VectorXd::NullaryExpr(q, [&] { return std::pow(10, random.uniform(-4, 4)); });
        const MatrixXd a = scores * random.matrix(r, q) * units.asDiagonal();
        const Fit fitted = fit(a, b, {.basis = basis, .rank = Rank::count(q), .standardize = standardize});
        EXPECT_EQ(fitted.model.rank(), r) << influence;
        EXPECT_FALSE(fitted.certificate.notes.empty());
        MatrixXd found(n, fitted.model.scores());
        fitted.model.apply_scores(a, b, found);
        EXPECT_LE(max_correlation(found, b), 1e-10);
      }
}

// Units that differ by more than rounding still leave as many dimensions as there are.
TEST_P(FitExtremes, SmallFeaturesAreDimensionsToo) {
  const Index n = random.integer(50, 400), q = 4;
  const MatrixXd b = random.matrix(n, 1);
  MatrixXd a = random.matrix(n, q) + b * random.matrix(1, q);
  a.col(1) *= 1e9;
  a.col(2) *= 1e-9;
  for (const Basis basis : {Basis::optimal, Basis::paper})
    EXPECT_EQ(fit(a, b, {.basis = basis, .rank = Rank::count(q), .standardize = false}).model.rank(), q);
}

// What fit.h says of these.
TEST_P(FitExtremes, BeyondSixtyFourColumnsTheRootOfRoundingIsLeft) {
  for (const Index p : {65, 150}) {
    const Index q = 20, n = random.integer(500, 1500);
    for (const auto& [condition, bound] :
         {std::pair{1e4, 1e-12}, {1e8, 2 * std::sqrt(static_cast<double>(p) * kEpsilon)}}) {
      const MatrixXd b = random.with_condition(n, p, condition);
      const MatrixXd a = random.matrix(n, q) + b * random.matrix(p, q);
      EXPECT_LE(max_correlation(fit(a, b).model.apply(a, b), b), bound) << p << " columns, condition " << condition;
    }
  }
}

TEST_P(FitExtremes, OfFewRowsWhatRoundingLeavesGrowsWithTheConditionAlone) {
  for (int round = 0; round < 20; ++round)
    for (const double condition : {1e2, 1e4, 1e6, 1e8}) {
      const Index n = random.integer(8, 30), p = random.integer(1, 3);
      const MatrixXd b = random.with_condition(n, p, condition);
      const MatrixXd a = random.matrix(n, 4);  // of which B explains part, for n is small
      const MatrixXd fair = fit(a, b).model.apply(a, b);
      for (Index j = 0; j < 4; ++j) {
        const double kept = testing::centred(fair.col(j)).norm() / testing::centred(a.col(j)).norm();
        EXPECT_LE(max_correlation(fair.col(j), b) * kept, 20 * kEpsilon * condition + 1e-14)
            << n << " rows, condition " << condition;
      }
    }
}

TEST_P(FitExtremes, BlindModeLeavesWhatTheConditionOfTheFeaturesMagnifies) {
  for (const double apart : {1e-2, 1e-4, 1e-6}) {
    const MatrixXd b = random.matrix(300, 1);
    MatrixXd a = random.matrix(300, 4);
    a.col(3) = a.col(0) + apart * b;
    EXPECT_LE(max_correlation(fit(a, b, {.mode = Mode::blind}).model.apply(a, b), b), 4 * kEpsilon / apart + 1e-14);
  }
}

TEST_P(FitExtremes, WithoutStandardisingAUnitCommonToAllFeaturesComesBackInTheResult) {
  const MatrixXd b = random.matrix(200, 2), a = random.features(b, 6);
  for (const Mode mode : {Mode::aware, Mode::blind})
    for (FitOptions options : {FitOptions{}, FitOptions{.rank = Rank::count(3)},
                               FitOptions{.method = Method::sob, .rank = Rank::count(3), .sob = {.l1_bound = 1.5}},
                               FitOptions{.method = Method::sob, .rank = Rank::share(0.9)}}) {
      options.mode = mode;
      options.standardize = false;
      const MatrixXd expected = fit(a, b, options).model.apply(a, b);
      for (const double unit : {1e-100, 1e-6, 1e6, 3e6, 1e100}) {
        const MatrixXd scaled = a * unit, found = fit(scaled, b, options).model.apply(scaled, b) / unit;
        EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-7 * expected.cwiseAbs().maxCoeff())
            << "unit " << unit << " mode " << static_cast<int>(mode) << " method " << static_cast<int>(options.method);
      }
    }
}

TEST_P(FitExtremes, OneLargeFeatureDoesNotUseUpTheSparseComponents) {
  const MatrixXd b = random.matrix(200, 1);
  MatrixXd a = random.matrix(200, 5) + b * random.matrix(1, 5);
  a.col(2) *= 1e5;  // the others then have more than 1e-13 of all variance, below which nothing counts as left
  const FitOptions options{.method = Method::sob, .rank = Rank::count(3), .standardize = false};
  EXPECT_EQ(fit(a, b, options).model.scores(), 3);
}

TEST_P(FitExtremes, ConstantFeaturesAreLeftAsTheyAre) {
  const MatrixXd b = random.matrix(50, 2), a = MatrixXd::Constant(50, 3, random.normal());
  for (const Mode mode : {Mode::aware, Mode::blind})
    for (FitOptions options :
         {FitOptions{}, FitOptions{.rank = Rank::count(2)}, FitOptions{.basis = Basis::paper, .rank = Rank::count(2)},
          FitOptions{.method = Method::sob, .rank = Rank::count(2)}}) {
      options.mode = mode;
      for (const bool standardize : {true, false}) {
        options.standardize = standardize;
        const Fit result = fit(a, b, options);
        EXPECT_TRUE(result.model.apply(a, b) == a);
        EXPECT_EQ(result.certificate.constant_features.size(), 3U);
        EXPECT_EQ(result.certificate.change, 0);
      }
    }
}

// Of rounding beside a constant a scaler would make a feature, which correlates with anything.
TEST_P(FitExtremes, ConstantsAmongCollinearFeaturesStayExactlyConstant) {
  const Index n = random.integer(40, 300), r = random.integer(1, 3), q = r + random.integer(1, 5);
  const MatrixXd b = random.matrix(n, random.integer(1, 3));
  const MatrixXd varying = (random.matrix(n, r) + b * random.matrix(b.cols(), r)) * random.matrix(r, q);
  for (const double value : {0.0, 3.0, 0.1, -1e6}) {
    const Index at = random.integer(0, q);
    MatrixXd a(n, q + 1);
    a << varying.leftCols(at), MatrixXd::Constant(n, 1, value), varying.rightCols(q - at);
    for (const Method method : {Method::ob, Method::sob})
      for (const Mode mode : {Mode::aware, Mode::blind})
        for (const Basis basis : {Basis::optimal, Basis::paper})
          for (const Index rank : {Index{0}, Index{1}, r, r + 1, q}) {
            if (method == Method::sob && (rank == 0 || basis == Basis::paper)) continue;
            const FitOptions options{.method = method,
                                     .basis = basis,
                                     .mode = mode,
                                     .rank = rank == 0 ? Rank::all() : Rank::count(rank),
                                     .standardize = random.integer(0, 1) == 1};
            const MatrixXd fair = fit(a, b, options).model.apply(a, b);
            EXPECT_EQ(fair.col(at).maxCoeff(), fair.col(at).minCoeff())
                << "value " << value << ", rank " << rank << ", mode " << static_cast<int>(mode) << ", method "
                << static_cast<int>(method);
          }
  }
}

TEST_P(FitExtremes, BlindModeNamesFeaturesOfWhichNothingIsLeft) {
  const MatrixXd b = random.matrix(300, 1);
  MatrixXd a = random.matrix(300, 3);
  for (Index j = 1; j < 3; ++j)  // uncorrelated with b and with the first, which alone then pays for b
    for (const MatrixXd& other : {MatrixXd(MatrixXd::Ones(300, 1)), MatrixXd(testing::centred(b))})
      a.col(j) -= other * (other.col(0).dot(a.col(j)) / other.squaredNorm());
  a.col(0) = b.col(0);
  const Fit result = fit(a, b, {.mode = Mode::blind}, {.feature_names = {"x", "y", "z"}});
  bool is_named = false;
  for (const std::string& note : result.certificate.notes) is_named |= note == "blind mode leaves nothing of x";
  EXPECT_TRUE(is_named) << result.certificate.to_text();
}

INSTANTIATE_TEST_SUITE_P(Seeds, FitExtremes, ::testing::Range(0U, 6U));

}  // namespace
}  // namespace plumbline
