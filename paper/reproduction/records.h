// What an experiment gives: numbers, each beside the paper's printed one.
//
//   Measured   one metric of one method under one protocol, for one seed
//   Record     the same over the `runs` seeds from `seed` on: mean and standard deviation (divisor repeats − 1) over
//              the `repeats` of them that have a value, for a training may diverge, the printed cell, how they
//              compare, and the note that explains it
//
// Marks
//   =   agree to four decimals: |value − paper| ≤ 0.00005
//   ~   differ, and the printed cell lies within a stated spread: within two standard deviations of the mean, over
//       our seeds or random starts, or the paper's own where it prints one; also for what agrees to four decimals but
//       is a mean over random starts, which brackets a cell and does not identify it
//   ≠   differ; the note says why
//
// train_s has none: seconds of another machine are nothing to reproduce.
//
// Where an experiment simulates several causal models, the last suffix of a method names the model, and where it does
// so for several numbers of rows, the metric ends in that number: OB[powers][student-t], CF_exact@1000 (theory_page.h).
//
// records_json writes an array of objects {experiment, protocol, method, rank, seed, repeats, metric, value, sd, paper,
// mark, note, low, high, paper_sd}, values in full precision, what is unknown null.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "paper/reproduction/bootstrap.h"
#include "plumbline/columns.h"

namespace plumbline {

enum class Protocol { published, sound };
enum class Mark { equal, near, different };

const char* name_of(Protocol protocol);
const char* name_of(Mark mark);  // =, ~, ≠

struct Measured {
  Protocol protocol = Protocol::published;
  std::string method;                     // as in the paper; variants of ours have a suffix: OB_2[onehot]
  std::optional<Index> rank;              // k
  std::string metric;                     // ACC, AUC, CF, EO, AA; MSE, CF_abs …; of simulations of n rows CF_exact@n
  double value = 0;                       // NaN where it is not defined
  std::optional<double> sd = {};          // over random starts or samples within the run
  std::optional<Interval> interval = {};  // over resampled test rows
};

struct Record {
  std::string experiment;
  Protocol protocol = Protocol::published;
  std::string method;
  std::optional<Index> rank;
  std::uint32_t seed = 0;
  int runs = 1, repeats = 1;
  std::string metric;
  double value = 0;
  std::optional<double> sd, paper, paper_sd;
  std::optional<Mark> mark;
  std::optional<int> note;          // its number, from 1 (notes.h)
  std::optional<double> low, high;  // 95 % interval, test rows resampled; of single runs only
  std::vector<double> by_run = {};  // the values of which `value` is the mean, NaN where there is none
};

// The mark of a value beside a printed cell, given the spreads that are stated.
Mark mark_of(double value, double paper, std::optional<double> sd, std::optional<double> paper_sd,
             bool is_mean_of_starts = false);

// One record for each measurement of the first run; runs must have measured the same. Throws Error if they have not.
std::vector<Record> summarise(std::string_view experiment, std::uint32_t seed,
                              const std::vector<std::vector<Measured>>& runs);

Json records_json(const std::vector<Record>& records);

}  // namespace plumbline
