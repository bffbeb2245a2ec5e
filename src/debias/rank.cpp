#include "plumbline/rank.h"

#include <fmt/format.h>

#include "plumbline/error.h"

namespace plumbline {

Rank Rank::count(Index k) {
  if (k < 1) throw Error(fmt::format("rank is {}; it must be at least 1", k));
  Rank rank;
  rank.count_ = k;
  return rank;
}

Rank Rank::share(double share) {
  if (!(share > 0 && share <= 1))
    throw Error(fmt::format("the share of variance is {}; it must be above 0 and at most 1", share));
  Rank rank;
  rank.share_ = share;
  return rank;
}

}  // namespace plumbline
