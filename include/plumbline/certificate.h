// What a model did to data, in numbers that anyone can check.
//
// In working units (columns scaled as in the fit), with ã = T(a, b) and covariances taken over the given data:
//
//   correlation   max_{j,l} |corr(a_j, b_l)|, before and after
//   explained     max_j R²(a_j | all of B), before and after
//   canonical     the canonical correlations of A and B, before and after
//   change        ‖A − Ã‖ / ‖A‖, with the least of any map of the same rank and strength that leaves no correlation,
//                 and the difference, which is what the method gave away; A is taken about the means of the fit. On
//                 data other than the fit's, where a map leaves some correlation and may change less, that is none
//   variance      Σ_{i≤k} λ_i / Σ_i λ_i for k = 1 … q, λ the eigenvalues of Σ_A|B
//   by feature    |corr(a_j, b_l)| of each pair and R² of each feature, before and after, and ‖a_j − ã_j‖ / ‖a_j‖
//   probe         what models can read back of the sensitive columns (plumbline/probe.h), where that was asked
//   deviation     of rows that the fit has not seen: max_{j,l} |corr(ã_j, b_l)| in standard errors, which do not
//                 suppose that the spread of ã_j is the same for all b,
//                     se² = Σ w² ã_j² b_l² / (W σ_j σ_l)² · (1 + n / n_fit),
//                 and at least 1/√n · √(1 + n / n_fit), over the features that vary in these rows. `chance` is what all
//                 pairs stay below with probability .99 or more if sampling alone is left (Bonferroni)
//   population    of a fit of strength 1 by mean: what no correlation on new rows exceeds with probability .95
//                 (plumbline/population.h)
//   independence  of rows that the fit has not seen: Bartlett's test that what is left is chance (the same header), of
//                 features that are no sums of others in these rows
//   atoms         of a fit to a table in aware mode, of mean or spread: each feature of which one value has more than
//                 20 % of the rows, counted without weights. Its rows become numbers that depend on b, from which a
//                 tree reads b back
//   price         what fairness costs a prediction of the target at least (plumbline/price.h)
//
// Where the fit knew the noise in b, all of it is of the true b: Σ_BB less that of the noise, and of a result that
// depends on b as observed cov(ã, b) less T_B Σ_N. The least change is then not known.
//
// What follows from moments is what the map does in exact arithmetic. Rows that it was applied to are rounded, and may
// be correlated by what fit.h says, some ε κ(B) / √n with ε = 2e-16, although no moment shows it; a certificate that is
// measured on rows does. So it is with features that are not standardised below full rank, whose units differ by more
// than 1e8: rounding of the largest is then all that the smallest have. A column of Ã whose spread is within rounding
// of its mean counts as constant, and a constant as uncorrelated; a feature adds to the canonical correlations if it is
// more than 1e-13 of its variance away from those before it. Numbers that need the products of the features with each
// other (canonical, left rank, variance, independence, and minimum below full rank) are absent for cross-only moments;
// the population bound then counts every feature of which something is left.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/affine_model.h"
#include "plumbline/error.h"
#include "plumbline/moments.h"
#include "plumbline/population.h"
#include "plumbline/price.h"
#include "plumbline/probe.h"
#include "plumbline/remove.h"

namespace plumbline {

// The largest of a kind, and whose it is.
struct Strongest {
  double value = 0;
  std::string feature, sensitive;  // sensitive is empty where all of B are meant

  bool operator==(const Strongest&) const = default;
};

struct BeforeAfter {
  Strongest correlation, explained;
  std::optional<Eigen::VectorXd> canonical;
};

// A row for each feature, in the order of the map.
struct FeatureTable {
  std::vector<std::string> features, sensitive;
  Eigen::VectorXd change, explained_before, explained_after;
  Eigen::MatrixXd correlation_before, correlation_after;  // features × sensitive columns; empty beyond kMostPairs

  static constexpr Index kMostPairs = 100'000;

  bool operator==(const FeatureTable&) const;
};

// A value of a feature that more than kShare of the rows have, as text, or a level.
struct Atom {
  static constexpr double kShare = 0.2;

  std::string feature, value;
  double share = 0;

  bool operator==(const Atom&) const = default;
};

struct Certificate {
  std::int64_t rows = 0;
  double weight = 0;
  Index features = 0, sensitive = 0;
  BeforeAfter before, after;

