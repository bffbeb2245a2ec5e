#include "paper/reproduction.h"

#include <fmt/format.h>

#include <limits>
#include <mutex>

#include "parallel/ordered.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr int kMostRepeats = 100'000;

int repeats_of(const Experiment& experiment, const ReproductionOptions& options) {
  return experiment.is_split ? options.repeats : 1;
}

std::vector<RunResult> run_seeds(const Experiment& experiment, const LoadedExperiment& loaded,
                                 const ReproductionOptions& options, const std::function<void()>& step) {
  const int repeats = repeats_of(experiment, options), threads = thread_count(options.threads, repeats);
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

void ReproductionOptions::check() const {
  if (repeats < 1 || repeats > kMostRepeats)
    throw Error(fmt::format("repeats is {}; it must be from 1 to {}", repeats, kMostRepeats));
  if (std::numeric_limits<std::uint32_t>::max() - seed < static_cast<std::uint32_t>(repeats - 1))
    throw Error(fmt::format("seed is {} and repeats {}; the last seed must be below 2^32", seed, repeats));
  thread_count(threads, 1);
}

RecordList Reproduction::of(std::string_view experiment) const {
  RecordList out;
  for (const Record& record : records)
    if (record.experiment == experiment) out.push_back(&record);
  return out;
}

std::vector<CurvePoint> Reproduction::points_of(std::string_view experiment) const {
  const auto found = points.find(experiment);
  return found == points.end() ? std::vector<CurvePoint>() : found->second;
}

Reproduction reproduce(const std::vector<const Experiment*>& experiments, const ReproductionOptions& options) {
  options.check();
  Reproduction out;
  out.experiments = experiments;
  out.seed = options.seed;
  out.repeats = options.repeats;
  std::vector<std::unique_ptr<const LoadedExperiment>> loaded;
  std::uint64_t done = 0, total = 0;
  for (const Experiment* experiment : experiments) {
    loaded.push_back(experiment->load(options.source));
    for (const std::string& warning : loaded.back()->warnings()) add_once(out.warnings, warning);
    total += static_cast<std::uint64_t>(loaded.back()->steps()) *
             static_cast<std::uint64_t>(repeats_of(*experiment, options));
  }
  std::mutex counting;
  const auto step = [&] {
    const std::lock_guard lock(counting);
    ++done;
    if (options.progress) options.progress(done, total);
  };
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    std::vector<std::vector<Measured>> runs;
    for (RunResult& run : run_seeds(*experiments[i], *loaded[i], options, step)) {
      if (runs.empty() && !run.points.empty()) out.points[std::string(experiments[i]->name)] = std::move(run.points);
      runs.push_back(std::move(run.measured));
      for (const std::string& warning : run.warnings)
        add_once(out.warnings, fmt::format("{}: {}", experiments[i]->name, warning));
    }
    for (Record& record : summarise(experiments[i]->name, options.seed, runs)) out.records.push_back(std::move(record));
  }
  return out;
}

}  // namespace plumbline
