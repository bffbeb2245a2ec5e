// A partition of unity over the sensitive columns: regions of b among which each row is shared out.
//
//   w_1(b) … w_K(b) ≥ 0,   Σ_k w_k(b) = 1,   b ∈ R^p
//
// Columns of b with two values (booleans, indicators of levels) cut the rows into strata, those that agree in all of
// them: a level is never mixed with another. Within a stratum the other columns, the numbers, give
//
//   none         one region
//   one          hats between knots κ_1 < … < κ_m, beyond which they are held:  w_k rises from 0 at κ_{k−1} to 1 at κ_k
//                and falls to 0 at κ_{k+1}
//   several      soft regions around prototypes c_k:  w_k(b) ∝ exp(−‖t − c_k‖² / 2h²), t the standardised numbers, h
//   0.6
//                times the root of the mean of ‖t − c‖² about the nearest prototype c (measured: sharper is no better,
//                and with 1 laws that change with b are smeared)
//
// Knots are quantiles at equal shares, the smallest and the largest value among them; equal ones are one. Prototypes
// come from halving: the region with the largest sum of squares is cut through its mean, across its principal axis,
// until there are m; then Lloyd's method settles them. A stratum of n_s rows has m = min(regions, n_s / least_rows),
// and at least one; with one number at least two. Strata with fewer than least_rows rows are taken together. A row
// whose pattern of two-valued columns the fit has not seen belongs to the patterns that differ from it in the fewest
// columns, in equal parts.
//
// Whole weights are repeated rows. Throws Error when shapes disagree, a cell is NaN or infinite, a weight is negative
// or not finite, or no row has a positive weight. Columns that are constant in the fit are left out of account.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/columns.h"
#include "plumbline/error.h"

namespace plumbline {

struct PartitionOptions {
  int regions = 0;      // of a stratum, at most; 0: by its rows n_s, from `least` to `most`: n_s^{1/3} / 2 for one
                        // number, among · n_s^{1/2} for several
  int least_rows = 30;  // of a region
  double among = 1.5;
  int least = 4, most = 64;

  void check() const;  // throws Error naming the field
};

class Partition {
 public:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  // Rows that agree in two-valued columns.
  struct Stratum {
    Index first = 0, count = 1;  // its regions
    std::vector<double> knots;   // of one number, as many as regions
    RowMajor prototypes;         // of several, a row each
    double width = 1;            // h

    bool operator==(const Stratum&) const = default;
  };
  struct Range {
    Index first = 0, count = 0;
  };

  Partition() = default;
  static Partition fit(const Columns& b, const PartitionOptions& options = {}, std::span<const double> weights = {});

  Index inputs() const { return inputs_; }
  Index regions() const { return rows_.size(); }
  const Eigen::VectorXd& rows() const { return rows_; }  // Σ_i w_k(b_i) over the rows of the fit

  // Only the regions [first, first + count) may be positive for a row; `out`, of regions() numbers, gets their weights
  // at its beginning. Allocates nothing.
  Range weights(std::span<const double> b, std::span<double> out) const;

  RowMajor matrix(const Columns& b) const;  // n × K

  std::string to_json() const;
  static Partition from_json(std::string_view text);  // throws Error if it is cut, edited or inconsistent

  bool operator==(const Partition&) const;

 private:
  friend class PartitionLearner;
  friend struct PartitionJson;
  struct Binary {
    Index column = 0;
    double low = 0, high = 1;  // a cell nearer to `high` counts as it

    bool operator==(const Binary&) const = default;
  };
  struct Number {
    Index column = 0;
    double mean = 0, sd = 1;

    bool operator==(const Number&) const = default;
  };

  void check() const;
  Range stratum_weights(const Stratum& stratum, std::span<const double> b, double* out) const;

  Index inputs_ = 0;
  std::vector<Binary> binaries_;
  std::vector<Number> numbers_;
  std::vector<std::string> patterns_;  // '0' and '1', one a two-valued column; ascending
  std::vector<Index> stratum_of_;      // of each pattern
  std::vector<Stratum> strata_;
  Eigen::VectorXd rows_;
};

}  // namespace plumbline
