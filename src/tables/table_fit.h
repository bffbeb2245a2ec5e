// A fit to a table: encoding, expansion, moments, map and certificate, in as few passes as these need.
//
//   1  levels of categories and means of missing cells   if there are categories, or cells to be filled
//   2  knots, bins and levels of φ                       if B is expanded
//   3  regions of b, from a sample of rows               if spreads are removed
//   4  moments, or the rows themselves                   these for SOB with more features than rows
//   5  moments once more                                 if terms were chosen of over 64 sensitive columns and terms
//   6  a sample of rows                                  if laws are made equal
//   7  the certificate                                   if more than means are removed: no moments say what it
//   measures
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "plumbline/expansion.h"
#include "plumbline/fit.h"
#include "tables/chunk_source.h"
#include "tables/learn_encoding.h"
#include "tables/part_sample.h"
#include "tables/schema.h"
#include "tables/table_moments.h"
#include "tables/table_probe.h"

namespace plumbline {

struct TableFitOptions {
  FitOptions fit = {};  // of sob without a rank: as many components as features
  std::optional<ExpansionOptions> expand = std::nullopt;
  Missing missing = Missing::error;
  std::optional<std::int64_t> least_rows = std::nullopt;  // below it a value is rare; none: as rare_values.h says
  Index most_level_columns = kMostLevelColumns;
  ReadOptions read = {};
  Index probe_rows = 0;                                   // how many rows are kept for a probe; 0: none
  std::function<void(std::string_view step)> begin = {};  // called before each pass
  Solve solve = [](const Moments& moments, const FitOptions& options, const std::optional<Expansion>& expansion) {
    return plumbline::fit(moments, options, expansion);
  };
};

struct TableFit {
  Fit fit;
  std::int64_t rows = 0, dropped = 0, filled = 0;
  std::optional<ProbeSample> sample = {};    // for a probe, where that was asked
  std::optional<TableMoments> moments = {};  // which further rows can be added to, unless rows were looked at twice
};

TableFit fit_table(ChunkSource& source, const Schema& schema, const TableFitOptions& options);

// The same from moments of tables that were read before; with the sample of their rows, if one was kept.
TableFit fit_table_moments(const TableMoments& moments, const TableFitOptions& options, PartSample* sample = nullptr);

}  // namespace plumbline
