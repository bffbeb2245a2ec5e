// The terms of an expansion as a person writes them: powers=3, splines=5, bins=4, interactions, and auto where only
// those are to enter that a test finds; in one list, separated by commas, or in several. None gives nothing. Throws
// Error, naming `flag`, on a term that is none of these.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/expansion.h"

namespace plumbline {

std::optional<ExpansionOptions> expansion_of(std::string_view flag, const std::vector<std::string>& lists);

}  // namespace plumbline
