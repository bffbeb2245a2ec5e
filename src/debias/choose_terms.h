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
// is d q' / m exactly where a is a line in b with normal noise. Of the groups whose T has a probability of at most
// .01 / (number of groups), the least likely one enters L and the others are tested anew, until there is none. So
// nothing enters in at least 99 of 100 tables in which b acts along a line, up to how well χ² holds.
//
// n is the sum of the weights over `row`, what one row weighs: repeated rows and whole weights are the same. A
// direction that keeps less than 1e-10 of its variance beyond L is none, and so is a feature; a group of no direction
// is not tested.
//
// The test supposes that the spread of r is the same for all b. Where r varies more at the ends of b it finds too much:
// moments hold no fourth powers, which would tell. What enters then costs change of the features and some precision,
// and leaves no more of b behind. It is of all features at once: of q' features of which one bends, it finds the bend
// if m ρ² is well above √(2 d q'), ρ its correlation with the group. With q' ≥ m nothing can be found.
//
// Throws Error for cross-only moments, or if the names of the moments are not those of φ.
#pragma once

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
  double statistic = 0;  // T, when it entered, or at the end
  double chance = 1;     // that of a larger one
  bool enters = false;
};

struct ChosenTerms {
  std::optional<Expansion> expansion;  // none if φ is b itself
  Moments moments;                     // of (φ(b), a), φ the terms that entered
  std::vector<TermTest> tests;         // of the groups that were tested, in the order of their outputs

  std::string note() const;  // a sentence for the certificate
};

ChosenTerms choose_terms(const Moments& of_candidates, const Expansion& candidates, double row = 1);

// What one row weighs: 1 if all weights are whole numbers, which count rows; else Σ w² / Σ w, by which rows of unequal
// weight count as fewer (Kish). 1 without weights.
double weight_of_row(std::span<const double> weights);

}  // namespace plumbline
