#include "paper/reproduction/kept_runs.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/json.h"
#include "io/files.h"
#include "paper/datasets/sha256.h"
#include "plumbline/cpu.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "plumbline-run";
constexpr int kVersion = 1;
constexpr const char* kOtherBuild = "some runs were measured by another build of the program, and kept";

const std::string& program() {
  static const std::string digest = []() -> std::string {
    try {
      return sha256_of_file("/proc/self/exe");
    } catch (const Error&) {
      return PLUMBLINE_VERSION;
    }
  }();
  return digest;
}

std::string setting_of(const std::vector<std::string>& data_warnings) {
  Sha256 sum;
  sum.update(fmt::format("{}\n", instruction_set()));
  for (const std::string& warning : data_warnings) sum.update(warning + "\n");
  return sum.finish();
}

// JSON has no numbers that are not finite; they are texts.
Json exact_json(double value) {
  if (std::isnan(value)) return "nan";  // whatever its sign
  return std::isfinite(value) ? Json(value) : Json(value > 0 ? "inf" : "-inf");
}

double exact_number(const Json& object, const char* what) {
  const Json& value = member(object, what);
  if (value.is_number()) return value.get<double>();
  for (const double other : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()})
    if (value == exact_json(other)) return other;
  bad_member(what, "is not a number");
}

Json json_of(const Interval& interval) {
  return {{"low", exact_json(interval.low)}, {"high", exact_json(interval.high)}, {"undefined", interval.undefined}};
}

Json json_of(const Measured& cell) {
  return {{"protocol", name_of(cell.protocol)},
          {"method", cell.method},
          {"rank", cell.rank ? Json(*cell.rank) : Json()},
          {"metric", cell.metric},
          {"value", exact_json(cell.value)},
          {"sd", cell.sd ? exact_json(*cell.sd) : Json()},
          {"interval", cell.interval ? json_of(*cell.interval) : Json()}};
}

Protocol protocol_of(const std::string& name) {
  for (const Protocol protocol : {Protocol::published, Protocol::sound})
    if (name == name_of(protocol)) return protocol;
  bad_member("protocol", "is not one that is known");
}

Measured measured_of(const Json& cell) {
  Measured out{.protocol = protocol_of(value_at<std::string>(cell, "protocol")),
               .method = value_at<std::string>(cell, "method"),
               .rank = {},
               .metric = value_at<std::string>(cell, "metric"),
               .value = exact_number(cell, "value")};
  if (!member(cell, "rank").is_null()) out.rank = value_at<Index>(cell, "rank");
  if (!member(cell, "sd").is_null()) out.sd = exact_number(cell, "sd");
  if (const Json& interval = member(cell, "interval"); !interval.is_null())
    out.interval =
        Interval{exact_number(interval, "low"), exact_number(interval, "high"), value_at<int>(interval, "undefined")};
  return out;
}

}  // namespace

KeptRuns::KeptRuns(fs::path folder, std::string_view experiment, const std::vector<std::string>& data_warnings,
                   bool any_build)
    : folder_(std::move(folder)), experiment_(experiment), setting_(setting_of(data_warnings)), any_build_(any_build) {
  std::error_code ignored;
  if (fs::exists(folder_, ignored) && !fs::is_directory(folder_, ignored))
    throw Error(fmt::format("'{}' is not a folder; finished runs are kept in one of that name, so move it away",
                            folder_.string()));
}

fs::path KeptRuns::path_of(std::uint32_t seed) const { return folder_ / fmt::format("{}-{}.json", experiment_, seed); }

std::optional<RunResult> KeptRuns::find(std::uint32_t seed, RefusedRuns& refused) const {
  std::error_code ignored;
  if (!fs::is_regular_file(path_of(seed), ignored)) return {};
  try {
    const Json run = unseal(read_file(path_of(seed)), kFormat, kVersion);
    const bool is_of_this_build = value_at<std::string>(run, "program") == program();
    int* why = nullptr;
    if (value_at<std::string>(run, "experiment") != experiment_ || value_at<std::uint32_t>(run, "seed") != seed)
      why = &refused.damaged;
    else if (value_at<std::string>(run, "setting") != setting_)
      why = &refused.other_setting;
    else if (!is_of_this_build && !any_build_)
      why = &refused.other_build;
    if (why != nullptr) {
      ++*why;
      return {};
    }
    RunResult out{.measured = {}, .warnings = strings_at(run, "warnings")};
    if (!is_of_this_build) out.warnings.emplace_back(kOtherBuild);
    for (const Json& cell : list_at(run, "measured")) out.measured.push_back(measured_of(cell));
    for (const Json& point : list_at(run, "points"))
      out.points.push_back({value_at<std::string>(point, "curve"), exact_number(point, "x"), exact_number(point, "y")});
    return out;
  } catch (const Error&) {
    ++refused.damaged;
    return {};
  }
}

void KeptRuns::keep(std::uint32_t seed, const RunResult& run) const {
  std::error_code problem;
  fs::create_directories(folder_, problem);
  if (problem) throw Error(fmt::format("the folder '{}' cannot be made: {}", folder_.string(), problem.message()));
  Json cells = Json::array(), points = Json::array();
  for (const Measured& cell : run.measured) cells.push_back(json_of(cell));
  for (const CurvePoint& point : run.points)
    points.push_back({{"curve", point.curve}, {"x", exact_json(point.x)}, {"y", exact_json(point.y)}});
  write_file(path_of(seed), seal(kFormat, kVersion,
                                 {{"experiment", experiment_},
                                  {"seed", seed},
                                  {"program", program()},
                                  {"setting", setting_},
                                  {"warnings", run.warnings},
                                  {"measured", std::move(cells)},
                                  {"points", std::move(points)}}));
}

}  // namespace plumbline
