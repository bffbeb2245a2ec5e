// Methods for sensitive columns that are numbers, and how far their predictions move with b.
#include "methods/continuous_method.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "metrics/continuous_counterfactual.h"
#include "predict/least_squares.h"
#include "random_data.h"
#include "reference_algebra.h"

namespace plumbline {
namespace {

using testing::least_squares;
using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::VectorXd;

class ContinuousLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  ContinuousSample draw(Index n) {
    const MatrixXd b = random.matrix(n, p);
    const MatrixXd a = b * slopes + random.matrix(n, q);
    return {a, b, a * effects + b * own + random.matrix(n, 1)};
  }

  Random random{GetParam()};
  Index p = random.integer(1, 3), q = random.integer(1, 5);
  MatrixXd slopes = random.matrix(p, q), effects = random.matrix(q, 1), own = random.matrix(p, 1);
  ContinuousSample training = draw(400), later = draw(150);
};

TEST_P(ContinuousLaw, LeastSquaresIsThatOfQr) {
  MatrixXd design(400, q + 1);
  design << VectorXd::Ones(400), training.a;
  const VectorXd beta = least_squares(design, training.y);
  const LeastSquares fit(training.a, training.y);
  EXPECT_NEAR(fit.intercept(), beta[0], 1e-9);
  EXPECT_LE((fit.coefficients() - beta.tail(q)).norm(), 1e-9 * beta.norm());
  MatrixXd twice(400, 2 * q);
  twice << training.a, training.a;
  const LeastSquares shared(twice, training.y);
  EXPECT_LE((shared.coefficients().head(q) - beta.tail(q) / 2).norm(), 1e-9 * beta.norm());
}

TEST_P(ContinuousLaw, MethodsAreWhatTheySay) {
  const Learner learner = least_squares_learner();
  MatrixXd both(later.rows(), p + q), fitted(training.rows(), p + q);
  both << later.b, later.a;
  fitted << training.b, training.a;
  EXPECT_EQ(fit_aware(training, learner)->predict(later.a, later.b), LeastSquares(fitted, training.y).predict(both));
  EXPECT_EQ(fit_unaware(training, learner)->predict(later.a, later.b),
            LeastSquares(training.a, training.y).predict(later.a));
  const AffineModel model = fit(training.a, training.b).model;
  EXPECT_EQ(fit_debiased(training, learner, {})->predict(later.a, later.b),
            LeastSquares(model.apply(training.a, training.b), training.y).predict(model.apply(later.a, later.b)));
}

TEST_P(ContinuousLaw, ByLawsARowIsItselfAtItsOwnPlace) {
  std::vector<std::string> names;
  for (Index j = 0; j < q; ++j) names.push_back("a" + std::to_string(j));
  const Distribution laws = Distribution::fit(training.a, training.b, feature_groups(names));
  const LawCounterfactuals world(laws, later.a, later.b);
  EXPECT_EQ(world.rows(), later.rows());
  EXPECT_EQ(world.features(later.b), later.a);
  const MatrixXd there = random.matrix(later.rows(), p);
  const MatrixXd moved = world.features(there);
  EXPECT_NE(moved, later.a);
  EXPECT_EQ(world.features_of_row(3, there.middleRows(3, 1)), moved.middleRows(3, 1));
}

TEST_P(ContinuousLaw, AdditiveNoiseMovesByTheSlopes) {
  const AdditiveNoise world(training, later.a, later.b);
  EXPECT_LE((world.features(later.b) - later.a).norm(), 1e-12 * later.a.norm());
  MatrixXd design(400, p + 1);
  design << VectorXd::Ones(400), training.b;
  const MatrixXd gamma = least_squares(design, training.a).bottomRows(p);
  const MatrixXd other = random.matrix(150, p);
  EXPECT_LE((world.features(other) - (later.a + (other - later.b) * gamma)).norm(), 1e-10 * later.a.norm());
}

// A line on OB's features does not move with b where features move by the fitted slopes; with a alone it does.
TEST_P(ContinuousLaw, LinesOnFairFeaturesStandStill) {
  const AdditiveNoise world(training, later.a, later.b);
  const GapOptions options = GapOptions::within(training.b, 50, 3);
  const auto gap = [&](const FittedContinuous& method) { return continuous_gap(*method, world, later.b, options); };
  const ContinuousGap fair = gap(fit_debiased(training, least_squares_learner(), {}));
  const ContinuousGap plain = gap(fit_unaware(training, least_squares_learner()));
  EXPECT_LE(fair.absolute, 1e-9);
  EXPECT_GE(plain.absolute, 1e-3);
  EXPECT_GE(plain.square, plain.absolute * plain.absolute);
}

TEST_P(ContinuousLaw, TheGapIsTheMeanOverDrawsOfItsDefinition) {
  const AdditiveNoise world(training, later.a, later.b);
  const FittedContinuous method = fit_aware(training, least_squares_learner());
  GapOptions options = GapOptions::within(training.b, 4000, 7);
  const ContinuousGap found = continuous_gap(*method, world, later.b, options);
  // Of a line it is |(b' − b) · t| with t = own slope + Γ × features' slopes; in expectation over uniform b'.
  const VectorXd base = method->predict(later.a, later.b);
  double absolute = 0, square = 0;
  const int draws = 4000;
  for (int d = 0; d < draws; ++d) {
    MatrixXd other(150, p);
    for (Index j = 0; j < p; ++j)
      for (Index i = 0; i < 150; ++i) other(i, j) = random.uniform(options.low[j], options.high[j]);
    const VectorXd moved = method->predict(world.features(other), other) - base;
    absolute += moved.cwiseAbs().mean() / draws;
    square += moved.squaredNorm() / 150 / draws;
  }
  EXPECT_NEAR(found.absolute, absolute, 0.01 * absolute);
  EXPECT_NEAR(found.square, square, 0.02 * square);
  EXPECT_EQ(continuous_gap(*method, world, later.b, options).absolute, found.absolute);
}

TEST_P(ContinuousLaw, BinsAreOfEqualFrequencyWhereNothingTies) {
  const int bins = static_cast<int>(random.integer(1, 12));
  const VectorXd b = random.matrix(random.integer(60, 400), 1);
  const QuantileBins cut(b, bins);
  EXPECT_EQ(cut.levels(), bins);
  const Eigen::VectorXi of = cut.of(b);
  for (int g = 0; g < bins; ++g)
    EXPECT_NEAR(static_cast<double>((of.array() == g).count()), static_cast<double>(b.size()) / bins, 1);
  for (Index i = 0; i + 1 < b.size(); ++i) {
    if (b[i] < b[i + 1]) {
      EXPECT_LE(of[i], of[i + 1]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ContinuousLaw, ::testing::Range(1U, 9U));

TEST(QuantileBins, RowsThatTieAreInOneBinAndEmptyBinsAreNotCounted) {
  VectorXd b(10);
  b << 0, 0, 0, 0, 0, 0, 0, 1, 2, 3;
  const QuantileBins cut(b, 5);
  EXPECT_EQ(cut.levels(), 3);
  EXPECT_EQ(cut.of(b), (Eigen::VectorXi(10) << 0, 0, 0, 0, 0, 0, 0, 1, 2, 2).finished());
  EXPECT_EQ(QuantileBins(VectorXd::Ones(5), 4).levels(), 1);
  EXPECT_NE(message_of([&] { QuantileBins(b, 0); }).find("bins is 0"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
