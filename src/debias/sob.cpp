#include "plumbline/sob.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumbline/error.h"

namespace plumbline {

void SobOptions::check() const {
  if (!(l1_bound == 0 || (l1_bound >= 1 && std::isfinite(l1_bound))))
    throw Error(fmt::format("l1_bound is {}; it must be at least 1 and finite, or 0 for the default", l1_bound));
  if (!(tolerance > 0 && std::isfinite(tolerance)))
    throw Error(fmt::format("tolerance is {}; it must be above 0 and finite", tolerance));
  if (max_iterations < 1) throw Error(fmt::format("max_iterations is {}; it must be at least 1", max_iterations));
  if (random_starts < 0) throw Error(fmt::format("random_starts is {}; it must not be negative", random_starts));
}

double SobOptions::bound_for(Index features) const {
  return l1_bound > 0 ? l1_bound : std::max(1.0, std::sqrt(static_cast<double>(features)) / 2);
}

const char* name_of(SobStatus status) {
  switch (status) {
    case SobStatus::converged:
      return "converged";
    case SobStatus::iteration_limit:
      return "iteration limit";
    case SobStatus::nothing_left:
      return "nothing left to explain";
  }
  return "";
}

std::string warning_of(std::span<const SobStatus> components) {
  const auto limited = std::count(components.begin(), components.end(), SobStatus::iteration_limit);
  if (limited == 0) return {};
  return fmt::format("{} of {} sparse components stopped at the iteration limit", limited, components.size());
}

}  // namespace plumbline
