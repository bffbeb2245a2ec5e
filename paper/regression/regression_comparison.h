// The paper's comparison where the sensitive column is a number: methods are fitted on the training part and judged on
// the test part.
//
//   MSE           mean (f(a, b) − y)², y in units of its training standard deviation
//   CF_abs        mean |f(a of b', b') − f(a of b, b)| over 1,000 draws of b' a row, features by the adversarial
//                 generator (methods/adversarial_vae.h), trained on the same part
//   CF_sq         mean of the squares
//   CF_additive   the absolute one, where b moves features by the lines of the training part and what is left stays
//   CF_exact      the absolute one, for the exact counterfactuals of simulated rows
//   train_s       seconds from the data to the fitted method, the generator's included where the method needs it
//
// Draws of b' are uniform over the training part's range of b (metrics/continuous_counterfactual.h). There are 100 a
// row of CF_additive and CF_exact, for both are smooth in b', and of all gaps of a candidate that is slow to ask: the
// first of the 1,000. In a draw all test rows are one batch. A method whose training diverges has NaN in its cells and
// a warning that names the seed, the epoch, the learning rate and what to change; the others go on. So they do without
// a generator, if its own diverges: without CF_abs, CF_sq and the methods that need it. All other Errors end the run.
//
// A candidate that is traced gives points as well: what is predicted for one test row, that with the median b, had its
// b been another, for 1,000 draws of b'; curves "METHOD, generator" and, if known, "METHOD, exact".
//
// All but train_s is a function of the seed, for any number of threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "methods/adversarial_method.h"
#include "metrics/continuous_counterfactual.h"
#include "paper/regression/perceptron.h"
#include "paper/reproduction/experiment.h"
#include "paper/reproduction/published_ob.h"

namespace plumbline {

struct RegressionCandidate {
  Protocol protocol = Protocol::published;
  std::string method;  // which protocol, method and rank tell from all others, in every experiment: it is fitted once
  std::optional<Index> rank;
  std::function<FittedContinuous(const ContinuousSample& training, const AdversarialVae* generator)> fit;
  bool uses_generator = false;  // then it is not called without one
  bool is_traced = false;
  bool is_slow = false;  // to predict
};

struct RegressionTrial {
  std::string name;  // of the training part
  ContinuousSample training, test;
  std::unique_ptr<const Counterfactuals> exact = nullptr;  // of the test rows; null: not known
  VaeOptions generator = {};
  std::vector<std::string> warnings = {};
};

using RegressionCandidates = std::vector<RegressionCandidate>;

// How often `step` is called: for the generator, for each candidate that is fitted, and thrice while they are judged:
// after the gaps by the generator, after those by lines, and when all is done.
int steps_of(const RegressionCandidates& candidates);

RunResult compare_regressions(const RegressionCandidates& candidates, const RegressionTrial& trial,
                              const RunOptions& options);

// How networks are trained (regression_setting.h).
inline constexpr int kAdversarialDraws = 2;
inline constexpr double kSoundRate = 1e-3;
PerceptronOptions published_perceptron(std::uint64_t seed);
PerceptronOptions sound_perceptron(std::uint64_t seed);

void add_plain(RegressionCandidates& list, Protocol protocol, const PerceptronOptions& network);  // ML, FTU
void add_debiased(RegressionCandidates& list, Protocol protocol, const std::string& name, const FitOptions& options,
                  const std::optional<ExpansionOptions>& expand, const PerceptronOptions& network);
// OB and SOB as printed (published_ob.h), with OB[refitted] for batches that each have a map of their own.
void add_printed_ob(RegressionCandidates& list, Index rank, const PerceptronOptions& network,
                    published::Batches batches = published::Batches::keep_the_first);
void add_printed_sob(RegressionCandidates& list, Index rank, const PerceptronOptions& network);
void add_adversarial(RegressionCandidates& list, Protocol protocol, double penalty, const AdversarialOptions& options);
void add_discretised(RegressionCandidates& list, Protocol protocol, const PerceptronOptions& network);

}  // namespace plumbline
