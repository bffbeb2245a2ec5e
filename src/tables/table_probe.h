// A probe (plumbline/probe.h) of a fit to a table: on a sample of its rows, with maps fitted without them.
//
// The judged map is learned from as many rows as the fit's, or from nearly as many:
//
//   mean, spread   from the moments of all rows, or those of all rows within regions, less the moments of the rows that
//                  are held out. Regions and expansions, which are functions of b alone, stay those of the fit
//   distribution   a table with more rows than laws are learned from (plumbline/distribution.h) has rows that the fit
//                  has not seen: these are probed, and the map is the fit's. Of a smaller table laws are learned anew,
//                  from the rows of a sample that are not held out: of kRefittedRows, or twice those that are probed if
//                  that is more. A table with more rows than these is shown with a little more to be read back than
//                  its own map leaves, for that was learned from more rows
//
// If the map is learned from less than twice as many rows as the sample has, the sample is cut into two parts, each
// held out in turn; else all of it is held out at once.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "plumbline/encoding.h"
#include "plumbline/fit.h"
#include "plumbline/probe.h"
#include "plumbline/region_moments.h"
#include "tables/row_sample.h"

namespace plumbline {

inline constexpr Index kQuickProbeRows = 5'000, kFullProbeRows = 50'000;
inline constexpr Index kRefittedRows = 32'768;  // of which laws are learned anew, with those held out

// What is kept of a table for a probe of its fit; columns are those of the fit.
struct ProbeSample {
  SampledRows rows;
  std::optional<Moments> moments = std::nullopt;        // of all rows, φ(b) where the fit expands b
  std::optional<RegionMoments> regions = std::nullopt;  // of all rows, where spreads are removed
  std::optional<SampledRows> learned = std::nullopt;    // rows of which laws are learned, those to be probed among them
  bool is_new = false;                                  // the fit has not seen the rows
};

// For a fit of laws: the rows to learn from, of a sample of kDistributionRows and as many more as are to be probed.
struct LawRows {
  SampledRows learned;
  std::optional<ProbeSample> probe;  // none of no rows

  static LawRows of(SampledRows sample, Index probe_rows);
};

// The features of an encoding as those of another, in which levels are merged and columns held.
Eigen::MatrixXd reencoded(const Eigen::MatrixXd& features, const Encoding& from, const Encoding& to);

using Solve = std::function<Fit(const Moments&, const FitOptions&, const std::optional<Expansion>&)>;

struct TableProbeOptions {
  int threads = 0;
  std::vector<Attacker> further = {};
  std::function<void(std::uint64_t done, std::uint64_t all)> progress = {};
  Solve solve = [](const Moments& moments, const FitOptions& options, const std::optional<Expansion>& expansion) {
    return plumbline::fit(moments, options, expansion);
  };
};

// The map of a fit, refitted without some rows of the sample, ascending. Of its certificate nothing is said.
Fit fit_without(const Fit& fit, const ProbeSample& sample, std::span<const Index> rows,
                const TableProbeOptions& options = {});

Probe probe_fit(const Fit& fit, const ProbeSample& sample, const TableProbeOptions& options = {});

// Of rows that the fit has not seen: the map is the fit's.
Probe probe_new_rows(const Fit& fit, const SampledRows& rows, const TableProbeOptions& options = {});

}  // namespace plumbline
