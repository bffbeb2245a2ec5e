// Structural models of which everything is known, to try the paper's theorem on.
//
//   a = Γᵀb + Δᵀh(b) + s(b) ε          y = Σ a + Σ b + ½ ε_y          q = 4 features, p = 3 sensitive columns
//
//   name              b and ε                                                    h(b)         s(b)
//   gaussian          independent standard normals                               0            1
//   student-t         jointly Student-t, ν = 6: normals over one root a row      0            1
//   student-t-scale   Student-t, ν and ν + p degrees, ε independent of b         0            below
//   skewed            independent, exponential less its mean                     0            1
//   squares           independent standard normals                               b² − 1       1
//   hinge             independent standard normals                               2 max(b, 0)  1
//
//   student-t-scale   s(b)² = (ν + ‖b‖² ν / (ν − 2)) / (ν + p)
//
// Every b has mean 0 and variance 1. ε_y is a standard normal. The counterfactual of a row keeps ε and has another b.
//
// The first three are elliptical. student-t and student-t-scale have the same rows up to rounding, and so the same law
// of (A, B): a Student-t vector has these conditionals. They differ in what another b would do. Of the two only the
// latter has noises that are independent, as the paper's model asks: independent and jointly elliptical noises are
// normal. In skewed E[A | B] is linear as it is in the first three; in squares and hinge it is not.
//
// Rows are a function of the seed and their number alone (random_stream.h). Error when the range of rows is wrong, or a
// counterfactual b is not of as many rows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "methods/continuous_sample.h"
#include "metrics/continuous_counterfactual.h"

namespace plumbline {

enum class TheoryScm { gaussian, student_t, student_t_scale, skewed, squares, hinge };

std::span<const TheoryScm> theory_scms();  // in this order
std::string_view name_of(TheoryScm scm);

struct TheoryRows {
  ContinuousSample sample;
  Eigen::MatrixXd noise;  // n × q: ε
};

// The rows [first, first + count).
TheoryRows theory_rows(TheoryScm scm, std::uint64_t seed, std::int64_t first, Eigen::Index count);

class TheoryCounterfactuals final : public Counterfactuals {
 public:
  TheoryCounterfactuals(TheoryScm scm, Eigen::MatrixXd noise) : scm_(scm), noise_(std::move(noise)) {}

  Eigen::Index rows() const override { return noise_.rows(); }
  Eigen::MatrixXd features(const Eigen::MatrixXd& b) const override;

 private:
  TheoryScm scm_;
  Eigen::MatrixXd noise_;
};

}  // namespace plumbline
