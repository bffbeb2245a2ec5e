// What fairness costs a prediction of y at least. In the paper's causal model a counterfactually fair prediction
// ŷ = f(A, B) is a function of the noise of A alone, so it is independent of B, and
//
//   E(y − ŷ)² ≥ e + v,   e = E Var(y | A, B),   v = Var E[y | B]
//
// (project y − ŷ on B). Here both are of linear regressions, on (A, B) and on B, with as many degrees of freedom as
// rows less coefficients (adjusted R²), so that neither falls because there are many columns:
//
//   e = (1 − R²_AB) (n − 1)/(n − r_AB − 1) Var y        v = (1 − (1 − R²_B) (n − 1)/(n − r_B − 1)) Var y
//
// r the rank; e is at most Var y − v, and v at least 0. With curves in the world e is too large, and v too small: a
// model that bends may beat the floor and yet be fair. Where y is 0 or 1, predictions are probabilities, and the error
// is Brier's score.
//
// Predictions with the mean square error m must have kept a share of b's effect. A prediction ŷ = u + c E[y|B] with
// u independent of B has an error of at least e + (1 − c)² v, so c ≥ 1 − √((m − e)/v): 0 where m ≥ e + v, and 1, all
// of it, where m ≤ e.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/columns.h"
#include "plumbline/error.h"
#include "plumbline/moments.h"

namespace plumbline {

// What is known of predictions that were given.
struct PricedPredictions {
  std::string column;
  double error = 0;  // m
  double kept = 0;   // the least share of b's effect

  bool operator==(const PricedPredictions&) const = default;
};

struct Price {
  std::string target;
  std::vector<std::string> levels;  // of a target of two levels, ascending: y is 1 for the second; else empty
  bool is_probability = false;      // y is 0 or 1
  double variance = 0;              // of y
  double unexplained = 0;           // e
  double by_sensitive = 0;          // v
  std::optional<PricedPredictions> predictions = std::nullopt;

  double floor() const { return unexplained + by_sensitive; }
  double floor_share() const { return floor() / variance; }
  double least_kept(double error) const;  // of predictions with that mean square error

  bool operator==(const Price&) const = default;
};

// The moments of y with each column of A and of B (φ(b), where it is expanded); y is n × 1 and may be of one type, and
// a and b of another.
class TargetMoments {
 public:
  TargetMoments() = default;  // empty, of any shape
  TargetMoments(const std::vector<std::string>& features, const std::vector<std::string>& sensitive);

  // Both throw Error for what Moments does, and then leave the statistic as it was.
  void update(const Columns& a, const Columns& b, const Columns& y, const UpdateOptions& options = {});
  void merge(const TargetMoments& other);

  // As of Moments, whose features are the same.
  TargetMoments widened(const std::vector<std::string>& features, const std::vector<std::string>& sensitive) const;
  TargetMoments merged(const std::vector<std::string>& features, const std::vector<Index>& into) const;
  void hold(Index feature, double value) { of_a_.hold(feature, value); }

  std::int64_t rows() const { return of_a_.rows(); }
  const Moments& of_a() const { return of_a_; }
  const Moments& of_b() const { return of_b_; }
  static TargetMoments of(Moments of_a, Moments of_b);

  bool operator==(const TargetMoments&) const = default;

 private:
  Moments of_a_, of_b_;  // cross-only; y is what is sensitive in both
};

// Of full moments and those of y with the same rows, and with their sensitive columns or more; named by the caller.
// None where y does not vary or there are no more rows than coefficients. Throws Error if the moments are cross-only or
// of other rows or columns.
std::optional<Price> price_of(const Moments& moments, const TargetMoments& target);

// The same of tables.
std::optional<Price> price_of(const Columns& a, const Columns& b, const Columns& y, const UpdateOptions& options = {});

}  // namespace plumbline
