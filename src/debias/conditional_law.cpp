#include "debias/conditional_law.h"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

constexpr int kScalings = 12;
constexpr double kLeastPrior = 2, kMostPrior = 1e6;
constexpr double kLeastExpected = 0.5;  // rows of a level, for its deviation to count

// How many rows of the simpler law a law is worth, from Σ (n − e)² / e over levels and what it is where the law is
// true.
struct Deviation {
  double squares = 0, expected = 0, slope = 0;

  void add(const double* counts, const double* law, Index levels, double weight, double squared) {
    if (!(weight > 0)) return;
    const double inflation = squared / weight, worth = weight / inflation;
    for (Index l = 0; l < levels; ++l) {
      const double mean = weight * law[l];
      if (mean < kLeastExpected * inflation) continue;
      squares += (counts[l] - mean) * (counts[l] - mean) / (mean * inflation);
      expected += 1 - law[l];
      slope += (1 - law[l]) * worth;
    }
  }

  double prior(double lost) const {
    const double excess = squares - expected * lost;
    if (!(excess > 0) || !(slope > 0)) return kMostPrior;
    return std::clamp(slope * lost / excess - 1, kLeastPrior, kMostPrior);
  }
};

// How far a law may go from the simpler one to its own counts: by what these are worth beside the prior, or by what
// their deviation exceeds chance, as of James and Stein, whichever is more.
double share_of_own(const double* counts, const double* law, Index levels, double weight, double squared,
                    double prior) {
  const double worth = weight * weight / squared;
  Deviation own;
  own.add(counts, law, levels, weight, squared);
  const double beyond_chance = own.squares > own.expected ? 1 - own.expected / own.squares : 0;
  return std::max(worth / (worth + prior), beyond_chance);
}

void normalise(double* law, Index levels) {
  double sum = 0;
  for (Index l = 0; l < levels; ++l) sum += law[l];
  for (Index l = 0; l < levels; ++l) law[l] = sum > 0 ? law[l] / sum : 1.0 / static_cast<double>(levels);
}

}  // namespace

