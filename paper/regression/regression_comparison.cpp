#include "paper/regression/regression_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <numeric>

#include "base/ordered.h"
#include "base/random_stream.h"
#include "predict/epoch_rows.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

enum Metric : std::size_t { kError, kGap, kSquaredGap, kAdditiveGap, kExactGap, kSeconds };
constexpr std::array<std::string_view, 6> kMetrics = {"MSE", "CF_abs", "CF_sq", "CF_additive", "CF_exact", "train_s"};
constexpr int kDraws = 1000, kFewDraws = 100;
constexpr int kBins = 10;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Rates and scales are the experiment's, so that whoever runs it can choose the seeds alone.
std::string with_advice(const Divergence& divergence) {
  return divergence.event() +
         "; this run is left out of the mean: choose other seeds with --seed, or more of them with --repeats";
}

// What the candidates of a trial share.
struct Judge {
  Judge(const RegressionTrial& t, const RunOptions& options)
      : trial(t),
        additive(t.training, t.test.a, t.test.b),
        draws(GapOptions::within(t.training.b, kDraws, options.seed)),
        few_draws(GapOptions::within(t.training.b, kFewDraws, options.seed)) {
    draws.threads = few_draws.threads = options.threads;
    try {
      trained = options.caches->generators.get(fmt::format("{}, seed {}", t.name, t.generator.seed), [&t] {
        return std::make_unique<const AdversarialVae>(t.training, t.generator);
      });
      vae.emplace(*trained.model, t.test);
    } catch (const Divergence& divergence) {
      problem = fmt::format("the generator of counterfactuals failed with seed {}: {}", options.seed,
                            with_advice(divergence));
    }
  }

  const RegressionTrial& trial;
  TrainingCache<AdversarialVae>::Trained trained;
  std::optional<VaeCounterfactuals> vae;  // none if its training has failed
  std::string problem;                    // why
  AdditiveNoise additive;
  GapOptions draws, few_draws;
};

struct Judged {
  std::shared_ptr<const ContinuousMethod> method = nullptr;  // null if training has failed
  bool is_slow = false;
  std::array<double, kMetrics.size()> values{};
  std::vector<std::string> warnings = {};
};

Index median_row(const VectorXd& b) {
  std::vector<Index> rows(static_cast<std::size_t>(b.size()));
  std::iota(rows.begin(), rows.end(), Index{0});
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  std::nth_element(rows.begin(), middle, rows.end(), [&](Index i, Index j) { return b[i] < b[j]; });
  return *middle;
}

void trace(const ContinuousMethod& method, const Counterfactuals& world, const Judge& shared, const std::string& curve,
           std::vector<CurvePoint>& points) {
  const Index row = median_row(shared.trial.test.b.col(0));
  RandomStream random(shared.draws.seed, 1, 0);
  const double low = shared.draws.low[0], width = shared.draws.high[0] - low;
  MatrixXd b(kDraws, 1);
  for (Index d = 0; d < kDraws; ++d) b(d, 0) = low + width * random.uniform();
  const VectorXd y = method.predict(world.features_of_row(row, b), b);
  for (Index d = 0; d < kDraws; ++d) points.push_back({curve, b(d, 0), y[d]});
}

Judged fitted(const RegressionCandidate& candidate, const Judge& shared, TrainingCache<ContinuousMethod>& cache) {
  Judged out;
  out.is_slow = candidate.is_slow;
  out.values.fill(kUnknown);
  if (candidate.uses_generator && !shared.vae) {
    out.warnings.push_back(fmt::format("seed {}: it needs the generator of counterfactuals", shared.draws.seed));
    return out;
  }
  try {
    const auto name = fmt::format("{}, seed {}: {}", shared.trial.name, shared.draws.seed,
                                  warning_of(candidate.method, candidate.protocol, candidate.rank, ""));
    const auto found =
        cache.get(name, [&] { return candidate.fit(shared.trial.training, shared.trained.model.get()); });
    out.method = found.model;
    out.values[kSeconds] = found.seconds + (candidate.uses_generator ? shared.trained.seconds : 0);
    out.warnings = out.method->warnings();
  } catch (const Divergence& divergence) {
    out.warnings.push_back(fmt::format("seed {}: {}", shared.draws.seed, with_advice(divergence)));
  }
  return out;
}

void judge(std::vector<Judged>& all, const Judge& shared, const std::function<void()>& step) {
  const ContinuousSample& test = shared.trial.test;
  std::vector<Judged*> judged, quick, slow;
  for (Judged& one : all) {
    if (!one.method) continue;
    judged.push_back(&one);
    (one.is_slow ? slow : quick).push_back(&one);
    one.values[kError] =
        (one.method->predict(test.a, test.b) - test.y).squaredNorm() / static_cast<double>(test.rows());
  }
  const auto put_gaps = [&](const std::vector<Judged*>& some, const Counterfactuals& world, const GapOptions& draws,
                            std::size_t place) {
    if (some.empty()) return;
    std::vector<const ContinuousMethod*> methods;
    for (const Judged* one : some) methods.push_back(one->method.get());
    const std::vector<ContinuousGap> gaps = continuous_gaps(methods, world, test.b, draws);
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      some[i]->values[place] = gaps[i].absolute;
      if (place == kGap) some[i]->values[kSquaredGap] = gaps[i].square;
    }
  };
  if (shared.vae) {
    put_gaps(quick, *shared.vae, shared.draws, kGap);
    put_gaps(slow, *shared.vae, shared.few_draws, kGap);
  }
  step();
  put_gaps(judged, shared.additive, shared.few_draws, kAdditiveGap);
  step();
  if (shared.trial.exact) put_gaps(judged, *shared.trial.exact, shared.few_draws, kExactGap);
}

}  // namespace

