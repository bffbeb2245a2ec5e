#include "paper/reproduction.h"

#include <fmt/format.h>

#include <limits>
#include <mutex>

#include "parallel/ordered.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr int kMostRepeats = 100'000;

std::vector<RunResult> run_seeds(const Experiment& experiment, const LoadedExperiment& loaded,
                                 const ReproductionOptions& options, const std::function<void()>& step) {
  const int repeats = options.repeats_of(experiment), threads = thread_count(options.threads, repeats);
  std::vector<RunResult> runs(static_cast<std::size_t>(repeats));
  run_parallel(repeats, threads, [&](Index r, int) {
    runs[static_cast<std::size_t>(r)] = loaded.run({.seed = options.seed + static_cast<std::uint32_t>(r),
                                                    .threads = repeats > 1 ? 1 : options.threads,
                                                    .intervals = repeats == 1,
                                                    .step = step});
  });
  return runs;
}

}  // namespace

int ReproductionOptions::repeats_of(const Experiment& experiment) const {
  return experiment.is_split ? repeats.value_or(experiment.repeats) : 1;
}

void ReproductionOptions::check(const std::vector<const Experiment*>& experiments) const {
  if (repeats && (*repeats < 1 || *repeats > kMostRepeats))
    throw Error(fmt::format("repeats is {}; it must be from 1 to {}", *repeats, kMostRepeats));
  for (const Experiment* experiment : experiments)
    if (const int count = repeats_of(*experiment);
        std::numeric_limits<std::uint32_t>::max() - seed < static_cast<std::uint32_t>(count - 1))
      throw Error(fmt::format("seed is {} and repeats {} for '{}'; the last seed must be below 2^32", seed, count,
                              experiment->name));
  thread_count(threads, 1);
}

std::vector<const Record*> Reproduction::of(std::string_view experiment) const {
  std::vector<const Record*> out;
  for (const Record& record : records)
    if (record.experiment == experiment) out.push_back(&record);
  return out;
}

Reproduction reproduce(const std::vector<const Experiment*>& experiments, const ReproductionOptions& options) {
  options.check(experiments);
  Reproduction out;
  out.experiments = experiments;
  out.seed = options.seed;
  out.wanted_repeats = options.repeats;
  std::vector<std::unique_ptr<const LoadedExperiment>> loaded;
  std::uint64_t done = 0, total = 0;
  for (const Experiment* experiment : experiments) {
    out.repeats.push_back(options.repeats_of(*experiment));
    loaded.push_back(experiment->load(options.source));
    for (const std::string& warning : loaded.back()->warnings()) add_once(out.warnings, warning);
    total += static_cast<std::uint64_t>(loaded.back()->steps()) * static_cast<std::uint64_t>(out.repeats.back());
  }
  if (options.progress) options.progress(done, total);
  std::mutex counting;
  const auto step = [&] {
    const std::lock_guard lock(counting);
    ++done;
    if (options.progress) options.progress(done, total);
  };
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    std::vector<std::vector<Measured>> runs;
    for (RunResult& run : run_seeds(*experiments[i], *loaded[i], options, step)) {
      runs.push_back(std::move(run.measured));
      for (const std::string& warning : run.warnings)
        add_once(out.warnings, fmt::format("{}: {}", experiments[i]->name, warning));
    }
    for (Record& record : summarise(experiments[i]->name, options.seed, runs)) out.records.push_back(std::move(record));
  }
  return out;
}

}  // namespace plumbline
