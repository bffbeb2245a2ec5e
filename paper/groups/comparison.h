// The paper's comparison of methods for groups: each is fitted on the training part and judged on the test part
// (judgement.h).
//
// Intervals, if asked for, hold the fitted method fixed and resample the test rows: 500 times, seed 0. Candidates are
// fitted and judged in parallel; the result has the same bits for any number of threads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "methods/method.h"
#include "paper/groups/judgement.h"
#include "paper/reproduction/experiment.h"

namespace plumbline {

using Fitted = std::unique_ptr<const FittedMethod>;

struct Candidate {
  Protocol protocol = Protocol::published;
  std::string method;
  std::optional<Index> rank;
  std::function<Fitted(const LogisticOptions& logistic, int start)> fit;
  int starts = 1;  // above 1: fitted for start 0 … starts − 1; the record is their mean, with a standard deviation
};

// Warnings are those of the fitted methods, "METHOD (protocol): sentence" or "METHOD (protocol, k = rank): sentence",
// each once.
RunResult compare(const std::vector<Candidate>& candidates, const Trial& trial, const RunOptions& options);

int steps_of(const std::vector<Candidate>& candidates);  // how often `step` is called

// Lists of candidates to be fitted on `training`, which outlives them.
using Candidates = std::vector<Candidate>;
void add_baselines(Candidates& list, Protocol protocol, const Sample& training);  // ML … FLAP_2(M)
void add_fair_learning(Candidates& list, const Sample& training);                 // FL[mcmc], sound
void add_published_ob(Candidates& list, const Sample& training, Index rank);      // OB_1, OB_2
void add_sound_ob(Candidates& list, const Sample& training, Index rank);          // [onehot] and [code] of both
void add_recentred(Candidates& list, const Sample& training);                     // FTU[recentred], as published

}  // namespace plumbline
