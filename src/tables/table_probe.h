// A probe (plumbline/probe.h) of a fit to a table: on a sample of its rows, with maps fitted without them.
//
// The moments of all rows less those of the rows that are held out give a map like the one of the fit. If the table has
// less than twice as many rows as the sample, the sample is cut into two parts, each held out in turn; else all of it
// is held out at once. What is not removed through moments is removed by a fit to the other rows of the sample.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <vector>

#include "plumbline/encoding.h"
#include "plumbline/fit.h"
#include "plumbline/probe.h"
#include "tables/row_sample.h"

namespace plumbline {

inline constexpr Index kQuickProbeRows = 5'000, kFullProbeRows = 50'000;

// What is kept of a table for a probe of its fit; columns are those of the fit.
struct ProbeSample {
  SampledRows rows;
  std::optional<Moments> moments = std::nullopt;  // of all rows, φ(b) where the fit expands b
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

Probe probe_fit(const Fit& fit, const ProbeSample& sample, const TableProbeOptions& options = {});

// Of rows that the fit has not seen: the map is the fit's.
Probe probe_new_rows(const Fit& fit, const SampledRows& rows, const TableProbeOptions& options = {});

}  // namespace plumbline
