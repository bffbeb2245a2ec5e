// From moments to the map that removes B from A, changing A as little as possible.
//
// In working units (standardised unless asked otherwise), r = a − Λᵀb with Λ = Σ_BB⁺ Σ_BA, or in blind mode
// r = a − W⁺PW a with W = Σ_AA^{−1/2} and P the projector onto range(W Σ_AB):
//
//   full rank       ã = r
//   OB, rank k      ã = U Uᵀ r,   U = top-k eigenvectors of cov(r) (optimal) or of Σ_AA (paper)
//   SOB, rank k     ã = U D Wᵀ r, sparse U (plumbline/sob.h)
//   strength α      α ã + (1 − α) a
//
// back in the units and with the means of the data; a is n × q and b is n × p. The optimal basis minimises ‖A − Ã‖_F
// over all maps of rank k whose result is orthogonal to B; the paper's basis, printed as minimal, is so only at full
// rank. Blind mode uses a alone, with the smallest mean-square change that leaves no covariance with B.
//
// Noise in b, in aware mode: where b as observed is the true b and independent noise of known covariance Σ_N,
//
//   Λ = (Σ_BB − Σ_N)⁺ Σ_BA,   Σ_N = diag((1 − ρ_l) Var b_l),   ρ_l the reliability of column l
//
// and cov(a − Λᵀ b, true b) = Σ_AB − Λᵀ (Σ_BB − Σ_N) = 0, for noise in b has no covariance with a. With b as observed r
// stays correlated: what was removed carries the noise. U is of Σ_AA − Σ_AB Λ then, the covariance given the true b,
// and the certificate's numbers are of the true b. Blind mode needs none of it: its result is a function of a alone,
// whose covariance with the true b is that with b as observed, which is 0.
//
// What correlation is left is rounding, some ε κ(B) / √n with ε = 2e-16: with α = 1, up to 64 sensitive columns and
// some 30 rows or more it is no more than 1e-12 for κ(B) ≤ 1e4 and 1e-8 for κ(B) ≤ 1e8, one-hot B included. The
// products of more columns are plain doubles: a direction with less than √(p ε) of the spread of the largest, which
// κ(B) > 1e6 allows, is then taken for none, and up to √(p ε), some 2e-7, is left of it. Of a feature of which B
// explains all but a share s, 1/√s of that is left; in blind mode 1/κ(A) takes the place of √s, for features that are
// nearly copies of each other. Cells are rounded to ε of their size, so a feature whose mean is m standard deviations
// from zero shows ε m / √n however good the map. Of combinations of sensitive columns, which canonical correlations ask
// for, the least varying is known to ε' κ(B)², ε' = 1e-19 where a long double has 64 bits: 1e-3 at κ(B) = 1e8.
//
// A feature that keeps no more of its variance than can be told from nothing is fully explained, and becomes its mean:
// 1e-13 of it, or 16 ε κ(B), or 4 ε' κ(B)², whichever is most, and never more than 1e-4.
//
// SOB in blind mode always forms Σ_AA. Collinear B and constant or duplicate columns are handled and reported in the
// certificate. Error if every sensitive column is constant, if moments are cross-only where full ones are needed, or if
// an option is out of range; if a reliability names no number among the sensitive columns, b expanded or the mode
// blind; or if Σ_BB − Σ_N is not positive definite where Σ_BB is, or explains more than all of a feature: then some
// reliability is too low.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumbline/affine_model.h"
#include "plumbline/certificate.h"
#include "plumbline/distribution.h"
#include "plumbline/encoding.h"
#include "plumbline/error.h"
#include "plumbline/expansion.h"
#include "plumbline/moments.h"
#include "plumbline/rank.h"
#include "plumbline/region_moments.h"
#include "plumbline/remove.h"
#include "plumbline/sob.h"
#include "plumbline/spread.h"

namespace plumbline {

enum class Method { ob, sob };
enum class Basis { optimal, paper };
enum class Mode { aware, blind };

struct FitOptions {
  Method method = Method::ob;
  Basis basis = Basis::optimal;  // of OB below full rank
  Mode mode = Mode::aware;
  Remove remove = Remove::mean;
  Rank rank = Rank::all();
  double alpha = 1;                       // strength, from 0 (A unchanged) to 1 (no linear influence left)
  bool standardize = true;                // features weigh alike; false: by their variance
  SobOptions sob = {};                    // of SOB
  SpreadOptions spread = {};              // where spreads are removed
  DistributionOptions distribution = {};  // where laws are made equal

