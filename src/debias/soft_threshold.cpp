#include "debias/soft_threshold.h"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

using Eigen::Index;

constexpr double kZero = 1e-14;

double median(double x, double y, double z) { return std::max(std::min(x, y), std::min(std::max(x, y), z)); }

// Moves those of [first, last) that pass to the front and returns their end; unlike std::partition without a branch,
// which would be taken at random.
template <class Passes>
double* move_to_front(double* first, const double* last, const Passes& passes) {
  double* end = first;
  for (double* it = first; it != last; ++it) {
    const double x = *it;
    *it = *end;
    *end = x;
    end += passes(x) ? 1 : 0;
  }
  return end;
}

// Moves the entries below the root τ to the front and returns their number: a search by halves, as for a median. A
// guess is too large if what it leaves still has ‖·‖₁ > h ‖·‖₂; then all from it on are above the root, else all up to
// it are below. The number is above h², or that of all entries.
Index entries_below_root(std::vector<double>& entries, double h) {
  double count = 0, total = 0, squares = 0;  // of those known to be below
  double *first = entries.data(), *last = first + entries.size();
  while (first != last) {
    const double guess = median(*first, *(first + (last - first) / 2), *(last - 1));
    double* const below = move_to_front(first, last, [=](double x) { return x < guess; });
    const double n = count + static_cast<double>(below - first);
    double sum = total, square = squares;
    for (const double* it = first; it != below; ++it) {
      sum += *it;
      square += *it * *it;
    }
    const double one = n * guess - sum, two = square + guess * (n * guess - 2 * sum);
    if (n > h * h && one * one > h * h * two) {
      last = below;
      continue;
    }
    first = move_to_front(below, last, [=](double x) { return x == guess; });
    const auto ties = static_cast<double>(first - below);
    count = n + ties;
    total = sum + ties * guess;
    squares = square + ties * guess * guess;
  }
  return first - entries.data();
}

// Σ f(t) in four sums that do not wait for each other.
template <class Function>
double sum_of(const std::vector<double>& entries, const Function& f) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= entries.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += f(entries[i + k]);
  for (; i < entries.size(); ++i) sums[0] += f(entries[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double count_below(const std::vector<double>& entries, double bound) {
  return sum_of(entries, [=](double t) { return t < bound ? 1.0 : 0.0; });
}

double root_of(double h, double count, double mean, double spread) {
  return mean + h * std::sqrt(spread / (count * (count - h * h)));
}

// The root, if the sets below `guess` and below the roots that follow from it settle within a few rounds; else 0.
double root_near(const std::vector<double>& entries, double h, double guess) {
  constexpr int kRounds = 4;
  double count = count_below(entries, guess);
  for (int round = 0; round < kRounds && count > h * h; ++round) {
    const double mean = sum_of(entries, [=](double t) { return t < guess ? t : 0.0; }) / count;
    const double spread = sum_of(entries, [=](double t) { return t < guess ? (t - mean) * (t - mean) : 0.0; });
    const double root = root_of(h, count, mean, spread), below = count_below(entries, root);
    if (below == count) return root;
    guess = root;
    count = below;
  }
  return 0;
}

// The root by a search; changes the order of the entries.
double root_by_search(std::vector<double>& entries, double h) {
  const Eigen::Map<const Eigen::ArrayXd> kept(entries.data(), entries_below_root(entries, h));
  const double mean = kept.mean(), spread = (kept - mean).square().sum();
  // Where rounding decided what is kept, the root must not reach beyond it.
  const auto rest = entries.begin() + kept.size();
  const double next = rest == entries.end() ? 1 : *std::min_element(rest, entries.end());
  return std::min(next, root_of(h, static_cast<double>(kept.size()), mean, spread));
}

}  // namespace

void unit_soft_threshold(const Eigen::VectorXd& g, double h, SoftThresholdScratch& scratch, Eigen::VectorXd& u) {
  const Index q = g.size();
  const double norm = g.norm();
  if (static_cast<double>(q) <= h * h || g.lpNorm<1>() <= h * norm) {
    u = g / norm;
    return;
  }
  const double largest = g.lpNorm<Eigen::Infinity>(), inverse = 1 / largest;
  const auto below_largest = [&](Index i) { return (largest - std::abs(g[i])) * inverse; };
  scratch.entries.resize(static_cast<std::size_t>(q));
  for (Index i = 0; i < q; ++i) scratch.entries[static_cast<std::size_t>(i)] = below_largest(i);
  double root = root_near(scratch.entries, h, scratch.root);
  if (!(root > kZero)) root = root_by_search(scratch.entries, h);
  scratch.root = root;
  u.resize(q);
  if (root > kZero) {
    for (Index i = 0; i < q; ++i) {
      const double left = root - below_largest(i);
      u[i] = left > kZero * root ? std::copysign(left, g[i]) : 0.0;
    }
  } else {
    u.setZero();
    auto wanted = static_cast<Index>(h * h * (1 + kZero));
    for (Index i = 0; i < q && wanted > 0; ++i)
      if (below_largest(i) <= kZero) {
        u[i] = std::copysign(1, g[i]);
        --wanted;
      }
  }
  u.normalize();
}

}  // namespace plumbline
