// Boosted trees as attackers of a probe (plumbline/probe.h), by the XGBoost library, if this was built to look for it
// and it is there: 100 rounds at a rate of 0.1 of trees of 31 leaves, on histograms.
#pragma once

#include <optional>

#include "plumbline/probe.h"

namespace plumbline {

// One thread an outcome, so that the number of threads leaves no trace. 0 threads: one a core.
std::optional<Attacker> boosted_trees(int threads = 0);

}  // namespace plumbline
