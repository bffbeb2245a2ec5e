#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "data/names.h"
#include "paper/experiment.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr const Experiment* kExperiments[] = {&kCompasExperiment, &kSensitivityCompasExperiment, &kAdultExperiment,
                                              &kLoanExperiment, &kTheoryExperiment};

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

void add_once(std::vector<std::string>& warnings, std::string warning) {
  if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(std::move(warning));
}

}  // namespace plumbline
