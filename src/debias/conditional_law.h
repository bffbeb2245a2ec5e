// The law of a group of features given the region of b and the leaf of what comes before, learned from counts.
//
//   n_fkl   the weight of rows of leaf f in region k that have level l          f < F, k < K, l < L
//   m_fkl   ∝ α_fl β_kl, the law without interaction that has the margins n_f·l and n_·kl, by iterative scaling; the
//           margin of a region is first drawn towards the law of all rows, as if by `s` rows of it
//   p_fkl   = (ν n_fkl / n_fk + t m_fkl) / (ν + t),   ν = n_fk² / Σ w² the rows that the weights are worth
//
// s and t, how many rows the simpler law is worth, are estimated unless they are given: what the squared deviations
// from the simpler law exceed their expectation by, were it true, is laid to a Dirichlet law around it. Where b has no
// effect they become large, and so all regions get one law.
#pragma once

#include <cstdint>
#include <vector>

#include "plumbline/columns.h"

namespace plumbline {

struct LawCounts {
  LawCounts(Index f, Index k, Index l)
      : leaves(f),
        regions(k),
        levels(l),
        counts(static_cast<std::size_t>(f * k * l)),
        squares(static_cast<std::size_t>(f * k)) {}

  void add(Index f, Index k, Index l, double w) {
    counts[static_cast<std::size_t>((f * regions + k) * levels + l)] += w;
    squares[static_cast<std::size_t>(f * regions + k)] += w * w;
  }

  Index leaves, regions, levels;
  std::vector<double> counts;   // [leaf][region][level]
  std::vector<double> squares;  // [leaf][region], Σ w²
};

// p, in the shape of the counts; `prior` is t, 0 for an estimate.
std::vector<double> learn_law(const LawCounts& counts, double prior);

}  // namespace plumbline
