#include "debias/soft_threshold.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace plumbline {
namespace {

using Eigen::Index;

constexpr double kZero = 1e-14;  // relative to the largest entry

}  // namespace

void unit_soft_threshold(const Eigen::VectorXd& g, double h, std::vector<double>& sorted, Eigen::VectorXd& u) {
  const double norm = g.norm();
  if (g.lpNorm<1>() <= h * norm) {
    u = g / norm;
    return;
  }
  const Index q = g.size();
  sorted.resize(static_cast<std::size_t>(q));
  for (Index i = 0; i < q; ++i) sorted[i] = std::abs(g[i]);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());

  // The root lies between the m-th and the next entry for the first m at which θ = next is too small a threshold.
  double total = 0, squares = 0;
  Index m = 0;
  while (m < q) {
    total += sorted[m];
    squares += sorted[m] * sorted[m];
    ++m;
    const double theta = m < q ? sorted[m] : 0;
    const double one = total - static_cast<double>(m) * theta;
    const double two = squares - theta * (2 * total - static_cast<double>(m) * theta);
    if (static_cast<double>(m) > h * h && one * one > h * h * two) break;
  }

  const double count = static_cast<double>(m), mean = total / count;
  double spread = 0;
  for (Index i = 0; i < m; ++i) spread += (sorted[i] - mean) * (sorted[i] - mean);
  const double above = h * std::sqrt(spread / (count * (count - h * h)));  // ḡ − θ
  u.resize(q);
  for (Index i = 0; i < q; ++i) {
    const double left = (std::abs(g[i]) - mean) + above;
    u[i] = left > kZero * sorted[0] ? std::copysign(left, g[i]) : 0;
  }
  if (const double length = u.norm(); length > 0) {
    u /= length;
    return;
  }
  Index wanted = std::max<Index>(1, static_cast<Index>(h * h * (1 + kZero)));
  const double value = 1 / std::sqrt(static_cast<double>(wanted));
  for (Index i = 0; i < q && wanted > 0; ++i)
    if (std::abs(g[i]) >= sorted[0] * (1 - kZero)) {
      u[i] = std::copysign(value, g[i]);
      --wanted;
    }
}

}  // namespace plumbline
