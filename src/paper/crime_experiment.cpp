// The paper's comparison on Communities and Crime, its table of ranks, and discrete methods on bins of b.
#include <fmt/format.h>

#include "paper/crime_data.h"
#include "paper/regression_comparison.h"

namespace plumbline {
namespace {

constexpr int kFolds = 10;
constexpr Index kRank = 20;

FitOptions of_rank(Index rank, Basis basis, Method method = Method::ob) {
  FitOptions options;
  options.method = method;
  options.basis = basis;
  options.rank = Rank::count(rank);
  return options;
}

class Crime : public LoadedExperiment {
 public:
  explicit Crime(const DataSource& source) : data_(read_crime(source)) {}

  RunResult run(const RunOptions& options) const override {
    RunResult out;
    for (const Protocol protocol : {Protocol::published, Protocol::sound}) {
      const int fold = protocol == Protocol::published ? 1 : 1 + static_cast<int>(options.seed % kFolds);
      ContinuousParts parts = split_crime(data_, fold);
      if (parts.outside > 0)
        add_once(out.warnings, fmt::format("fold {}: b of {} of {} test rows is outside of the training range", fold,
                                           parts.outside, parts.test.rows()));
      const RegressionTrial trial{std::move(parts.training), std::move(parts.test), nullptr, {.seed = options.seed}};
      out.append(compare_regressions(candidates(protocol, options.seed), trial, options));
    }
    return out;
  }

  int steps() const override {
    return static_cast<int>(candidates(Protocol::published, 0).size() + candidates(Protocol::sound, 0).size()) + 2;
  }

  std::vector<std::string> warnings() const override { return data_.warnings; }

 protected:
  virtual RegressionCandidates candidates(Protocol protocol, std::uint32_t seed) const {
    RegressionCandidates list;
    const bool is_published = protocol == Protocol::published;
    const PerceptronOptions network = is_published ? published_perceptron(seed) : sound_perceptron(seed);
    add_plain(list, protocol, network);
    if (is_published) {
      add_debiased(list, protocol, "OB", of_rank(kRank, Basis::paper), {}, network);
      add_debiased(list, protocol, "SOB", of_rank(kRank, Basis::optimal, Method::sob), {}, network);
    } else {
      add_debiased(list, protocol, "OB", {}, {}, network);
      add_debiased(list, protocol, "OB", of_rank(kRank, Basis::optimal), {}, network);
      add_debiased(list, protocol, "SOB", of_rank(kRank, Basis::optimal, Method::sob), {}, network);
      add_debiased(list, protocol, "OB[powers]", {}, ExpansionOptions{.powers = 3}, network);
      add_debiased(list, protocol, "OB[spline]", {}, ExpansionOptions{.knots = 5}, network);
      add_debiased(list, protocol, "OB[bins]", {}, ExpansionOptions{.bins = 10}, network);
      FitOptions blind;
      blind.mode = Mode::blind;
      add_debiased(list, protocol, "OB[blind]", blind, {}, network);
    }
    for (const double penalty : {0.1, 0.2}) add_adversarial(list, protocol, penalty, {.draws = 3, .seed = seed});
    return list;
  }

 private:
  CrimeData data_;
};

// OB by rank, and of all ranks.
class CrimeRanks final : public Crime {
 public:
  using Crime::Crime;

 protected:
  RegressionCandidates candidates(Protocol protocol, std::uint32_t seed) const override {
    RegressionCandidates list;
    const bool is_published = protocol == Protocol::published;
    for (const Index rank : {90, 100, 110, 120})
      add_debiased(list, protocol, "OB", of_rank(rank, is_published ? Basis::paper : Basis::optimal), {},
                   is_published ? published_perceptron(seed) : sound_perceptron(seed));
    return list;
  }
};

template <class Loaded>
std::unique_ptr<const LoadedExperiment> load(const DataSource& source) {
  return std::make_unique<Loaded>(source);
}

}  // namespace

constinit const Experiment kCrimeExperiment = {
    .name = "crime",
    .title = "Communities and Crime",
    .text =
        "How many violent crimes are there for each inhabitant? 1,994 communities, 121 features, the share of black "
        "inhabitants as the sensitive column. As published: the first of ten folds is the test part of every run, and "
        "a run is a seed of the networks. Sound: each fold in turn, early stopping, OB at full rank beside rank 20, "
        "with powers, splines and bins of b, and blind.",
    .repeats = 10,
    .load = load<Crime>};

constinit const Experiment kSensitivityCrimeExperiment = {
    .name = "sensitivity-crime",
    .title = "Communities and Crime by rank",
    .text = "OB on Communities and Crime for four ranks. Sound: each fold in turn, with the optimal basis.",
    .repeats = 10,
    .load = load<CrimeRanks>};

}  // namespace plumbline
