// The comparison of methods for numbers: what is measured, and what is shared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "message_of.h"
#include "paper/regression/regression_experiment.h"
#include "plumbline/error.h"
#include "predict/least_squares.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::VectorXd;

constexpr Index kFeatures = 3;

ContinuousSample some_sample(Index n, unsigned seed) {
  Random random(seed);
  const MatrixXd b = random.matrix(n, 1), a = b * random.matrix(1, kFeatures) + random.matrix(n, kFeatures);
  return {a, b, a.rowwise().sum() + random.matrix(n, 1)};
}

VaeOptions quick(std::uint64_t seed = 0) {
  return {.encoder = {8},
          .decoder = {8},
          .epochs = 2,
          .batch = 64,
          .adversary_steps = 1,
          .first_adversary_steps = 1,
          .seed = seed};
}

// As many features whatever b is.
class Unmoved final : public Counterfactuals {
 public:
  explicit Unmoved(MatrixXd a) : a_(std::move(a)) {}
  Index rows() const override { return a_.rows(); }
  MatrixXd features(const MatrixXd&) const override { return a_; }

 private:
  MatrixXd a_;
};

class RegressionComparison : public ::testing::Test {
 protected:
  static RegressionCandidate candidate(const char* name, FittedContinuous (*fit)(const ContinuousSample&)) {
    return {Protocol::sound, name, {}, [fit](const ContinuousSample& training, const AdversarialVae*) {
              return fit(training);
            }};
  }

  RegressionCandidates candidates = {
      candidate("ML", [](const ContinuousSample& s) { return fit_aware(s, least_squares_learner()); }),
      candidate("broken", [](const ContinuousSample&) -> FittedContinuous { throw Divergence(7, 0.5); }),
      candidate("FTU", [](const ContinuousSample& s) { return fit_unaware(s, least_squares_learner()); })};

  RegressionTrial trial() const {
    RegressionTrial out{.name = "some", .training = some_sample(200, 1), .test = some_sample(60, 2)};
    out.exact = std::make_unique<Unmoved>(out.test.a);
    out.generator = quick();
    out.warnings = {"some rows are outside"};
    return out;
  }

  // E|b' − b| of the test rows, b' uniform over the training range.
  static double mean_distance(const RegressionTrial& on) {
    const double low = on.training.b.minCoeff(), high = on.training.b.maxCoeff();
    double sum = 0;
    for (const double b : on.test.b.col(0)) {
      const double inside = std::clamp(b, low, high), outside = std::abs(b - inside);
      sum += outside + ((inside - low) * (inside - low) + (high - inside) * (high - inside)) / (2 * (high - low));
    }
    return sum / static_cast<double>(on.test.rows());
  }

  static double value(const RunResult& run, const std::string& method, const std::string& metric) {
    for (const Measured& cell : run.measured)
      if (cell.method == method && cell.metric == metric) return cell.value;
    ADD_FAILURE() << method << ' ' << metric;
    return 0;
  }
};

TEST_F(RegressionComparison, MeasuresWhatItSays) {
  int steps = 0;
  const RegressionTrial on = trial();
  const RunResult run = compare_regressions(candidates, on, {.threads = 1, .step = [&] { ++steps; }});
  EXPECT_EQ(steps, steps_of(candidates));
  EXPECT_EQ(run.measured.size(), 3u * 6);
  const LeastSquares unaware(on.training.a, on.training.y);
  EXPECT_NEAR(value(run, "FTU", "MSE"), (unaware.predict(on.test.a) - on.test.y).squaredNorm() / 60, 1e-12);
  EXPECT_EQ(value(run, "FTU", "CF_exact"), 0) << "nothing moves if features do not";
  // A line moves by its slope.
  MatrixXd both(200, 1 + kFeatures);
  both << on.training.b, on.training.a;
  const double slope = LeastSquares(both, on.training.y).coefficients()[0];
  const double expected = std::abs(slope) * mean_distance(on);
  EXPECT_NEAR(value(run, "ML", "CF_exact"), expected, 0.03 * expected);
  EXPECT_GT(value(run, "ML", "train_s"), 0);
}