RunResult compare_regressions(const RegressionCandidates& candidates, const RegressionTrial& trial,
                              const RunOptions& options) {
  const Judge shared(trial, options);
  options.step();
  std::vector<Judged> judged(candidates.size());
  std::atomic<std::size_t> next = 0;
  const int threads = thread_count(options.threads, static_cast<Index>(candidates.size()));
  run_parallel(threads, threads, [&](Index, int) {
    for (std::size_t i = next++; i < candidates.size(); i = next++) {
      judged[i] = fitted(candidates[i], shared, options.caches->methods);
      options.step();
    }
  });
  judge(judged, shared, options.step);
  RunResult out{.measured = {}, .warnings = trial.warnings};
  if (!shared.problem.empty()) out.warnings.push_back(fmt::format("{}: {}", trial.name, shared.problem));
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const RegressionCandidate& candidate = candidates[i];
    for (std::size_t m = 0; m < kMetrics.size(); ++m)
      if (trial.exact || kMetrics[m] != "CF_exact")
        out.measured.push_back({.protocol = candidate.protocol,
                                .method = candidate.method,
                                .rank = candidate.rank,
                                .metric = std::string(kMetrics[m]),
                                .value = judged[i].values[m]});
    if (candidate.is_traced && judged[i].method) {
      if (shared.vae) trace(*judged[i].method, *shared.vae, shared, candidate.method + ", generator", out.points);
      if (trial.exact) trace(*judged[i].method, *trial.exact, shared, candidate.method + ", exact", out.points);
    }
    for (const std::string& warning : judged[i].warnings)
      add_once(out.warnings, warning_of(candidate.method, candidate.protocol, candidate.rank, warning));
  }
  options.step();
  return out;
}

int steps_of(const RegressionCandidates& candidates) { return static_cast<int>(candidates.size()) + 4; }

PerceptronOptions published_perceptron(std::uint64_t seed) {
  return {.standardize_inputs = false, .standardize_outcome = false, .seed = seed};
}

PerceptronOptions sound_perceptron(std::uint64_t seed) {
  return {.learning_rate = kSoundRate, .seed = seed, .validation = 0.1, .patience = 100};
}

void add_plain(RegressionCandidates& list, Protocol protocol, const PerceptronOptions& network) {
  const Learner learner = perceptron_learner(network);
  list.push_back({protocol, "ML", {}, [learner](const ContinuousSample& training, const AdversarialVae*) {
                    return fit_aware(training, learner);
                  }});
  list.push_back({protocol, "FTU", {}, [learner](const ContinuousSample& training, const AdversarialVae*) {
                    return fit_unaware(training, learner);
                  }});
}

void add_debiased(RegressionCandidates& list, Protocol protocol, const std::string& name, const FitOptions& options,
                  const std::optional<ExpansionOptions>& expand, const PerceptronOptions& network) {
  const std::optional<Index> rank = options.rank.is_all() ? std::nullopt : std::optional(options.rank.count());
  list.push_back({protocol, name, rank,
                  [options, expand, learner = perceptron_learner(network)](const ContinuousSample& training,
                                                                           const AdversarialVae*) {
                    return fit_debiased(training, learner, options, expand);
                  }});
}

void add_printed_ob(RegressionCandidates& list, Index rank, const PerceptronOptions& network,
                    published::Batches batches) {
  const bool is_refitted = batches == published::Batches::refit_each;
  list.push_back({.protocol = Protocol::published,
                  .method = is_refitted ? "OB[refitted]" : "OB",
                  .rank = rank,
                  .fit = [rank, batches, learner = perceptron_learner(network)](
                             const ContinuousSample& training,
                             const AdversarialVae*) { return published::fit_ob(training, learner, rank, batches); },
                  .is_slow = is_refitted});
}

void add_printed_sob(RegressionCandidates& list, Index rank, const PerceptronOptions& network) {
  list.push_back({Protocol::published, "SOB", rank,
                  [options = published::BatchSobOptions{.rank = rank, .seed = network.seed},
                   learner = perceptron_learner(network)](const ContinuousSample& training, const AdversarialVae*) {
                    return published::fit_sob(training, learner, options, published::Batches::keep_the_first);
                  }});
}

void add_adversarial(RegressionCandidates& list, Protocol protocol, double penalty, const AdversarialOptions& options) {
  AdversarialOptions punished = options;
  punished.threads = 1;  // runs are in parallel already
  punished.penalty = penalty;
  list.push_back({protocol,
                  fmt::format("Adv({:g})", penalty),
                  {},
                  [punished](const ContinuousSample& training, const AdversarialVae* generator) {
                    return fit_adversarial(training, *generator, punished);
                  },
                  true});
}

void add_discretised(RegressionCandidates& list, Protocol protocol, const PerceptronOptions& network) {
  for (const auto& [name, method] :
       {std::pair{"FLAP-o", "FLAP_2(O)"}, {"FLAP-m", "FLAP_2(M)"}, {"FL", "FL"}, {"EO", "EO"}, {"AA", "AA"}})
    list.push_back({protocol,
                    name,
                    {},
                    [method = method, learner = perceptron_learner(network)](const ContinuousSample& training,
                                                                             const AdversarialVae*) {
                      MethodOptions options;
                      options.learner = learner;
                      return fit_discretised(method, training, kBins, options);
                    }});
}

}  // namespace plumbline
