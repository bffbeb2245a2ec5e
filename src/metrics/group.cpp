#include "metrics/group.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/weights.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Eigen::VectorXi;

void check(const VectorXd& p, const VectorXi& s, int levels, const VectorXd& weights) {
  if (p.size() != s.size())
    throw Error(fmt::format("there are {} predictions and {} groups; each row has one of each", p.size(), s.size()));
  if (!p.allFinite()) throw Error("a prediction is not finite");
  for (const int group : s)
    if (group < 0 || group >= levels) throw Error(fmt::format("a row is of group {} of {}", group, levels));
  check_some_weight({weights.data(), static_cast<std::size_t>(weights.size())}, p.size());
}

double range_of(const VectorXd& means) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double mean : means) {
    if (std::isnan(mean)) continue;
    low = std::min(low, mean);
    high = std::max(high, mean);
  }
  return high < low ? std::numeric_limits<double>::quiet_NaN() : high - low;
}

// Of the rows with this outcome.
double range_given(double outcome, const VectorXd& p, const VectorXd& y, const VectorXi& s, int levels,
                   const VectorXd& weights) {
  if (y.size() != p.size())
    throw Error(fmt::format("there are {} predictions and {} outcomes; each row has one of each", p.size(), y.size()));
  for (const double one : y)
    if (one != 0 && one != 1) throw Error(fmt::format("an outcome is {}; outcomes must be 0 or 1", one));
  check(p, s, levels, weights);
  VectorXd some = weights.size() == 0 ? VectorXd::Ones(p.size()) : weights;
  for (Index i = 0; i < p.size(); ++i)
    if (y[i] != outcome) some[i] = 0;
  return some.sum() > 0 ? range_of(group_means(p, s, levels, some)) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

VectorXd group_means(const VectorXd& p, const VectorXi& s, int levels, const VectorXd& weights) {
  check(p, s, levels, weights);
  VectorXd sum = VectorXd::Zero(levels), weight = sum;
  for (Index i = 0; i < p.size(); ++i) {
    const double w = weights.size() == 0 ? 1 : weights[i];
    sum[s[i]] += w * p[i];
    weight[s[i]] += w;
  }
  for (Index g = 0; g < levels; ++g)
    sum[g] = weight[g] > 0 ? sum[g] / weight[g] : std::numeric_limits<double>::quiet_NaN();
  return sum;
}

double demographic_parity(const VectorXd& p, const VectorXi& s, int levels, const VectorXd& weights) {
  return range_of(group_means(p, s, levels, weights));
}

double equal_opportunity(const VectorXd& p, const VectorXd& y, const VectorXi& s, int levels, const VectorXd& weights) {
  return range_given(1, p, y, s, levels, weights);
}

double equalized_odds(const VectorXd& p, const VectorXd& y, const VectorXi& s, int levels, const VectorXd& weights) {
  return std::fmax(range_given(1, p, y, s, levels, weights), range_given(0, p, y, s, levels, weights));
}

}  // namespace plumbline
