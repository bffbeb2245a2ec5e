// The χ² distribution with k > 0 degrees of freedom: its upper tail, and draws.
//
//   P(χ²_k > x) = Q(k/2, x/2),   Q the regularised upper incomplete gamma function
//
// by its power series below x = k + 2 and by its continued fraction above; to some 1e-11 relative, and 1 for x ≤ 0.
#pragma once

#include "base/random_stream.h"

namespace plumbline {

double chi_square_tail(double x, double degrees);

// Marsaglia and Tsang's rejection from a cube of a normal number: some three draws of the stream each.
double draw_chi_square(RandomStream& draws, double degrees);

}  // namespace plumbline
