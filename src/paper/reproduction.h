// Runs experiments over seeds, and gathers their records.
//
// Seeds seed … seed + repeats − 1 are run in parallel where there are several, else the methods of the one run; the
// records are the same for any number of threads. All data are loaded before anything is computed.
//
// Error: options out of range, and whatever the experiments throw.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "paper/experiment.h"

namespace plumbline {

struct ReproductionOptions {
  DataSource source = {};
  std::uint32_t seed = 0;  // of the first split; the paper's is 0
  int repeats = 1;         // from 1 to 100,000; seed + repeats must not leave 32 bits
  int threads = 0;         // 0: one a core
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};  // from one thread at a time

  void check() const;  // throws Error naming the field
};

struct Reproduction {
  std::vector<const Experiment*> experiments;
  std::uint32_t seed = 0;
  int repeats = 1;
  std::vector<Record> records;
  std::vector<std::string> warnings;  // of the data, then of the methods, each once and naming what it is about

  std::map<std::string, std::vector<CurvePoint>, std::less<>> points;  // of each experiment's first run

  RecordList of(std::string_view experiment) const;
  std::vector<CurvePoint> points_of(std::string_view experiment) const;
};

Reproduction reproduce(const std::vector<const Experiment*>& experiments, const ReproductionOptions& options = {});

}  // namespace plumbline
