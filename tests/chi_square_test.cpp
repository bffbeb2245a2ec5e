#include "base/chi_square.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

TEST(ChiSquare, TwoDegreesAreExponential) {
  for (const double x : {1e-9, 0.1, 1.0, 3.0, 4.5, 20.0, 300.0, 1200.0})
    EXPECT_NEAR(chi_square_tail(x, 2) / std::exp(-x / 2), 1, 1e-10) << x;
}

TEST(ChiSquare, OneDegreeIsANormalSquared) {
  for (const double x : {1e-6, 0.1, 1.0, 3.0, 4.5, 20.0, 300.0})
    EXPECT_NEAR(chi_square_tail(x, 1) / std::erfc(std::sqrt(x / 2)), 1, 1e-10) << x;
}

// Q(k + 2, x) − Q(k, x) = (x/2)^(k/2) e^(−x/2) / Γ(k/2 + 1), whichever form computes them.
TEST(ChiSquare, TwoDegreesMoreAddADensity) {
  for (const double k : {1.0, 2.0, 7.0, 38.0, 39.0, 41.0, 100.0, 5000.0})
    for (const double share : {0.3, 0.9, 0.99, 1.0, 1.02, 1.1, 2.0}) {
      const double x = share * k, a = k / 2;
      const double density = std::exp(a * std::log(x / 2) - x / 2 - std::lgamma(a + 1));
      EXPECT_NEAR(chi_square_tail(x, k + 2) - chi_square_tail(x, k), density, 1e-10 + 1e-9 * density) << k << ' ' << x;
    }
}

TEST(ChiSquare, EndsAreCertain) {
  EXPECT_EQ(chi_square_tail(0, 3), 1);
  EXPECT_EQ(chi_square_tail(-1, 3), 1);
  EXPECT_EQ(chi_square_tail(1e9, 3), 0);
}

}  // namespace
}  // namespace plumbline
