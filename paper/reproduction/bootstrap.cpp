#include "paper/reproduction/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "base/ordered.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

Interval interval_of(std::vector<double> values, double level) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  std::sort(values.begin(), values.end());
  Interval out;
  if (values.empty()) {
    out.low = out.high = std::numeric_limits<double>::quiet_NaN();
  } else {
    out.low = quantile(values, (1 - level) / 2);
    out.high = quantile(values, (1 + level) / 2);
  }
  return out;
}

}  // namespace

void BootstrapOptions::check() const {
  if (resamples < 1) throw Error(fmt::format("resamples is {}; it must be at least 1", resamples));
  if (!(level > 0 && level < 1)) throw Error(fmt::format("level is {}; it must lie between 0 and 1", level));
  if (threads < 0) throw Error(fmt::format("threads is {}; it must be at least 1, or 0 for one a core", threads));
}

void resample(Index rows, std::uint64_t seed, int r, VectorXd& counts) {
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(r)};
  std::mt19937_64 engine(words);
  const auto n = static_cast<std::uint64_t>(rows);
  const std::uint64_t mask = std::bit_ceil(n) - 1;
  counts.setZero(rows);
  for (Index i = 0; i < rows; ++i) {
    std::uint64_t row = engine() & mask;
    while (row >= n) row = engine() & mask;
    counts[static_cast<Index>(row)] += 1;
  }
}

std::vector<Interval> bootstrap_intervals(Index rows, const Statistics& statistics, const BootstrapOptions& options) {
  options.check();
  if (rows < 1) throw Error(fmt::format("there are {} rows; a bootstrap needs at least one", rows));
  const int threads = thread_count(options.threads, options.resamples);
  std::vector<VectorXd> counts(static_cast<std::size_t>(threads)), values(counts.size());
  std::vector<std::vector<double>> all;
  run_ordered(
      options.resamples, threads,
      [&](Index r, int slot) {
        const auto t = static_cast<std::size_t>(slot);
        resample(rows, options.seed, static_cast<int>(r), counts[t]);
        values[t] = statistics(counts[t]);
      },
      [&](Index r, int slot) {
        const VectorXd& value = values[static_cast<std::size_t>(slot)];
        if (r == 0) all.resize(static_cast<std::size_t>(value.size()));
        if (value.size() != static_cast<Index>(all.size()))
          throw Error(
              fmt::format("the statistic has {} values for one resample and {} for another; it must have the "
                          "same number for all",
                          all.size(), value.size()));
        for (std::size_t k = 0; k < all.size(); ++k) all[k].push_back(value[static_cast<Index>(k)]);
      });
  std::vector<Interval> out;
  for (std::vector<double>& draws : all) {
    const auto undefined = std::count_if(draws.begin(), draws.end(), [](double value) { return std::isnan(value); });
    out.push_back(interval_of(std::move(draws), options.level));
    out.back().undefined = static_cast<int>(undefined);
  }
  return out;
}

Interval bootstrap_interval(Index rows, const Statistic& statistic, const BootstrapOptions& options) {
  const Statistics one = [&](const VectorXd& counts) { return VectorXd::Constant(1, statistic(counts)); };
  return bootstrap_intervals(rows, one, options).front();
}

}  // namespace plumbline
