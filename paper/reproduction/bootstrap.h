// Percentile confidence intervals of any statistic of n rows, by resampling the rows.
//
// A resample draws n of the n rows with replacement and is given as counts c ∈ {0, 1, …}ⁿ, Σ c = n: weights for the
// metrics. With the statistic's values t_1 ≤ … ≤ t_R of R resamples and level L,
//
//   [low, high] = quantiles of t at (1 − L)/2 and (1 + L)/2, interpolated linearly between t_k and t_{k+1}
//
// Values that are NaN, where a metric is not defined for a resample, are left out and counted; if all are, so is the
// interval. Resample r depends on the seed and r alone, so any number of threads gives the same bits; the statistic is
// called from several threads at once. Error when an option is out of range or there are no rows; what the statistic
// throws is rethrown.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

namespace plumbline {

struct BootstrapOptions {
  int resamples = 1000;  // R ≥ 1
  double level = 0.95;   // L, between 0 and 1
  std::uint64_t seed = 0;
  int threads = 0;  // 0: one a core

  void check() const;  // throws Error naming the field
};

struct Interval {
  double low = 0, high = 0;
  int undefined = 0;  // resamples left out
};

// Several statistics of the same resamples: one interval for each cell of what `statistics` returns.
using Statistics = std::function<Eigen::VectorXd(const Eigen::VectorXd& counts)>;
std::vector<Interval> bootstrap_intervals(Eigen::Index rows, const Statistics& statistics,
                                          const BootstrapOptions& options = {});

using Statistic = std::function<double(const Eigen::VectorXd& counts)>;
Interval bootstrap_interval(Eigen::Index rows, const Statistic& statistic, const BootstrapOptions& options = {});

// The counts of resample r.
void resample(Eigen::Index rows, std::uint64_t seed, int r, Eigen::VectorXd& counts);

}  // namespace plumbline
