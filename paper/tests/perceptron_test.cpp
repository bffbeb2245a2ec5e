#include "paper/regression/perceptron.h"

#include <gtest/gtest.h>

#include <cmath>

#include "message_of.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::VectorXd;

struct Regression {
  MatrixXd x;
  VectorXd y;
};

Regression sample(unsigned seed, Index rows) {
  Random random(seed);
  Regression out{random.matrix(rows, 3), VectorXd(rows)};
  for (Index i = 0; i < rows; ++i)
    out.y[i] = 100 + 20 * std::abs(out.x(i, 0)) + 10 * out.x(i, 1) * out.x(i, 2) + random.normal();
  out.x.col(1) = (out.x.col(1).array() * 1e3 - 5e3).matrix();
  return out;
}

PerceptronOptions quick_perceptron() {
  PerceptronOptions options;
  options.hidden = {16, 8};
  options.epochs = 150;
  options.batch = 32;
  options.learning_rate = 5e-3;
  return options;
}

TEST(Perceptron, ExplainsLaterRowsWhateverTheUnits) {
  const Regression training = sample(1, 800), later = sample(2, 400);
  const Perceptron fitted = fit_perceptron(training.x, training.y, quick_perceptron());
  const double left = (fitted.predict(later.x) - later.y).squaredNorm();
  EXPECT_LT(left, 0.15 * (later.y.array() - later.y.mean()).square().sum());
}

TEST(Perceptron, PredictsProbabilities) {
  Random random(3);
  const MatrixXd x = random.matrix(1000, 2);
  VectorXd y(1000);
  for (Index i = 0; i < 1000; ++i) y[i] = random.uniform(0, 1) < 1 / (1 + std::exp(-3 * x(i, 0))) ? 1 : 0;
  PerceptronOptions options = quick_perceptron();
  options.hidden = {};
  options.outcome = Outcome::probability;
  const VectorXd p = fit_perceptron(x, y, options).predict(x);
  EXPECT_GT(p.minCoeff(), 0);
  EXPECT_LT(p.maxCoeff(), 1);
  const VectorXd truth = 1 / (1 + (-3 * x.col(0).array()).exp());
  EXPECT_LT((p - truth).cwiseAbs().maxCoeff(), 0.1);
  EXPECT_NEAR(p.mean(), y.mean(), 0.01);
}

TEST(Perceptron, TheSameSeedPredictsTheSameBits) {
  const Regression data = sample(4, 90);
  PerceptronOptions options = quick_perceptron();
  options.epochs = 5;
  const Learner learner = perceptron_learner(options);
  const VectorXd one = learner(data.x, data.y)->predict(data.x), two = learner(data.x, data.y)->predict(data.x);
  EXPECT_TRUE((one.array() == two.array()).all());
  options.seed = 1;
  EXPECT_FALSE((one.array() == fit_perceptron(data.x, data.y, options).predict(data.x).array()).any());
}

TEST(Perceptron, ARowsPredictionDoesNotDependOnTheOthers) {
  const Regression data = sample(5, 2500);
  PerceptronOptions options = quick_perceptron();
  options.epochs = 2;
  const Perceptron fitted = fit_perceptron(data.x, data.y, options);
  const VectorXd all = fitted.predict(data.x);
  for (const Index i : {0, 17, 1023, 1024, 2499}) EXPECT_EQ(fitted.predict(data.x.row(i))[0], all[i]);
  EXPECT_EQ(fitted.predict(MatrixXd(0, 3)).size(), 0);
}

TEST(Perceptron, ConstantColumnsAndOutcomesDoNoHarm) {
  Regression data = sample(6, 50);
  data.x.col(2).setConstant(1e9 / 3);
  data.x.col(1) *= 1e200;
  data.y.setConstant(7);
  PerceptronOptions options = quick_perceptron();
  const VectorXd p = fit_perceptron(data.x, data.y, options).predict(data.x);
  EXPECT_LT((p.array() - 7).abs().maxCoeff(), 0.2);
}

TEST(Perceptron, RawInputsAreTakenAsTheyAre) {
  const Regression data = sample(7, 60);
  PerceptronOptions options = quick_perceptron();
  options.epochs = 1;
  options.standardize_inputs = options.standardize_outcome = false;
  const PerceptronScaling scaling = fit_perceptron(data.x, data.y, options).scaling();
  EXPECT_TRUE((scaling.means.array() == 0).all() && (scaling.scales.array() == 1).all());
  EXPECT_EQ(scaling.outcome_mean, 0);
  EXPECT_EQ(scaling.outcome_scale, 1);
}

