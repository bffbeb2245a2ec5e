#include "paper/reproduction/records.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "paper/reproduction/notes.h"
#include "paper/reproduction/printed_cells.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr double kFourDecimals = 0.5e-4 * (1 + 1e-9);
constexpr std::string_view kSeconds = "train_s";

Json json_of(const std::optional<double>& value) { return value && std::isfinite(*value) ? Json(*value) : Json(); }

bool is_same_cell(const Measured& one, const Measured& two) {
  return one.protocol == two.protocol && one.method == two.method && one.rank == two.rank && one.metric == two.metric;
}

struct Summary {
  int runs = 0;  // that have a value
  double mean = std::numeric_limits<double>::quiet_NaN();
  std::optional<double> sd;
};

Summary over_runs(const std::vector<std::vector<Measured>>& runs, std::size_t i) {
  Summary out;
  double sum = 0, square = 0;
  for (const auto& run : runs)
    if (!std::isnan(run[i].value)) {
      ++out.runs;
      sum += run[i].value;
    }
  if (out.runs > 0) out.mean = sum / out.runs;
  if (runs.size() == 1) {
    out.sd = runs.front()[i].sd;
  } else if (out.runs > 1) {
    for (const auto& run : runs)
      if (!std::isnan(run[i].value)) square += (run[i].value - out.mean) * (run[i].value - out.mean);
    out.sd = std::sqrt(square / (out.runs - 1));
  }
  return out;
}

}  // namespace

const char* name_of(Protocol protocol) { return protocol == Protocol::published ? "published" : "sound"; }

const char* name_of(Mark mark) {
  switch (mark) {
    case Mark::equal:
      return "=";
    case Mark::near:
      return "~";
    case Mark::different:
      break;
  }
  return "≠";
}

Mark mark_of(double value, double paper, std::optional<double> sd, std::optional<double> paper_sd,
             bool is_mean_of_starts) {
  const double difference = std::abs(value - paper);
  if (difference <= kFourDecimals) return is_mean_of_starts ? Mark::near : Mark::equal;
  for (const auto& spread : {sd, paper_sd})
    if (spread && difference <= 2 * *spread) return Mark::near;
  return Mark::different;
}

std::vector<Record> summarise(std::string_view experiment, std::uint32_t seed,
                              const std::vector<std::vector<Measured>>& runs) {
  std::vector<Record> records;
  if (runs.empty()) return records;
  for (const auto& run : runs)
    if (run.size() != runs.front().size())
      throw Error(
          fmt::format("runs of '{}' have measured {} and {} cells", experiment, runs.front().size(), run.size()));
  for (std::size_t i = 0; i < runs.front().size(); ++i) {
    const Measured& first = runs.front()[i];
    for (const auto& run : runs)
      if (!is_same_cell(run[i], first))
        throw Error(fmt::format("runs of '{}' have measured different cells: {} of {} and {} of {}", experiment,
                                first.metric, first.method, run[i].metric, run[i].method));
    const Summary summary = over_runs(runs, i);
    Record record{.experiment = std::string(experiment),
                  .protocol = first.protocol,
                  .method = first.method,
                  .rank = first.rank,
                  .seed = seed,
                  .runs = static_cast<int>(runs.size()),
                  .repeats = runs.size() == 1 ? 1 : summary.runs,
                  .metric = first.metric,
                  .value = summary.mean,
                  .sd = summary.sd,
                  .paper = {},
                  .paper_sd = {},
                  .mark = {},
                  .note = {},
                  .low = {},
                  .high = {}};
    for (const auto& run : runs) record.by_run.push_back(run[i].value);
    if (first.interval && runs.size() == 1) {
      record.low = first.interval->low;
      record.high = first.interval->high;
    }
    if (const PrintedCell* cell = printed_cell(experiment, first.method, first.rank, first.metric)) {
      record.paper = cell->value;
      record.paper_sd = cell->sd;
      if (std::isfinite(record.value) && record.metric != kSeconds)
        record.mark = mark_of(record.value, cell->value, record.sd, cell->sd, first.sd.has_value());
    }
    record.note = note_for(record);
    records.push_back(std::move(record));
  }
  return records;
}

Json records_json(const std::vector<Record>& records) {
  Json out = Json::array();
  for (const Record& record : records)
    out.push_back({{"experiment", record.experiment},
                   {"protocol", name_of(record.protocol)},
                   {"method", record.method},
                   {"rank", record.rank ? Json(*record.rank) : Json()},
                   {"seed", record.seed},
                   {"repeats", record.repeats},
                   {"metric", record.metric},
                   {"value", json_of(std::optional(record.value))},
                   {"sd", json_of(record.sd)},
                   {"paper", json_of(record.paper)},
                   {"mark", record.mark ? Json(name_of(*record.mark)) : Json()},
                   {"note", record.note ? Json(fmt::format("{}: {}", *record.note, note_text(*record.note))) : Json()},
                   {"low", json_of(record.low)},
                   {"high", json_of(record.high)},
                   {"paper_sd", json_of(record.paper_sd)}});
  return out;
}

}  // namespace plumbline
