// Runs experiments over seeds, and gathers their records.
//
// Seeds seed … seed + repeats − 1 are run in parallel where there are several, else the methods of the one run; the
// records are the same for any number of threads, but for times. All data are loaded before anything is computed. Where
// a folder for runs is given, those of repeated experiments are kept in it, each once it is finished, and those that
// are there already are not computed again (kept_runs.h); the records are the same.
//
// Error: options out of range, and whatever the experiments throw.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "paper/reproduction/experiment.h"
#include "paper/reproduction/kept_runs.h"

namespace plumbline {

struct ReproductionOptions {
  DataSource source = {};
  std::uint32_t seed = 0;           // of the first split; the paper's is 0
  std::optional<int> repeats = {};  // of all that are split by the seed, from 1 to 100,000; none: each has its own
  int threads = 0;                  // 0: one a core
  std::filesystem::path kept = {};  // the folder for runs; empty: none are kept
  bool any_build = false;           // take runs that another build of the program has kept

  // How much is done, before anything is computed and with each step or kept run; from one thread at a time.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  std::function<void(int there, int total)> on_kept = {};  // of the runs that are to be kept, if there are any

  std::function<void(const RefusedRuns& refused)> on_refused =
      {};  // once, before anything is computed, if there are any

  // Throws Error naming the field; also if the last seed of an experiment has more than 32 bits.
  void check(const std::vector<const Experiment*>& experiments) const;
  int repeats_of(const Experiment& experiment) const;
};

struct Reproduction {
  std::vector<const Experiment*> experiments;
  std::vector<int> repeats;  // of each
  std::uint32_t seed = 0;
  std::optional<int> wanted_repeats;  // as in the options
  std::vector<Record> records;
  std::vector<std::string> warnings;  // of the data, then of the methods, each once and naming what it is about
  std::map<std::string, std::vector<CurvePoint>, std::less<>> points;  // of each experiment's first run

  RecordList of(std::string_view experiment) const;
  std::vector<CurvePoint> points_of(std::string_view experiment) const;
};

Reproduction reproduce(const std::vector<const Experiment*>& experiments, const ReproductionOptions& options = {});

}  // namespace plumbline
