// Sparse components of what is left of A once B is removed (SOB, Algorithm 1 of the paper with its constraint read
// as in the penalised matrix decomposition), in coefficient space.
//
// Let R = (I − P_B)A, n rows, and G = RᵀR / n. Scores s_j = R w_j have unit variance and are uncorrelated with each
// other and with B. For j = 1 … k, with W = [w_1 … w_{j−1}], from a unit vector u until u and s move by less than η:
//
//   v = u − W Wᵀ G u      w = v / √(vᵀ G v)      g = G w      u = S_θ(g) / ‖S_θ(g)‖,  ‖u‖₁ ≤ h
//
// and then d_j = wᵀ G u. After some such steps each takes g = G y at a y beyond u in the direction of the last one, as
// long as the steps agree on it: the same maxima in far fewer steps where they are flat. The result is Ã = R W D Uᵀ,
// with ‖R − Ã‖² = ‖R‖² − n Σ d_j². With h ≥ √q the constraint does not bind and this is OB with the optimal basis.
//
// The start is the leading eigenvector of the deflated G, so the result is deterministic; where eigenvalues of G are
// equal to rounding, any of their eigenvectors may be it, and the two forms below may then take different ones. Not
// reaching η is a status, not an error.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plumbline/columns.h"

namespace plumbline {

// How products with G are computed: from G itself, or as Rᵀ(R u), which is cheaper when q > n.
enum class SobForm { automatic, gram, matrix_free };

struct SobOptions {
  double l1_bound = 0;        // h, from 1 to √q; larger does not bind; 0: half of √q, at least 1
  double tolerance = 1e-6;    // η > 0
  int max_iterations = 1000;  // for each component, ≥ 1
  int random_starts = 0;      // tried beside the deterministic start, the largest d kept
  std::uint64_t seed = 0;     // of the random starts
  SobForm form = SobForm::automatic;

  void check() const;
  double bound_for(Index features) const;  // h with the default filled in

  bool operator==(const SobOptions&) const = default;
};

enum class SobStatus { converged, iteration_limit, nothing_left };

const char* name_of(SobStatus status);

// A sentence if components stopped at the iteration limit; else empty.
std::string warning_of(std::span<const SobStatus> components);

}  // namespace plumbline
