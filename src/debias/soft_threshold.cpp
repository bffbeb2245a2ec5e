#include "debias/soft_threshold.h"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

using Eigen::Index;

constexpr double kZero = 1e-14;  // relative to the largest entry

double median(double x, double y, double z) { return std::max(std::min(x, y), std::min(std::max(x, y), z)); }

// Moves those of [first, last) that pass to the front and returns their end; unlike std::partition without a branch,
// which would be taken at random.
template <class Passes>
double* move_to_front(double* first, double* last, const Passes& passes) {
  double* end = first;
  for (double* it = first; it != last; ++it) {
    const double x = *it;
    *it = *end;
    *end = x;
    end += passes(x) ? 1 : 0;
  }
  return end;
}

// Moves the entries above the root θ to the front and returns their number: a search by halves, as for a median. A
// guess is too small if what it leaves still has ‖·‖₁ > h ‖·‖₂; then all up to it are below the root, else all from it
// on are above.
Index entries_above_root(std::vector<double>& entries, double h) {
  double count = 0, total = 0, squares = 0;  // of those known to be above
  double *first = entries.data(), *last = first + entries.size();
  while (first != last) {
    const double guess = median(*first, *(first + (last - first) / 2), *(last - 1));
    double* const above = move_to_front(first, last, [=](double x) { return x > guess; });
    const double n = count + static_cast<double>(above - first);
    double sum = total, square = squares;
    for (const double* it = first; it != above; ++it) {
      sum += *it;
      square += *it * *it;
    }
    const double one = sum - n * guess, two = square - guess * (2 * sum - n * guess);
    if (n > h * h && one * one > h * h * two) {
      last = above;
      continue;
    }
    first = move_to_front(above, last, [=](double x) { return x == guess; });
    const auto ties = static_cast<double>(first - above);
    count = n + ties;
    total = sum + ties * guess;
    squares = square + ties * guess * guess;
  }
  return first - entries.data();
}

}  // namespace

void unit_soft_threshold(const Eigen::VectorXd& g, double h, std::vector<double>& scratch, Eigen::VectorXd& u) {
  const double norm = g.norm();
  if (g.lpNorm<1>() <= h * norm) {
    u = g / norm;
    return;
  }
  const Index q = g.size();
  scratch.resize(static_cast<std::size_t>(q));
  for (Index i = 0; i < q; ++i) scratch[i] = std::abs(g[i]);
  const double largest = *std::max_element(scratch.begin(), scratch.end());
  const Eigen::Map<const Eigen::ArrayXd> kept(scratch.data(), entries_above_root(scratch, h));
  const auto count = static_cast<double>(kept.size());
  const double mean = kept.mean(), spread = (kept - mean).square().sum();
  const double above = h * std::sqrt(spread / (count * (count - h * h)));  // ḡ − θ
  u.resize(q);
  for (Index i = 0; i < q; ++i) {
    const double left = (std::abs(g[i]) - mean) + above;
    u[i] = left > kZero * largest ? std::copysign(left, g[i]) : 0;
  }
  if (const double length = u.norm(); length > 0) {
    u /= length;
    return;
  }
  Index wanted = std::max<Index>(1, static_cast<Index>(h * h * (1 + kZero)));
  const double value = 1 / std::sqrt(static_cast<double>(wanted));
  for (Index i = 0; i < q && wanted > 0; ++i)
    if (std::abs(g[i]) >= largest * (1 - kZero)) {
      u[i] = std::copysign(value, g[i]);
      --wanted;
    }
}

}  // namespace plumbline
