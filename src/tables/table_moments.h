// The moments of tables: of one that is read here, and of parts that were read elsewhere.
//
// A part knows its encoding, so that parts can be merged although each has seen levels of its own: the indicator of a
// level that a part has not seen is 0 in all of its rows, which adds a column of zeros to its moments, exactly. It also
// counts how many rows have each value, which says at last what is rare in all parts together (tables/rare_values.h).
//
// The file form, little-endian: "PLUMBTAB"  u32 version  u64 length  encoding, counts and target (JSON, sealed)
// moments (plumbline/moments.h), then those of the target with A and with B where there are some; the JSON has their
// lengths. Version 1 had no counts, version 2 no target and no frequent values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plumbline/encoding.h"
#include "plumbline/expansion.h"
#include "plumbline/fit.h"
#include "plumbline/moments.h"
#include "plumbline/region_moments.h"
#include "tables/chunk_source.h"
#include "tables/frequent_values.h"
#include "tables/learn_encoding.h"
#include "tables/rare_values.h"
#include "tables/row_batches.h"
#include "tables/schema.h"
#include "tables/table_target.h"

namespace plumbline {

struct TableMoments {
  Encoding encoding = {};  // of no columns for moments that come without
  Moments moments = {};
  ValueCounts counts = {};                 // of nothing where they were not counted
  FrequentValues frequent = {};            // the same
  std::optional<TableTarget> target = {};  // where one was read
  std::int64_t dropped = 0, filled = 0;    // rows left out and cells filled in, by the rule for missing cells
  std::string worst = {};                  // the column that lacks most cells of rows left out here; not in the file

  // Throws Error, listing the differences, if columns, kinds or roles differ; kept columns are those of the first.
  void merge(const TableMoments& other);

  // With levels merged and features held that fewer than `least` rows have; none: least_rows of what there is. Not of
  // rows in which missing categories were filled in: no row may have two levels.
  TableMoments without_rare_values(std::optional<std::int64_t> least) const;

  std::string to_bytes() const;
  static TableMoments from_bytes(std::string_view bytes);  // reads plain moments too

 private:
  void merge_target(const TableMoments& other, const Encoding& both);
};

class RowSample;

struct CollectOptions {
  Moments::Kind kind = Moments::Kind::full;
  Index most_level_columns = kMostLevelColumns;
  const FitOptions* fit = nullptr;  // if given, its moments_for decides while rows are read
  ReadOptions read = {};
  RegionMoments* regions = nullptr;      // if given, these are collected, and the moments are theirs of all rows
  std::vector<RowSample*> samples = {};  // are shown the rows as they are encoded, before expansion
};

// Of all rows of a table. `expansion` is what makes φ(b) of b, if anything does.
TableMoments collect_moments(ChunkSource& source, const Placement& placement, const Encoding& encoding,
                             const std::optional<Expansion>& expansion, const CollectOptions& options);

// A part that can be merged with others: with all levels that it has. Of nothing if no row is left.
TableMoments collect_part(ChunkSource& source, const Schema& schema, Missing missing, const CollectOptions& options);

struct LearnedExpansion {
  Expansion expansion;
  double row = 1;  // what one row weighs (debias/choose_terms.h)
};

// Learns φ from the sensitive cells of a sample of 131,072 rows (tables/row_sample.h).
LearnedExpansion learn_expansion(ChunkSource& source, const Placement& placement, const Encoding& encoding,
                                 const ExpansionOptions& expand, const ReadOptions& options);

}  // namespace plumbline
