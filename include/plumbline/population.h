// How far from zero the correlations are that a fit has made zero on its rows: a bound for all rows that could have
// come, and a test of rows that came later.
//
// A fit to n independent rows, with p the rank of B (φ(b) where it is expanded) and q the rank of what is left of A. If
// what is left is normal and does not depend on B, the canonical correlations of Ã and B on new rows are d/√(1 + d²),
//
//   d²      the eigenvalues of F E⁻¹,  F ~ W_m(max(p, q)),  E ~ W_m(n − 1 − p + m),  m = min(p, q)  (Wishart)
//   bound   x/√(1 + x²): with probability .95 no direction of Ã correlates by more with any direction of B, x² the .95
//           quantile of the largest d². By simulation of these m × m matrices, which are drawn by their Cholesky
//           factors (Bartlett), from one fixed seed; the quantile is taken one standard deviation of their number up.
//           For many rows x is that of the largest singular value of a q × p matrix of standard normal numbers, over √n
//   closed  the same of x = (√q + √p + t) / (√(n − 1) − √p − t), t = √(2 ln 40), which is never too small: each of
//           two concentration inequalities fails with probability .025 at most. It stands for the bound above m = 32,
//           where it is some 25 % too large or less
//
// It is 1, which says nothing, where n − 1 < p. Rows that are not normal change it by O(1/n) as long as what is left
// does not depend on B; where its spread does, more may be left. Weights count as if they were all the same.
//
// The test is Bartlett's that all canonical correlations ρ of n new rows are zero. The map has an error of its own,
// which these rows share: it inflates d² = ρ²/(1 − ρ²) by c = 1 + (n − 1)/(n_fit − p − 2). So
//
//   statistic   (n − 1 − (p + q + 1)/2) Σ log(1 + d²/c)  ~  χ²  with p q degrees of freedom
//
// n is (Σw)²/Σw² for weighted rows. It supposes what the bound does: it also rejects where the spread of what is left
// depends on B. Blind mode, whose error is less, rejects no more often than stated.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>

namespace plumbline {

struct PopulationBound {
  double correlation = 1, closed_form = 1;
  std::int64_t rows = 0;                     // n
  std::int64_t features = 0, sensitive = 0;  // q, p
  bool is_simulated = false;

  static constexpr double kProbability = 0.95;

  bool operator==(const PopulationBound&) const = default;
};

// Throws Error unless n, q and p are positive.
PopulationBound population_bound(std::int64_t rows, std::int64_t features, std::int64_t sensitive);

struct IndependenceTest {
  double statistic = 0;
  std::int64_t degrees = 0;
  double p_value = 1;

  bool operator==(const IndependenceTest&) const = default;
};

// None where there are too few rows for it, n ≤ p + q + 1 or n_fit ≤ p + 2, or nothing to correlate.
std::optional<IndependenceTest> independence_test(const Eigen::VectorXd& canonical, double rows, double rows_of_fit,
                                                  std::int64_t features, std::int64_t sensitive);

}  // namespace plumbline
