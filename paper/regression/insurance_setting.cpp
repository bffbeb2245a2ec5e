#include <fmt/format.h>

#include <array>
#include <cmath>

#include "paper/datasets/insurance.h"
#include "paper/datasets/numpy_permutation.h"
#include "paper/datasets/training_units.h"
#include "paper/regression/regression_setting.h"
#include "predict/least_squares.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kRows = 10'000, kJudged = 500;
constexpr int kPublishedEpochs = 270, kSoundAdversarialEpochs = 100, kSoundPatience = 30;
constexpr Index kFeatures = 4;

InsuranceRows chosen(const InsuranceRows& rows, const std::vector<Index>& which) {
  return {rows.b(which), rows.a(which, Eigen::all), rows.y(which), rows.u(which, Eigen::all),
          rows.e(which, Eigen::all)};
}

struct Units {
  explicit Units(const InsuranceRows& training)
      : low(training.a.colwise().minCoeff()), width(training.a.colwise().maxCoeff() - low), outcome(training.y) {}

  MatrixXd features(const MatrixXd& a) const { return (a.rowwise() - low).array().rowwise() / width.array(); }
  ContinuousSample of(const InsuranceRows& rows) const { return {features(rows.a), rows.b, outcome.of(rows.y)}; }

  Eigen::RowVectorXd low, width;
  OutcomeUnits outcome;
};

class ExactCounterfactuals final : public Counterfactuals {
 public:
  ExactCounterfactuals(const InsuranceGenerator& generator, InsuranceRows rows, Units units)
      : generator_(generator), rows_(std::move(rows)), units_(std::move(units)) {}

  Index rows() const override { return rows_.b.size(); }
  MatrixXd features(const MatrixXd& b) const override {
    return units_.features(generator_.counterfactual(rows_, b.col(0)).a);
  }
  MatrixXd features_of_row(Index row, const MatrixXd& b) const override {
    const std::vector<Index> copies(static_cast<std::size_t>(b.rows()), row);
    return units_.features(generator_.counterfactual(chosen(rows_, copies), b.col(0)).a);
  }

 private:
  InsuranceGenerator generator_;
  InsuranceRows rows_;
  Units units_;
};

class InsuranceSetting final : public RegressionSetting {
 public:
  RegressionTrial trial(Protocol, std::uint32_t seed) const override {
    const InsuranceGenerator generator({.seed = seed});
    const InsuranceRows rows = generator.rows(0, kRows);
    Split split = numpy_split(seed, kRows);
    split.test.resize(kJudged);
    const InsuranceRows training = chosen(rows, split.train);
    InsuranceRows test = chosen(rows, split.test);
    const Units units(training);
    RegressionTrial out{.name = "insurance", .training = units.of(training), .test = units.of(test)};
    if (const Index outside = rows_outside(training.b, test.b); outside > 0)
      out.warnings.push_back(
          fmt::format("seed {}: b of {} of {} test rows is outside of the training range", seed, outside, kJudged));
    out.exact = std::make_unique<ExactCounterfactuals>(generator, std::move(test), units);
    out.generator.seed = seed;
    return out;
  }

  bool shares_trial(std::uint32_t) const override { return true; }

  PerceptronOptions network(Protocol protocol, std::uint32_t seed) const override {
    PerceptronOptions options = protocol == Protocol::published ? published_perceptron(seed) : sound_perceptron(seed);
    if (protocol == Protocol::published) options.epochs = kPublishedEpochs;
    if (protocol == Protocol::sound) options.patience = kSoundPatience;
    return options;
  }

  AdversarialOptions adversarial(Protocol protocol, std::uint32_t seed) const override {
    AdversarialOptions options{.draws = kAdversarialDraws, .epochs = kPublishedEpochs, .seed = seed};
    if (protocol == Protocol::sound) options.epochs = kSoundAdversarialEpochs, options.learning_rate = kSoundRate;
    return options;
  }

  Index rank() const override { return kFeatures; }
};

}  // namespace

SharedSetting insurance_setting() { return std::make_shared<InsuranceSetting>(); }

std::vector<Measured> insurance_gaps(std::uint32_t seed, const std::function<void()>& step) {
  constexpr Index kTestRows = 500, kSamples = 8;
  constexpr int kDraws = 20;
  const InsuranceOptions world{.seed = seed};
  const InsuranceGenerator generator(world);
  const InsuranceRows test = generator.rows(0, kTestRows);
  const VectorXd middle = VectorXd::Constant(1, world.b_mean), spread = VectorXd::Constant(1, 3 * world.b_sd);
  const GapOptions options{.low = middle - spread, .high = middle + spread, .draws = kDraws, .seed = seed};
  FitOptions sparse;
  sparse.method = Method::sob;
  sparse.rank = Rank::count(kFeatures);
  const Learner learner = least_squares_learner();
  constexpr std::array<const char*, 3> kNames = {"FTU[linear]", "OB[linear]", "SOB[linear]"};
  std::vector<Measured> out;
  std::int64_t first = kTestRows;
  for (const Index n : kGapRows) {
    MatrixXd gaps(kSamples, kNames.size());
    for (Index sample = 0; sample < kSamples; ++sample, first += n) {
      const InsuranceRows rows = generator.rows(first, n);
      const Units units(rows);
      const ContinuousSample training = units.of(rows);
      const ExactCounterfactuals truth(generator, test, units);
      const FittedContinuous methods[] = {fit_unaware(training, learner), fit_debiased(training, learner, {}),
                                          fit_debiased(training, learner, sparse)};
      for (std::size_t m = 0; m < kNames.size(); ++m)
        gaps(sample, static_cast<Index>(m)) = continuous_gap(*methods[m], truth, test.b, options).absolute;
    }
    for (std::size_t m = 0; m < kNames.size(); ++m) {
      const auto column = gaps.col(static_cast<Index>(m)).array();
      out.push_back({.protocol = Protocol::sound,
                     .method = kNames[m],
                     .rank = {},
                     .metric = fmt::format("CF_exact@{}", n),
                     .value = column.mean(),
                     .sd = std::sqrt((column - column.mean()).square().sum() / (kSamples - 1))});
    }
    step();
  }
  return out;
}

}  // namespace plumbline
