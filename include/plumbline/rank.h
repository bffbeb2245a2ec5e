// How many dimensions a fit keeps: all q of them, a number k, or the fewest that explain a share of the variance of
// what is left of A once B is removed,  min { k : Σ_{i≤k} λ_i ≥ share · Σ_i λ_i },  λ_i the variance of what is left
// along the i-th direction of the basis: its eigenvalues for the optimal one.
//
// A number above q keeps q, and in aware mode one above the dimensions that are left keeps these; the certificate says
// so. Rank::all keeps every feature apart and needs only cross-only moments; a number or a share needs full ones and
// gives scores.
#pragma once

#include "plumbline/columns.h"
#include "plumbline/error.h"

namespace plumbline {

class Rank {
 public:
  static Rank all() { return {}; }
  static Rank count(Index k);       // throws Error unless k ≥ 1
  static Rank share(double share);  // throws Error unless 0 < share ≤ 1

  bool is_all() const { return count_ == 0 && share_ == 0; }
  Index count() const { return count_; }   // 0: not given as a number
  double share() const { return share_; }  // 0: not given as a share

  bool operator==(const Rank&) const = default;

 private:
  Index count_ = 0;
  double share_ = 0;
};

}  // namespace plumbline