// Says how many steps were counted when it was asked last.
class Watching final : public ContinuousMethod {
 public:
  Watching(const int& steps, int& last) : steps_(steps), last_(last) {}
  VectorXd predict(const MatrixXd& a, const MatrixXd&) const override {
    last_ = steps_;
    return VectorXd::Zero(a.rows());
  }
  std::vector<std::string> warnings() const override { return {}; }

 private:
  const int& steps_;
  int& last_;
};

TEST_F(RegressionComparison, NotAllIsDoneWhileMethodsAreStillAsked) {
  int steps = 0, last = 0;
  RegressionCandidates watched = {candidates[0]};
  watched[0].fit = [&](const ContinuousSample&, const AdversarialVae*) {
    return std::make_unique<const Watching>(steps, last);
  };
  for (const bool is_traced : {false, true}) {
    steps = 0;
    watched[0].is_traced = is_traced;
    compare_regressions(watched, trial(), {.threads = 1, .step = [&] { ++steps; }});
    EXPECT_EQ(last, steps_of(watched) - 1);
    EXPECT_EQ(steps, steps_of(watched));
  }
}

// The data of the comparisons above.
class SmallSetting final : public RegressionSetting {
 public:
  explicit SmallSetting(bool shares) : shares_(shares) {}
  RegressionTrial trial(Protocol, std::uint32_t) const override {
    return {.name = "small", .training = some_sample(80, 1), .test = some_sample(20, 2), .generator = quick()};
  }
  bool shares_trial(std::uint32_t) const override { return shares_; }
  PerceptronOptions network(Protocol, std::uint32_t) const override { return {.hidden = {2}, .epochs = 1}; }
  AdversarialOptions adversarial(Protocol, std::uint32_t) const override { return {}; }
  Index rank() const override { return kFeatures; }

 private:
  bool shares_;
};

TEST(RegressionExperiment, CountsItsStepsWhetherProtocolsShareATrialOrNot) {
  for (const bool shares : {false, true}) {
    const auto plain = [](const RegressionSetting& setting, Protocol protocol, std::uint32_t seed) {
      RegressionCandidates list;
      add_plain(list, protocol, setting.network(protocol, seed));
      return list;
    };
    const RegressionExperiment experiment({{std::make_shared<SmallSetting>(shares), plain, "[a]"},
                                           {std::make_shared<SmallSetting>(!shares), plain, "[b]"}});
    int steps = 0;
    experiment.run({.threads = 1, .step = [&] { ++steps; }});
    EXPECT_EQ(steps, experiment.steps());
  }
}

TEST_F(RegressionComparison, WhatDivergesHasNoValueAndTheOthersGoOn) {
  const RunResult run = compare_regressions(candidates, trial(), {.seed = 3});
  for (const char* metric : {"MSE", "CF_abs", "CF_sq", "CF_additive", "CF_exact", "train_s"}) {
    EXPECT_TRUE(std::isnan(value(run, "broken", metric))) << metric;
    EXPECT_TRUE(std::isfinite(value(run, "FTU", metric))) << metric;
  }
  EXPECT_EQ(run.warnings, (std::vector<std::string>{"some rows are outside",
                                                    "broken (sound): seed 3: training diverged in epoch 7 at "
                                                    "learning_rate 0.5: the loss is no longer finite; this run is left "
                                                    "out of the mean: choose other seeds with --seed, or more of them "
                                                    "with --repeats"}));
}

TEST_F(RegressionComparison, WhatFailsOtherwiseIsNotTakenForDivergence) {
  candidates[1] = candidate("broken", [](const ContinuousSample&) -> FittedContinuous { throw Error("no rows"); });
  EXPECT_EQ(testing::message_of([&] { compare_regressions(candidates, trial(), {}); }), "no rows");
  RegressionTrial on = trial();
  on.generator.epochs = 0;
  EXPECT_EQ(testing::message_of([&] { compare_regressions(candidates, on, {}); }),
            "epochs is 0; it must be at least 1");
}

