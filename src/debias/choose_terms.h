// Which terms of φ(b) enter a fit: those that a test of the moments of (φ(b), a) finds.
//
// φ is an expansion of b with groups of outputs beyond b itself (Expansion::groups). Let L be b and the groups that
// have entered, z of rank s the columns of L, r = a − E[a | z] what a line in L leaves of the q features, of covariance
// Σ_r and rank q', and c_1 … c_d the covariances of r with orthonormal directions of what a line in L leaves of a
// group:
//
//   T = m Σ_l c_lᵀ Σ_r⁺ c_l,   m = n − 1 − s       against χ² of d q' degrees of freedom
//
// Σ_l c_lᵀ Σ_r⁺ c_l is the sum of the squared canonical correlations of the group with r (Pillai's trace), whose mean
// is d q' / m exactly where a is a line in b with normal noise. Where the spread of r changes with b, T is too large:
// moments hold no fourth powers, which would tell. So the directions ψ (d of a row) of a sample of rows say how much,
//
//   W = mean of ψ ψᵀ rᵀ Σ_r⁺ r / q'       T' = m Σ_lk (W⁺)_lk c_lᵀ Σ_r⁺ c_k
//
// and the smaller of T and T' is taken. W is I where the spread is the same for all b. Of the groups whose T has a
// probability of at most .01 / (number of groups), the least likely one enters L and the others are tested anew, until
// there is none. So nothing enters in at least 99 of 100 tables in which b acts along a line, up to how well χ² holds.
//
// n is the sum of the weights over `row`, what one row weighs: repeated rows and whole weights are the same. A
// direction that keeps less than 1e-10 of its variance beyond L is none, and so is a feature; a group of no direction
// is not tested.
//
// Without a sample T alone is judged; what enters too easily then costs some exactness and leaves no more of b behind.
// The test is of all features at once: of q' features of which one bends, it finds the bend
// if m ρ² is well above √(2 d q'), ρ its correlation with the group. With q' ≥ m nothing can be found.
//
// Throws Error for cross-only moments, or if the names of the moments are not those of φ.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/expansion.h"
#include "plumbline/fit.h"
#include "plumbline/moments.h"

namespace plumbline {

struct TermTest {
  std::string name;      // the column, or both of a pair with * between them
  Index directions = 0;  // d
  Index features = 0;    // q'
  double statistic = 0;  // the smaller of T and T', when it entered, or at the end
  double chance = 1;     // that of a larger one
  bool enters = false;
};

struct ChosenTerms {
  Expansion expansion;          // φ of b and the terms that entered
  Moments moments;              // of (φ(b), a)
  std::vector<TermTest> tests;  // of the groups that were tested, in the order of their outputs

  std::string note() const;  // a sentence for the certificate
};

// Rows of the data, b before expansion: all of them, or kTermRows at random.
struct TermRows {
  Eigen::MatrixXd a, b;
  std::vector<double> weights = {};  // empty: all one
};
inline constexpr Index kTermRows = 8192;

ChosenTerms choose_terms(const Moments& of_candidates, const Expansion& candidates, double row = 1,
                         const TermRows& rows = {});

// Those with the least keys mix(i) (base/random_stream.h), as a sample of a table has them.
TermRows term_rows(const Columns& a, const Columns& b, std::span<const double> weights);

// What one row weighs: 1 if all weights are whole numbers, which count rows; else Σ w² / Σ w, by which rows of unequal
// weight count as fewer (Kish). 1 without weights.
double weight_of_row(std::span<const double> weights);

}  // namespace plumbline
