// An experiment that compares methods for numbers, on one setting or several (regression_setting.h).
//
// Where there are several, the last suffix of a method names the setting: OB[crime], FL[insurance].
#pragma once

#include <string>
#include <vector>

#include "paper/regression/regression_setting.h"

namespace plumbline {

struct RegressionPart {
  SharedSetting setting;
  RegressionCandidates (*candidates)(const RegressionSetting& setting, Protocol protocol, std::uint32_t seed);
  std::string suffix = {};
};

class RegressionExperiment : public LoadedExperiment {
 public:
  explicit RegressionExperiment(std::vector<RegressionPart> parts) : parts_(std::move(parts)) {}

  RunResult run(const RunOptions& options) const override;
  int steps() const override;
  std::vector<std::string> warnings() const override;

 private:
  std::vector<RegressionPart> parts_;
};

}  // namespace plumbline
