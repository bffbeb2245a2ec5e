#include "debias/soft_threshold.h"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.h"

namespace plumbline {
namespace {

using Eigen::Index;

constexpr double kZero = 1e-14;
constexpr double kMost = 1 - 1e-15;  // of a root: see kernels/sparse.h

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

double root_of(double h, double count, double mean, double spread) {
  return std::min(kMost, mean + h * std::sqrt(spread / (count * (count - h * h))));
}

// The root, if the sets below `guess` and below the roots that follow from it settle within a few rounds, none of them
// so far from its root that V is lost to rounding; else 0.
double root_near(const Eigen::VectorXd& g, double h, double largest, double guess) {
  constexpr int kRounds = 4;
  constexpr double kFar = 1e4;
  guess = std::min(guess, kMost);
  const auto below = [&](double root) { return kernels::active().sparse.excess(g.data(), g.size(), largest, root); };
  kernels::Excess now = below(guess);
  for (int round = 0; round < kRounds && now.count > h * h; ++round) {
    const double excess = now.sum / now.count, spread = now.squares - excess * now.sum;
    if (now.squares > kFar * spread) return 0;
    const double root = root_of(h, now.count, guess - excess, spread);
    const kernels::Excess next = below(root);
    if (next.count == now.count) return root;
    guess = root;
    now = next;
  }
  return 0;
}

// The root by a search; changes the order of the entries.
double root_by_search(std::vector<double>& entries, double h) {
  const Eigen::Map<const Eigen::ArrayXd> kept(entries.data(), entries_below_root(entries, h));
  const double mean = kept.mean(), spread = (kept - mean).square().sum();
  // Where rounding decided what is kept, the root must not reach beyond it.
  const auto rest = entries.begin() + kept.size();
  const double next = rest == entries.end() ? kMost : *std::min_element(rest, entries.end());
  return std::min(next, root_of(h, static_cast<double>(kept.size()), mean, spread));
}

}  // namespace

void unit_soft_threshold(const Eigen::VectorXd& g, double h, SoftThresholdScratch& scratch, Eigen::VectorXd& u) {
  const kernels::SparseDispatch& kernel = kernels::active().sparse;
  const Index q = g.size();
  const kernels::Norms of_g = kernel.norms(g.data(), q);
  const double norm = std::sqrt(of_g.squares), largest = of_g.largest;
  if (static_cast<double>(q) <= h * h || of_g.one <= h * norm) {
    u = g / norm;
    return;
  }
  const auto below_largest = [&, inverse = 1 / largest](double x) { return (largest - std::abs(x)) * inverse; };
  double root = root_near(g, h, largest, scratch.root);
  if (!(root > kZero)) {
    scratch.entries.resize(static_cast<std::size_t>(q));
    std::transform(g.begin(), g.end(), scratch.entries.begin(), below_largest);
    root = root_by_search(scratch.entries, h);
  }
  scratch.root = root;
  u.resize(q);
  if (root > kZero) {
    const double length = std::sqrt(kernel.excess(g.data(), q, largest, root).squares);
    kernel.shrink({largest, root, kZero * root, 1 / length}, g.data(), q, u.data());
    return;
  }
  u.setZero();
  const auto wanted = static_cast<Index>(h * h * (1 + kZero));
  for (Index i = 0, found = 0; i < q && found < wanted; ++i)
    if (below_largest(g[i]) <= kZero) {
      u[i] = std::copysign(1, g[i]);
      ++found;
    }
  u.normalize();
}

}  // namespace plumbline
