#include "debias/boosted_trees.h"

namespace plumbline {

std::optional<Attacker> boosted_trees(int) { return std::nullopt; }

}  // namespace plumbline
