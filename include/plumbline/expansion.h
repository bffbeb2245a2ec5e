// A richer set of sensitive columns φ(B) in place of B: to remove from A what is linear in φ(B) removes more of
// E[A | B] than its part that is linear in B.
//
//   φ : R^p → R^P        fit: n × p, learns φ        transform: n × p → n × P
//
// A column that is a number b gives, with t = (b − mean) / sd over the rows of fit (mean = Σ w b / W, W = Σ w,
// sd² = Σ w (b − mean)² / W; sd = 1 if b is constant),
//
//   age            b                                           always, so φ(B) is never weaker than B
//   age^d          t^d,  d = 2 … powers
//   age:splinek    N_k = d_k − d_{K−1},  k = 1 … K − 2         natural cubic spline of K = knots knots κ_1 < … < κ_K
//                  d_k = ((s − κ_k)³₊ − (s − κ_K)³₊) / (κ_K − κ_k)    s: b on the scale where κ_1 = 0 and κ_K = 1
//   age:bink       1[e_{k−1} < b ≤ e_k],  k = 1 … bins         e_0 = −∞, e_bins = ∞
//
// and a column of codes gives one indicator a level seen in fit, in ascending order:
//
//   race=2         1[b = 2]
//
// Outputs are in the order of the inputs. With interactions there follow, for each pair of inputs i < j, the products
// of each base column of i with each of j, where a number has the base column t and a column of codes its indicators:
//
//   age*income     t_age · t_income
//
// With automatic these are candidates, of which a test of the moments chooses (debias/choose_terms.h); `with_groups`
// is φ of the terms that were chosen alone. If no terms are asked for, the candidates are splines of 5 knots and, as
// long as all outputs are no more than 64, interactions. A number of two values has no powers then.
//
// Let Q(t) be the value of the row at weight t, 0 ≤ t < W, with the rows in ascending order. Knot k is the quantile of
// share 0.05 + 0.9 (k − 1) / (K − 1). The quantile of share s is the mean of Q over one row, from s (W − 1) on: without
// weights, interpolated between sorted values. If some weight is not a whole number, a row weighs the mean of the
// positive weights in place of 1. Knots within 1e-9 sd of the one before are merged with it, and fewer than 3 knots add
// no spline. Edge e_k is the smallest value up to which k W / bins lies, so without ties and weights the bins' numbers
// of rows differ by at most 1; equal edges are merged, an edge at the largest value is dropped, and a column of no
// edges adds no bins. Whole weights are thus repeated rows, exactly, and a row of weight 0 is as if it were not there,
// but that its cells must be finite. The outputs may depend on each other linearly (bins add up to 1); what reads them
// must bear that. What fit learns does not depend on the order of the rows.
//
// All throw Error when shapes disagree, a cell is NaN or infinite, a weight is negative or not finite, or an output
// leaves the range of a double; fit also when there are no columns or no rows of positive weight, the weights' sum or a
// column's squares leave that range, a column of codes has over 1,000 levels or there are over 100,000 outputs;
// transform and evaluate also on a code not seen in fit, unless ignore_unknown.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumbline/columns.h"
#include "plumbline/error.h"

namespace plumbline {

struct ExpansionOptions {
  int powers = 1;                   // highest power of each number, 1 to 1000
  int knots = 0;                    // knots of each number's spline, 3 to 1000; 0: no spline
  int bins = 0;                     // bins of equal frequency of each number, 2 to 1000; 0: no bins
  bool interactions = false;        // products of each pair of columns
  std::vector<Index> one_hot = {};  // columns that hold codes: one indicator a level in place of the number
  bool ignore_unknown = false;      // a code not seen in fit sets no indicator; false: it throws Error
  bool automatic = false;           // the terms enter only where a test finds them; without any: usual candidates

  void check(Index columns) const;  // throws Error naming the field
};

class Expansion {
 public:
  // What fit learned of one input.
  struct Column {
    double mean = 0, sd = 1;     // of a number
    int powers = 1;              // the highest one of a number
    std::vector<double> knots;   // increasing; none or at least 3
    std::vector<double> edges;   // increasing; one fewer than the bins, or none
    std::vector<double> levels;  // increasing; of a column of codes at least 1, of a number none
    Index first = 0;             // its first output

    bool is_code() const { return !levels.empty(); }
    Index bases() const { return is_code() ? static_cast<Index>(levels.size()) : 1; }
    Index terms() const {  // of a number, beyond itself
      const std::size_t splines = knots.empty() ? 0 : knots.size() - 2, bins = edges.empty() ? 0 : edges.size() + 1;
      return is_code() ? 0 : powers - 1 + static_cast<Index>(splines + bins);
    }
    bool operator==(const Column&) const = default;
  };

  // Outputs beyond b itself that enter together: all terms of a number, or all products of a pair of columns.
  struct Group {
    Index one = 0;
    std::optional<Index> other;  // of a pair
    Index first = 0, count = 0;  // outputs

    bool operator==(const Group&) const = default;
  };

  // The terms among which a test chooses, as they were asked for; none: all terms enter.
  struct Candidates {
    int powers = 1, knots = 0, bins = 0;
    bool interactions = false;

    bool operator==(const Candidates&) const = default;
  };

  Expansion() = default;  // of no columns
  static Expansion fit(const Columns& b, std::vector<std::string> names, const ExpansionOptions& options = {},
                       std::span<const double> weights = {});  // empty: all one

  Index inputs() const { return static_cast<Index>(input_names_.size()); }
  Index outputs() const { return static_cast<Index>(names_.size()); }
  const std::vector<std::string>& input_names() const { return input_names_; }
  const std::vector<std::string>& names() const { return names_; }  // of the outputs
  const std::vector<Column>& columns() const { return columns_; }
  const std::optional<Candidates>& candidates() const { return candidates_; }

  std::vector<Group> groups() const;  // in the order of their outputs; none is empty
  // φ of b itself and of some groups, given by their places in groups(), increasing. Its outputs are the same numbers.
  Expansion with_groups(const std::vector<Index>& places) const;

  // Rows of weight 0, if there are weights, give zeros, and their codes need not be known.
  Eigen::MatrixXd transform(const Columns& b, std::span<const double> weights = {}, Index first_row = 0) const;

  // The same for columns of doubles at in + j * in_stride, written to out + j * out_stride; the two must not overlap.
  // Allocates nothing. Messages count rows from first_row.
  void evaluate(const double* in, Index in_stride, Index rows, double* out, Index out_stride,
                Index first_row = 0) const;

  // Exact. from_json throws Error on a field that is missing, of the wrong type, or at odds with the others.
  std::string to_json() const;
  static Expansion from_json(std::string_view text);

  bool operator==(const Expansion&) const = default;

 private:
  void lay_out();
  void evaluate_interactions(const double* in, Index in_stride, Index rows, double* out, Index out_stride) const;

  std::vector<std::string> input_names_;
  std::vector<Column> columns_;
  std::vector<std::pair<Index, Index>> pairs_;  // of columns with interactions, increasing
  bool ignore_unknown_ = false;
  std::optional<Candidates> candidates_;
  std::vector<std::string> names_;  // with Column::first, follows from the rest
};

}  // namespace plumbline