std::vector<double> learn_law(const LawCounts& n, double prior) {
  const Index F = n.leaves, K = n.regions, L = n.levels;
  const auto at = [&](Index f, Index k) { return static_cast<std::size_t>((f * K + k) * L); };
  std::vector<double> of_leaf(static_cast<std::size_t>(F * L)), of_region(static_cast<std::size_t>(K * L)),
      of_all(static_cast<std::size_t>(L)), weight(static_cast<std::size_t>(F * K)),
      region_weight(static_cast<std::size_t>(K)), region_squares(static_cast<std::size_t>(K));
  for (Index f = 0; f < F; ++f)
    for (Index k = 0; k < K; ++k) {
      double sum = 0;
      for (Index l = 0; l < L; ++l) {
        const double c = n.counts[at(f, k) + static_cast<std::size_t>(l)];
        of_leaf[static_cast<std::size_t>(f * L + l)] += c;
        of_region[static_cast<std::size_t>(k * L + l)] += c;
        of_all[static_cast<std::size_t>(l)] += c;
        sum += c;
      }
      weight[static_cast<std::size_t>(f * K + k)] = sum;
      region_weight[static_cast<std::size_t>(k)] += sum;
      region_squares[static_cast<std::size_t>(k)] += n.squares[static_cast<std::size_t>(f * K + k)];
    }
  normalise(of_all.data(), L);

  Deviation of_regions;
  for (Index k = 0; k < K; ++k)
    of_regions.add(&of_region[static_cast<std::size_t>(k * L)], of_all.data(), L,
                   region_weight[static_cast<std::size_t>(k)], region_squares[static_cast<std::size_t>(k)]);
  const double region_prior = of_regions.prior(K > 1 ? 1 - 1.0 / static_cast<double>(K) : 1);
  for (Index k = 0; k < K; ++k) {
    const double total = region_weight[static_cast<std::size_t>(k)];
    if (!(total > 0)) continue;
    const double own = share_of_own(&of_region[static_cast<std::size_t>(k * L)], of_all.data(), L, total,
                                    region_squares[static_cast<std::size_t>(k)], region_prior);
    for (Index l = 0; l < L; ++l) {
      double& c = of_region[static_cast<std::size_t>(k * L + l)];
      c = own * c + (1 - own) * total * of_all[static_cast<std::size_t>(l)];
    }
  }
  for (Index f = 0; f < F; ++f)
    for (Index l = 0; l < L; ++l)
      of_leaf[static_cast<std::size_t>(f * L + l)] += 0.5 * of_all[static_cast<std::size_t>(l)];

  std::vector<double> law(n.counts.size()), alpha(of_leaf.size()), beta(of_region.size(), 1.0);
  for (Index f = 0; f < F; ++f) {
    std::copy_n(&of_leaf[static_cast<std::size_t>(f * L)], L, &alpha[static_cast<std::size_t>(f * L)]);
    normalise(&alpha[static_cast<std::size_t>(f * L)], L);
  }
  for (Index k = 0; k < K; ++k)
    for (Index l = 0; l < L; ++l) {
      const double share = of_all[static_cast<std::size_t>(l)], total = region_weight[static_cast<std::size_t>(k)];
      if (share > 0 && total > 0)
        beta[static_cast<std::size_t>(k * L + l)] = of_region[static_cast<std::size_t>(k * L + l)] / (total * share);
    }
  const auto combine = [&] {
    for (Index f = 0; f < F; ++f)
      for (Index k = 0; k < K; ++k) {
        double* const p = &law[at(f, k)];
        for (Index l = 0; l < L; ++l)
          p[l] = alpha[static_cast<std::size_t>(f * L + l)] * beta[static_cast<std::size_t>(k * L + l)];
        normalise(p, L);
      }
  };
  std::vector<double> margin;
  for (int round = 0; F > 1 && round < kScalings; ++round) {
    combine();
    margin.assign(of_region.size(), 0.0);
    for (Index f = 0; f < F; ++f)
      for (Index k = 0; k < K; ++k)
        for (Index l = 0; l < L; ++l)
          margin[static_cast<std::size_t>(k * L + l)] +=
              weight[static_cast<std::size_t>(f * K + k)] * law[at(f, k) + static_cast<std::size_t>(l)];
    for (std::size_t i = 0; i < beta.size(); ++i)
      if (margin[i] > 0) beta[i] *= of_region[i] / margin[i];
    combine();
    margin.assign(of_leaf.size(), 0.0);
    for (Index f = 0; f < F; ++f)
      for (Index k = 0; k < K; ++k)
        for (Index l = 0; l < L; ++l)
          margin[static_cast<std::size_t>(f * L + l)] +=
              weight[static_cast<std::size_t>(f * K + k)] * law[at(f, k) + static_cast<std::size_t>(l)];
    for (std::size_t i = 0; i < alpha.size(); ++i)
      if (margin[i] > 0) alpha[i] *= of_leaf[i] / margin[i];
  }
  combine();
  if (F == 1) return law;

  if (!(prior > 0)) {
    Deviation deviation;
    for (Index f = 0; f < F; ++f)
      for (Index k = 0; k < K; ++k)
        deviation.add(&n.counts[at(f, k)], &law[at(f, k)], L, weight[static_cast<std::size_t>(f * K + k)],
                      n.squares[static_cast<std::size_t>(f * K + k)]);
    const auto cells = static_cast<double>(F * K);
    prior = deviation.prior(1 - (static_cast<double>(F + K) - 1) / cells);
  }
  for (Index f = 0; f < F; ++f)
    for (Index k = 0; k < K; ++k) {
      const double total = weight[static_cast<std::size_t>(f * K + k)];
      if (!(total > 0)) continue;
      const double own = share_of_own(&n.counts[at(f, k)], &law[at(f, k)], L, total,
                                      n.squares[static_cast<std::size_t>(f * K + k)], prior);
      for (Index l = 0; l < L; ++l) {
        double& p = law[at(f, k) + static_cast<std::size_t>(l)];
        p = own * n.counts[at(f, k) + static_cast<std::size_t>(l)] / total + (1 - own) * p;
      }
    }
  return law;
}

}  // namespace plumbline
