#include "paper/reproduction/reproduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "base/ordered.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr int kMostRepeats = 100'000;

// An experiment with its data, and those of its runs that are there.
struct Loaded {
  const Experiment* experiment;
  std::unique_ptr<const LoadedExperiment> data;
  std::optional<KeptRuns> kept;
  std::vector<std::optional<RunResult>> runs;  // one a seed

  Index missing() const { return std::count(runs.begin(), runs.end(), std::nullopt); }
};

Loaded load(const Experiment& experiment, const ReproductionOptions& options, RefusedRuns& refused) {
  const int repeats = options.repeats_of(experiment);
  Loaded out{.experiment = &experiment, .data = experiment.load(options.source), .kept = {}, .runs = {}};
  out.runs.resize(static_cast<std::size_t>(repeats));
  if (repeats == 1 || options.kept.empty()) return out;
  out.kept.emplace(options.kept, experiment.name, out.data->warnings(), options.any_build);
  for (int r = 0; r < repeats; ++r)
    out.runs[static_cast<std::size_t>(r)] = out.kept->find(options.seed + static_cast<std::uint32_t>(r), refused);
  return out;
}

// What is said of the work while it goes on.
class Count {
 public:
  Count(const std::vector<Loaded>& all, const ReproductionOptions& options) : options_(options) {
    for (const Loaded& one : all) {
      const auto runs = static_cast<std::uint64_t>(one.runs.size()), there = runs - one.missing();
      const auto steps = static_cast<std::uint64_t>(one.data->steps());
      done_ += steps * there;
      steps_ += steps * runs;
      if (!one.kept) continue;
      there_ += static_cast<int>(there);
      kept_ += static_cast<int>(runs);
    }
    say_kept();
    say_steps();
  }

  void step() {
    const std::lock_guard lock(counting_);
    ++done_;
    say_steps();
  }

  void keep(const KeptRuns& kept, std::uint32_t seed, const RunResult& run) {
    const std::lock_guard lock(counting_);
    kept.keep(seed, run);
    ++there_;
    say_kept();
  }

 private:
  void say_steps() const {
    if (options_.progress) options_.progress(done_, steps_);
  }
  void say_kept() const {
    if (options_.on_kept && kept_ > 0) options_.on_kept(there_, kept_);
  }

  const ReproductionOptions& options_;
  std::mutex counting_;
  std::uint64_t done_ = 0, steps_ = 0;
  int there_ = 0, kept_ = 0;
};

void run_missing(Loaded& one, const ReproductionOptions& options, const std::shared_ptr<TrainingCaches>& caches,
                 Count& count) {
  std::vector<std::size_t> missing;
  for (std::size_t r = 0; r < one.runs.size(); ++r)
    if (!one.runs[r]) missing.push_back(r);
  const bool is_single = one.runs.size() == 1;
  const auto runs = static_cast<Index>(missing.size());
  run_parallel(runs, thread_count(options.threads, runs), [&](Index i, int) {
    const std::size_t r = missing[static_cast<std::size_t>(i)];
    const std::uint32_t seed = options.seed + static_cast<std::uint32_t>(r);
    one.runs[r] = one.data->run({.seed = seed,
                                 .threads = is_single ? options.threads : 1,
                                 .intervals = is_single,
                                 .step = [&] { count.step(); },
                                 .caches = caches});
    if (one.kept) count.keep(*one.kept, seed, *one.runs[r]);
  });
}

void add_records(Loaded& one, Reproduction& out) {
  std::vector<std::vector<Measured>> runs;
  if (const std::vector<CurvePoint>& points = one.runs.front()->points; !points.empty())
    out.points.emplace(one.experiment->name, points);
  for (std::optional<RunResult>& run : one.runs) {
    runs.push_back(std::move(run->measured));
    for (const std::string& warning : run->warnings)
      add_once(out.warnings, fmt::format("{}: {}", one.experiment->name, warning));
  }
  for (Record& record : summarise(one.experiment->name, out.seed, runs)) out.records.push_back(std::move(record));
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
  options.check(experiments);
  Reproduction out;
  out.experiments = experiments;
  out.seed = options.seed;
  out.wanted_repeats = options.repeats;
  std::vector<Loaded> loaded;
  RefusedRuns refused;
  for (const Experiment* experiment : experiments) {
    out.repeats.push_back(options.repeats_of(*experiment));
    loaded.push_back(load(*experiment, options, refused));
    for (const std::string& warning : loaded.back().data->warnings()) add_once(out.warnings, warning);
  }
  if (options.on_refused && refused.count() > 0) options.on_refused(refused);
  Count count(loaded, options);
  const auto caches = std::make_shared<TrainingCaches>();
  for (Loaded& one : loaded) {
    run_missing(one, options, caches, count);
    add_records(one, out);
  }
  return out;
}

}  // namespace plumbline