TEST_F(RegressionComparison, WithoutAGeneratorTheRestGoesOn) {
  RegressionTrial on = trial();
  on.generator.learning_rate = 1e30;
  candidates.push_back(candidates[0]);
  candidates.back().method = "Adv(0.1)";
  candidates.back().uses_generator = true;
  const RunResult run = compare_regressions(candidates, on, {.seed = 4});
  for (const char* metric : {"CF_abs", "CF_sq"}) EXPECT_TRUE(std::isnan(value(run, "FTU", metric))) << metric;
  for (const char* metric : {"MSE", "CF_additive", "CF_exact"}) {
    EXPECT_TRUE(std::isfinite(value(run, "FTU", metric))) << metric;
    EXPECT_TRUE(std::isnan(value(run, "Adv(0.1)", metric))) << metric;
  }
  ASSERT_GE(run.warnings.size(), 2u);
  EXPECT_NE(run.warnings[1].find("some: the generator of counterfactuals failed with seed 4: "), std::string::npos);
  for (const char* const words : {"epoch", "learning_rate", "--seed"})
    EXPECT_NE(run.warnings[1].find(words), std::string::npos) << run.warnings[1];
}

TEST_F(RegressionComparison, LinesMoveLinesByTheirSlopes) {
  const RegressionTrial on = trial();
  candidates.push_back(candidate(
      "OB", [](const ContinuousSample& s) { return fit_debiased(s, least_squares_learner(), FitOptions{}); }));
  const RunResult run = compare_regressions(candidates, on, {});
  EXPECT_NEAR(value(run, "OB", "CF_additive"), 0, 1e-12);
  const VectorXd b = on.training.b.col(0).array() - on.training.b.mean();
  const MatrixXd slopes = (b.transpose() * on.training.a) / b.squaredNorm();
  const double slope = (slopes * LeastSquares(on.training.a, on.training.y).coefficients())(0, 0);
  const double expected = std::abs(slope) * mean_distance(on);
  EXPECT_NEAR(value(run, "FTU", "CF_additive"), expected, 0.03 * expected);
}

TEST_F(RegressionComparison, WhatIsSlowIsAskedTheFirstHundredDraws) {
  const RegressionTrial on = trial();
  candidates.push_back(candidates[2]);
  candidates.back().method = "slow";
  candidates.back().is_slow = true;
  const RunOptions options{.seed = 4};
  const RunResult run = compare_regressions(candidates, on, options);
  const FittedContinuous method = fit_unaware(on.training, least_squares_learner());
  const AdversarialVae generator(on.training, on.generator);
  const VaeCounterfactuals world(generator, on.test);
  const auto gap = [&](int draws) {
    return continuous_gap(*method, world, on.test.b, GapOptions::within(on.training.b, draws, options.seed));
  };
  EXPECT_EQ(value(run, "slow", "CF_abs"), gap(100).absolute);
  EXPECT_EQ(value(run, "slow", "CF_sq"), gap(100).square);
  EXPECT_EQ(value(run, "FTU", "CF_abs"), gap(1000).absolute);
  EXPECT_EQ(value(run, "slow", "CF_additive"), value(run, "FTU", "CF_additive"));
}

// As printed OB is a formula for one matrix: a batch that moves as a whole stays the same if it is fitted anew, and
// moves predictions if the training part's map is kept.
TEST(PrintedOb, OnlyRefittedItDoesNotFeelABatchThatMovesAsAWhole) {
  const ContinuousSample training = some_sample(200, 5), test = some_sample(60, 6);
  const PerceptronOptions network{.hidden = {}, .epochs = 3, .learning_rate = 1e-2};
  RegressionCandidates list;
  add_printed_ob(list, kFeatures, network);
  add_printed_sob(list, kFeatures, network);
  add_printed_ob(list, kFeatures, network, published::Batches::refit_each);
  const MatrixXd moved = test.a.rowwise() + Eigen::RowVectorXd::LinSpaced(kFeatures, 3, 5);
  for (const RegressionCandidate& candidate : list) {
    const bool is_refitted = candidate.method == "OB[refitted]";
    EXPECT_EQ(candidate.protocol, Protocol::published);
    EXPECT_EQ(candidate.rank, kFeatures);
    EXPECT_EQ(candidate.is_slow, is_refitted);
    const FittedContinuous method = candidate.fit(training, nullptr);
    const double gap = (method->predict(moved, test.b) - method->predict(test.a, test.b)).cwiseAbs().mean();
    EXPECT_EQ(gap < 1e-5, is_refitted) << candidate.method << ' ' << gap;
  }
  EXPECT_EQ(list[2].method, "OB[refitted]");
}