  // Var(true b) / Var(b as observed) of sensitive columns that are numbers, above 0 to 1; 1 for those not named.
  std::vector<std::pair<std::string, double>> reliability = {};

  void check() const;                                 // throws Error naming the field
  void check_expanded(bool automatic = false) const;  // the same of what terms of b do not go with
  bool has_noise() const;                             // some reliability is below 1
  Moments::Kind moments_needed() const;               // cross unless features are mixed with each other

  // What to collect of a table of that size: full moments also where these cost some ten milliseconds at most, for the
  // certificate says more with them. Every front end collects by this rule.
  Moments::Kind moments_for(Index rows, Index features) const;
};

struct Fit {
  AffineModel model;
  Certificate certificate;
  FitOptions options;
  std::vector<SobStatus> sob_status;                        // of each component of SOB
  std::optional<Encoding> encoding = std::nullopt;          // how the columns of A and B came from a table, if they did
  std::vector<int> sob_iterations = {};                     // of each component of SOB
  std::optional<Spread> spread = std::nullopt;              // what follows the model, of full strength then
  std::optional<Distribution> distribution = std::nullopt;  // the map; the model is then the identity

  // The map, whatever is removed: what AffineModel says of its functions of these names holds.
  Index features() const { return model.features(); }
  Index scores() const { return model.scores(); }
  Index sensitive_inputs() const { return model.sensitive_inputs(); }
  bool needs_sensitive() const { return model.needs_sensitive(); }
  void apply(const Columns& a, const Columns& b, const MutableColumns& out, const ApplyOptions& how = {}) const;
  void apply_scores(const Columns& a, const Columns& b, const MutableColumns& out, const ApplyOptions& how = {}) const;
  void apply_row(std::span<const double> a, std::span<const double> b, std::span<double> out) const;
  void expect_affine() const;  // throws Error unless the model is the map
  void hold(Index feature);    // its mean, whatever stands in it
  RowsMap rows_map() const;    // for a Measurement: none where the model is the map; refers to this fit

  std::string to_json() const;                  // the model file: options, map, certificate, checksum
  static Fit from_json(std::string_view text);  // throws Error if it is cut, edited, newer or inconsistent
};

// The encoding, in which missing cells of later rows become the means of the fit unless it says what they become.
Encoding with_fills(Encoding encoding, const AffineModel& model);

// `expansion` is what made the sensitive columns of the moments out of b, if anything did.
Fit fit(const Moments& moments, const FitOptions& options = {},
        const std::optional<Expansion>& expansion = std::nullopt);

// Removes spreads (plumbline/spread.h) from statistics of parts that were merged. There are no rows, so the certificate
// says what the moments can: no correlation is left; variances after are those of the barycentre, and the change is at
// most what it says. Error if spreads are not what is to be removed, or there are more regions than rows.
Fit fit(const RegionMoments& moments, const FitOptions& options);

// The same from tables: expands b if asked, and collects the moments that the options and a certificate need. SOB with
// more features than rows runs without forming a q × q matrix; its certificate is then measured on the data.
struct TableOptions {
  std::vector<std::string> feature_names = {};            // one a column of a, all different; empty: a0, a1 …
  std::vector<std::string> sensitive_names = {};          // one a column of b, all different; empty: b0, b1 …
  std::optional<ExpansionOptions> expand = std::nullopt;  // the terms of φ(B) that take the place of b; none: b itself
  std::vector<FeatureGroup> groups = {};  // of features where laws are made equal; empty: each is a number
  std::span<const double> weights = {};   // empty: all one; else one a row, finite and not negative; 0: row ignored
  int threads = 0;                        // 0: one a core; the result has the same bits for any number

  void check(Index features, Index sensitive) const;  // throws Error naming the field
};
Fit fit(const Columns& a, const Columns& b, const FitOptions& options = {}, const TableOptions& table = {});

}  // namespace plumbline
