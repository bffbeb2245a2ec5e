// The weights of rows: none, which is all one, or one a row, finite, not negative, with a finite sum.
#pragma once

#include <span>

#include "plumbline/columns.h"

namespace plumbline {

// Throws Error naming the weights.
void check_weights(std::span<const double> weights, Index rows);

// The same for what needs a row of positive weight, such as a mean.
void check_some_weight(std::span<const double> weights, Index rows);

}  // namespace plumbline