TEST_F(RegressionComparison, ThreadsLeaveNoTrace) {
  candidates[2].is_traced = true;
  const RunResult one = compare_regressions(candidates, trial(), {.threads = 1}),
                  three = compare_regressions(candidates, trial(), {.threads = 3});
  ASSERT_EQ(one.measured.size(), three.measured.size());
  for (std::size_t i = 0; i < one.measured.size(); ++i) {
    const double a = one.measured[i].value, b = three.measured[i].value;
    if (one.measured[i].metric != "train_s") {
      EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << one.measured[i].metric;
    }
  }
  ASSERT_EQ(one.points.size(), 2000u);
  for (std::size_t i = 0; i < one.points.size(); ++i) {
    EXPECT_EQ(one.points[i].curve, i < 1000 ? "FTU, generator" : "FTU, exact");
    EXPECT_EQ(one.points[i].y, three.points[i].y);
  }
}

TEST(Counterfactuals, OfOneRowAreThoseItHasAmongTheOthers) {
  const RegressionTrial on = insurance_setting()->trial(Protocol::sound, 3);
  const AdversarialVae generator(some_sample(80, 1), quick());
  const ContinuousSample few = some_sample(9, 2);
  const VaeCounterfactuals decoded(generator, few);
  const AdditiveNoise moved(some_sample(80, 1), few.a, few.b);
  for (const Counterfactuals* const world :
       {on.exact.get(), static_cast<const Counterfactuals*>(&decoded), static_cast<const Counterfactuals*>(&moved)}) {
    const MatrixXd b = Random(3).matrix(5, 1);
    for (const Index row : {Index{0}, Index{4}, world->rows() - 1}) {
      const MatrixXd found = world->features_of_row(row, b);
      ASSERT_EQ(found.rows(), 5);
      for (Index i = 0; i < 5; ++i)
        EXPECT_TRUE(found.row(i) == world->features(MatrixXd::Constant(world->rows(), 1, b(i, 0))).row(row));
    }
  }
}

TEST_F(RegressionComparison, WithoutTheTruthThereIsNoExactGap) {
  RegressionTrial on = trial();
  on.exact.reset();
  for (const Measured& cell : compare_regressions(candidates, on, {}).measured) EXPECT_NE(cell.metric, "CF_exact");
}

TEST(TrainingCache, TrainsEachOnce) {
  TrainingCache<int> cache;
  int trained = 0;
  const auto train = [&trained] { return std::make_unique<const int>(++trained); };
  const auto first = cache.get("a", train).model;
  EXPECT_EQ(cache.get("a", train).model, first);
  EXPECT_EQ(*cache.get("b", train).model, 2);
  EXPECT_EQ(trained, 2);
  const auto fail = [&trained]() -> std::unique_ptr<const int> { throw Error(std::to_string(++trained)); };
  for (int asked = 0; asked < 2; ++asked) EXPECT_EQ(testing::message_of([&] { cache.get("c", fail); }), "3");
}

TEST_F(RegressionComparison, RunsThatShareCachesTrainAMethodOnceAndMeasureTheSame) {
  const RegressionTrial on = trial();
  int fitted = 0;
  candidates.push_back({Protocol::sound, "counted", {}, [&fitted](const ContinuousSample& rows, const AdversarialVae*) {
                          ++fitted;
                          return fit_unaware(rows, least_squares_learner());
                        }});
  const RunOptions options{.seed = 4, .threads = 1};
  const RunResult one = compare_regressions(candidates, on, options),
                  two = compare_regressions(candidates, on, options);
  EXPECT_EQ(fitted, 1);
  for (const char* const metric : {"MSE", "CF_abs", "CF_exact", "train_s"})
    EXPECT_EQ(value(one, "counted", metric), value(two, "counted", metric));
}

}  // namespace
}  // namespace plumbline
