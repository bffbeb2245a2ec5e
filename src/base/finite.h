// Cells that arithmetic cannot go on with: not finite, or so small that their squares are not.
#pragma once

#include <string>
#include <vector>

#include "plumbline/columns.h"

namespace plumbline {

// A sum of squares below it has lost its precision.
inline constexpr double kSmallestSquare = 1e-290;

// Throws Error naming the first of `count` rows from `first` on that holds a cell which is not finite, if one does.
void check_finite(const Columns& table, const std::vector<std::string>& names, Index first, Index count);

[[noreturn]] void report_not_finite(Index row, const std::string& column, double cell);

}  // namespace plumbline
