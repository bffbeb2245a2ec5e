// The weights of rows: none, which is all one, or one a row, finite, not negative, with a finite sum.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "plumbline/columns.h"

namespace plumbline {

// "row 3: the weight is -1; weights must be finite and not negative"
std::string bad_weight(std::string_view place, std::string_view weight);

// Throws Error naming the weights.
void check_weights(std::span<const double> weights, Index rows);

// The same for what needs a row of positive weight, such as a mean.
void check_some_weight(std::span<const double> weights, Index rows);

[[noreturn]] void refuse_no_weight();  // where every weight is zero

}  // namespace plumbline