  Remove removed = Remove::mean;
  Index rank = 0;  // dimensions kept, q at full rank
  double alpha = 1;
  double change = 0;
  std::optional<double> minimum_change, loss;
  std::optional<Eigen::VectorXd> variance_by_rank;

  Index sensitive_rank = 0;
  double sensitive_condition = 1;
  std::vector<std::string> constant_features, constant_sensitive, fully_explained;
  std::vector<std::string> notes;  // what the fit did beyond what it was asked, a sentence each

  Index varying = 0;                       // features of which something is left
  std::optional<FeatureTable> by_feature;  // absent in files of older versions
  std::optional<Strongest> deviation;      // of a measurement on other rows than the fit's
  double chance = 0;
  std::optional<Index> left_rank;                // of what is left of A
  std::optional<PopulationBound> population;     // of a fit
  std::optional<IndependenceTest> independence;  // of a measurement on other rows than the fit's
  std::optional<Price> price;                    // where a target is known and the moments are full
  std::vector<Atom> atoms;                       // of a fit to a table in aware mode
  std::optional<Probe> probe;                    // none where none was made

  // Whether no correlation above `tolerance` is left, and something of the features. Only a fit of strength α = 1 that
  // removes mean or spread is meant to reach this: a law is estimated, and what that leaves is seen on new rows.
  bool holds(double tolerance = 1e-8) const { return varying > 0 && after.correlation.value <= tolerance; }

  // Whether what is left on rows that the fit has not seen is no more than sampling leaves.
  bool within_chance() const { return varying > 0 && deviation && deviation->value <= chance; }

  // "before: income explains up to 63% of a feature; after: 0% along a line", r² of the strongest pair, and what a
  // linear and a flexible model can still read back of which column, and what would help; or that none of it was
  // measured.
  std::string in_words() const;
  std::string to_text() const;
  std::string to_json() const;
  static Certificate from_json(std::string_view text);
};

// What a certificate does and does not promise; part of both of its forms.
std::string_view certificate_caveat(Remove removed);

// On the data that the moments describe, those of the fit or later ones. The moments are of the model's columns
// (φ(b) where it expands B), and full if the model has a rank or is blind; Error otherwise.
Certificate certify(const AffineModel& model, const Moments& moments);

// Measured on Ã itself: the rows are transformed, and the result is correlated with B again. Rows come in blocks, each
// read once; blocks of whole leaves of the moments give the bits of one block. An update that throws, for what
// Moments::update and AffineModel::apply throw for, leaves the measurement as it was; rows of weight 0 count for
// nothing.
struct Covariance;

class Measurement {
 public:
  // The model must outlive it, and so must what the map refers to. With a map the model gives names and units alone.
  explicit Measurement(const AffineModel& model, Moments::Kind kind = Moments::Kind::full, RowsMap map = {});

  // Whether the results of the rows to come are returned as 32-bit floats: what that rounding leaves is measured too.
  void set_narrow(bool is_narrow) { is_narrow_ = is_narrow; }

  // The rows are those of the fit, and no deviation is asked for.
  void set_of_fit() { is_of_fit_ = true; }

  void update(const Columns& a, const Columns& b, const UpdateOptions& options = {});

  // With a deviation where the rows of the fit are given. Throws Error if there were no rows of positive weight.
  Certificate certificate(std::optional<std::int64_t> rows_of_fit = std::nullopt) const;

 private:
  void measure_deviation(const Covariance& before, const Covariance& after, double rows_of_fit, Certificate& out) const;

  const AffineModel& model_;
  AffineModel of_terms_;  // the model as a map of φ(b)
  RowsMap map_;           // in its place, if there is one
  Moments before_, after_;
  double weight_squares_ = 0;            // Σ w²
  Eigen::VectorXd changed_;              // Σ w ((a_j − ã_j) / σ_j)², one a feature
  Eigen::VectorXd origin_a_, origin_b_;  // near the means of the rows: those of the first block
  Eigen::MatrixXd products_;             // Σ w² (ã_j − origin)² (b_l − origin)², in working units
  bool is_narrow_ = false, was_narrow_ = false, is_of_fit_ = false;
};

// The same of one table.
Certificate certify(const AffineModel& model, const Columns& a, const Columns& b,
                    Moments::Kind kind = Moments::Kind::full, const UpdateOptions& options = {});

}  // namespace plumbline
