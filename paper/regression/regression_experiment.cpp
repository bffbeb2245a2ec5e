#include "paper/regression/regression_experiment.h"

#include <iterator>

namespace plumbline {
namespace {

constexpr Protocol kProtocols[] = {Protocol::published, Protocol::sound};

RunResult run_part(const RegressionPart& part, const RunOptions& options) {
  const auto candidates = [&](Protocol protocol) { return part.candidates(*part.setting, protocol, options.seed); };
  if (part.setting->shares_trial(options.seed)) {
    RegressionCandidates both = candidates(Protocol::published);
    RegressionCandidates sound = candidates(Protocol::sound);
    std::move(sound.begin(), sound.end(), std::back_inserter(both));
    for (int i = 0; i < steps_of({}); ++i) options.step();  // of a second comparison, which is not needed
    return compare_regressions(both, part.setting->trial(Protocol::sound, options.seed), options);
  }
  RunResult out;
  for (const Protocol protocol : kProtocols)
    out.append(compare_regressions(candidates(protocol), part.setting->trial(protocol, options.seed), options));
  return out;
}

}  // namespace

RunResult RegressionExperiment::run(const RunOptions& options) const {
  RunResult out;
  for (const RegressionPart& part : parts_) {
    RunResult result = run_part(part, options);
    for (Measured& cell : result.measured) cell.method += part.suffix;
    out.append(std::move(result));
  }
  return out;
}

int RegressionExperiment::steps() const {
  int steps = 0;
  for (const RegressionPart& part : parts_)
    for (const Protocol protocol : kProtocols) steps += steps_of(part.candidates(*part.setting, protocol, 0));
  return steps;
}

std::vector<std::string> RegressionExperiment::warnings() const {
  std::vector<std::string> out;
  for (const RegressionPart& part : parts_)
    for (const std::string& warning : part.setting->warnings()) add_once(out, warning);
  return out;
}

}  // namespace plumbline
