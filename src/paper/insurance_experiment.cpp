// The paper's comparison on simulated insurance prices, whose exact counterfactuals are known, and discrete methods on
// bins of b.
#include "paper/insurance.h"
#include "paper/numpy_permutation.h"
#include "paper/regression_comparison.h"

namespace plumbline {
namespace {

constexpr Index kRows = 10'000;
constexpr Index kJudged = 500;  // test rows whose counterfactuals are looked at

InsuranceRows chosen(const InsuranceRows& rows, const std::vector<Index>& which) {
  return {rows.b(which), rows.a(which, Eigen::all), rows.y(which), rows.u(which, Eigen::all), rows.e(which, Eigen::all)};
}

// In units of the training part: features from 0 to 1, y with mean 0 and standard deviation 1.
struct Units {
  explicit Units(const InsuranceRows& training)
      : low(training.a.colwise().minCoeff()),
        width(training.a.colwise().maxCoeff() - low),
        mean(training.y.mean()),
        sd(std::sqrt((training.y.array() - mean).square().mean())) {}

  Eigen::MatrixXd features(const Eigen::MatrixXd& a) const {
    return (a.rowwise() - low).array().rowwise() / width.array();
  }
  ContinuousSample of(const InsuranceRows& rows) const {
    return {features(rows.a), rows.b, (rows.y.array() - mean) / sd};
  }

  Eigen::RowVectorXd low, width;
  double mean, sd;
};

class ExactCounterfactuals final : public Counterfactuals {
 public:
  ExactCounterfactuals(const InsuranceGenerator& generator, InsuranceRows rows, Units units)
      : generator_(generator), rows_(std::move(rows)), units_(std::move(units)) {}

  Index rows() const override { return rows_.b.size(); }
  Eigen::MatrixXd features(const Eigen::MatrixXd& b) const override {
    return units_.features(generator_.counterfactual(rows_, b.col(0)).a);
  }

 private:
  InsuranceGenerator generator_;
  InsuranceRows rows_;
  Units units_;
};

FitOptions of_method(Method method, Index rank) {
  FitOptions options;
  options.method = method;
  if (method == Method::sob) options.rank = Rank::count(rank);
  return options;
}

// Rows are of the seed, and so is the split.
class Insurance : public LoadedExperiment {
 public:
  RunResult run(const RunOptions& options) const override {
    const InsuranceGenerator generator({.seed = options.seed});
    const InsuranceRows rows = generator.rows(0, kRows);
    Split split = numpy_split(options.seed, kRows);
    split.test.resize(kJudged);
    const InsuranceRows training = chosen(rows, split.train), test = chosen(rows, split.test);
    const Units units(training);
    RunResult out;
    for (const Protocol protocol : {Protocol::published, Protocol::sound}) {
      const RegressionTrial trial{units.of(training), units.of(test),
                                  std::make_unique<ExactCounterfactuals>(generator, test, units),
                                  {.seed = options.seed}};
      out.append(compare_regressions(candidates(protocol, options.seed), trial, options));
    }
    return out;
  }

  int steps() const override {
    return static_cast<int>(candidates(Protocol::published, 0).size() + candidates(Protocol::sound, 0).size()) + 2;
  }

 protected:
  virtual RegressionCandidates candidates(Protocol protocol, std::uint32_t seed) const {
    constexpr Index kFeatures = 4;
    RegressionCandidates list;
    const bool is_published = protocol == Protocol::published;
    const PerceptronOptions network = is_published ? published_perceptron(seed) : sound_perceptron(seed);
    add_plain(list, protocol, network);
    add_debiased(list, protocol, "OB", of_method(Method::ob, kFeatures), {}, network);
    add_debiased(list, protocol, "SOB", of_method(Method::sob, kFeatures), {}, network);
    for (const double penalty : {0.1, 0.2}) add_adversarial(list, protocol, penalty, {.draws = 3, .seed = seed});
    return list;
  }
};

}  // namespace

constinit const Experiment kInsuranceExperiment = {
    .name = "insurance",
    .title = "Synthetic insurance",
    .text =
        "What does insurance cost? 10,000 simulated policies with four features and a continuous sensitive column; "
        "three quarters to train on, 500 of the rest to test. The causal model is known, so CF_exact, which keeps the "
        "noises of a row, stands beside what the generator says.",
    .repeats = 10,
    .load = [](const DataSource&) -> std::unique_ptr<const LoadedExperiment> { return std::make_unique<Insurance>(); }};

}  // namespace plumbline
