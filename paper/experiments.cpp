#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/names.h"
#include "paper/reproduction/experiment.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr const Experiment* kExperiments[] = {&kCompasExperiment,    &kSensitivityCompasExperiment,
                                              &kAdultExperiment,     &kLoanExperiment,
                                              &kCrimeExperiment,     &kSensitivityCrimeExperiment,
                                              &kInsuranceExperiment, &kDiscretisedExperiment,
                                              &kTradeoffExperiment,  &kTheoryExperiment};

}  // namespace

std::span<const Experiment* const> experiments() { return kExperiments; }

const Experiment& find_experiment(std::string_view name) {
  std::vector<std::string> known;
  for (const Experiment* experiment : kExperiments) {
    if (experiment->name == name) return *experiment;
    known.emplace_back(experiment->name);
  }
  known.emplace_back("all");
  throw Error(fmt::format("there is no experiment '{}'; the experiments are {}{}", name, fmt::join(known, ", "),
                          did_you_mean(name, known)));
}

void RunResult::append(RunResult other) {
  std::move(other.measured.begin(), other.measured.end(), std::back_inserter(measured));
  std::move(other.points.begin(), other.points.end(), std::back_inserter(points));
  for (std::string& warning : other.warnings) add_once(warnings, std::move(warning));
}

std::string warning_of(std::string_view method, Protocol protocol, std::optional<Index> rank,
                       std::string_view sentence) {
  return fmt::format("{} ({}{}): {}", method, name_of(protocol), rank ? fmt::format(", k = {}", *rank) : "", sentence);
}

void add_once(std::vector<std::string>& warnings, std::string warning) {
  if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(std::move(warning));
}

}  // namespace plumbline