TEST(Perceptron, ReadsBackExactly) {
  const Regression data = sample(8, 60);
  PerceptronOptions options = quick_perceptron();
  options.epochs = 3;
  const Perceptron fitted = fit_perceptron(data.x, data.y, options);
  const std::string text = fitted.to_json();
  const Perceptron read = Perceptron::from_json(text);
  EXPECT_TRUE((read.predict(data.x).array() == fitted.predict(data.x).array()).all());
  EXPECT_EQ(read.to_json(), text);
  EXPECT_EQ(message_of([&] { Perceptron::from_json(text.substr(0, text.size() / 2)); }).rfind("this is not JSON", 0),
            0U);
}

TEST(Perceptron, RefusesWhatDoesNotFit) {
  const Regression data = sample(9, 20);
  const auto message = [&](PerceptronOptions options) {
    return message_of([&] { fit_perceptron(data.x, data.y, options); });
  };
  EXPECT_EQ(message({.hidden = {4, 0}}), "a layer in hidden is 0; it must be at least 1");
  EXPECT_EQ(message({.epochs = 0}), "epochs is 0; it must be at least 1");
  EXPECT_NE(message({.outcome = Outcome::probability}).find("as a probability it must be from 0 to 1"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { fit_perceptron(data.x, data.y.head(3)); }),
            "y has 3 rows and x has 20; they must have the same rows");
  EXPECT_EQ(message_of([&] { fit_perceptron(MatrixXd(0, 3), VectorXd(0)); }),
            "x is 0 × 3; a perceptron needs at least one row and one column");
  MatrixXd holes = data.x;
  holes(3, 1) = std::nan("");
  EXPECT_EQ(message_of([&] { fit_perceptron(holes, data.y); }), "x is nan in row 3, column 1; cells must be finite");
  PerceptronOptions raw = quick_perceptron();
  raw.standardize_inputs = false;
  holes(3, 1) = 1e300;
  EXPECT_EQ(message_of([&] { fit_perceptron(holes, data.y, raw); }),
            "x is 1e+300 in row 3, column 1, more than a float can hold; rescale it");
  PerceptronOptions once = quick_perceptron();
  once.epochs = 1;
  const Perceptron fitted = fit_perceptron(data.x, data.y, once);
  EXPECT_EQ(message_of([&] { fitted.predict(data.x.leftCols(2)); }),
            "x has 2 columns; this perceptron was fitted to 3");
  testing::MatrixXd many = testing::MatrixXd::Zero(300, 3);
  many(200, 1) = 1e300;
  EXPECT_EQ(message_of([&] { fitted.predict(many); }),
            "x is 1e+300 in row 200, column 1, more than a float can hold; rescale it");
  EXPECT_EQ(message_of([&] { fitted.averaged(many.rightCols(2), testing::VectorXd::Ones(1)); }),
            "a is 1e+300 in row 200, column 0, more than a float can hold; rescale it");
}

// As the base class does it, group by group; rows in several blocks, a group of share 0, a column without spread.
TEST(Perceptron, AveragesOverGroupsAreWhatTheySay) {
  Random random(21);
  for (const Outcome outcome : {Outcome::number, Outcome::probability})
    for (const bool standardize : {true, false}) {
      MatrixXd x(300, 3 + 4);
      x << random.one_hot(300, 3), random.matrix(300, 4);
      x.col(5).setConstant(2);
      const VectorXd y = outcome == Outcome::number ? VectorXd(x.rowwise().sum()) : VectorXd(x.col(0));
      const Perceptron fitted =
          fit_perceptron(x, y, {.hidden = {8, 4}, .outcome = outcome, .standardize_inputs = standardize, .epochs = 5});
      const MatrixXd a = random.matrix(3000, 4);
      for (const VectorXd& shares : {VectorXd{{0.5, 0.2, 0.3}}, VectorXd{{0.25, 0, 0.75}}}) {
        const VectorXd expected = fitted.Predictor::averaged(a, shares);
        EXPECT_LE((fitted.averaged(a, shares) - expected).cwiseAbs().maxCoeff(), 1e-5 * expected.cwiseAbs().maxCoeff());
      }
      EXPECT_EQ(fitted.averaged(MatrixXd(0, 4), VectorXd{{0.5, 0.2, 0.3}}).size(), 0);
      EXPECT_THROW(fitted.averaged(random.matrix(3, 5), VectorXd{{0.5, 0.2, 0.3}}), Error);
    }
}

}  // namespace
}  // namespace plumbline
