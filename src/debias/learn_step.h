// The tables of a step, learned from rows.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <vector>

#include "debias/learn_location.h"
#include "debias/learning_rows.h"

namespace plumbline {

class StepLearner {
 public:
  StepLearner(const LearningRows& rows, const DistributionOptions& options);

  // The step knows its columns and what its values look like (describe_number); `inputs` are the groups that are done.
  void learn(DistributionStep& step, const std::vector<TreeInput>& inputs);

  // What a row becomes by the continuous step that was learned last.
  double fair(const DistributionStep& step, Index i, const SensitivePlace& b) const;

 private:
  TreeTarget target_of(const DistributionStep& step) const;
  Index level_in(const DistributionStep& step, Index i) const;
  void grow(DistributionStep& step, const std::vector<TreeInput>& inputs);
  void take_out_location(DistributionStep& step);
  void set_knots(DistributionStep& step) const;
  LawCounts count(const DistributionStep& step) const;
  void fill_table(DistributionStep& step, const LawCounts& counts) const;
  void average_table(DistributionStep& step, const std::vector<double>& shares) const;
  void average_quantiles(DistributionStep& step, const std::vector<double>& shares) const;

  const LearningRows& rows_;
  const DistributionOptions& options_;
  std::optional<LocationLearner> location_;
  std::vector<Index> leaves_;             // of each row
  Eigen::VectorXd residuals_;             // of a continuous step
  LocationLearner::Locations locations_;  // the same
};

// Most entries of a step's table.
inline constexpr Index kMostTable = 1 << 17;

}  // namespace plumbline
