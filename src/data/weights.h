// The weights of rows: none, which is all one, or one a row, finite, not negative, with a finite sum.
#pragma once

#include <span>

#include "plumbline/columns.h"

namespace plumbline {

// Throws Error naming the weights.
void check_weights(std::span<const double> weights, Index rows);

}  // namespace plumbline
