// The moments of tables: of one read from CSV, and of parts that were read elsewhere.
//
// A part knows its encoding, so that parts can be merged although each has seen levels of its own: the indicator of a
// level that a part has not seen is 0 in all of its rows, which adds a column of zeros to its moments, exactly.
//
// The file form, version 1, little-endian: "PLUMBTAB"  u32 version  u64 length  encoding (JSON, sealed)
// moments (plumbline/moments.h), to the end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "csv/csv_table.h"
#include "plumbline/encoding.h"
#include "plumbline/expansion.h"
#include "plumbline/moments.h"
#include "tables/learn_encoding.h"

namespace plumbline {

struct TableMoments {
  Encoding encoding;  // of no columns for moments that come without
  Moments moments;
  std::int64_t dropped = 0, filled = 0;  // rows left out and cells filled in, by the rule for missing cells

  // Throws Error, listing the differences, if columns, kinds or parts differ.
  void merge(const TableMoments& other);

  std::string to_bytes() const;
  static TableMoments from_bytes(std::string_view bytes);  // reads plain moments too
};

// With so many columns, features and sensitive, their products cost less than reading them: a certificate can have all.
inline constexpr Index kFewColumns = 400;

// Of all rows of a table. `expansion` is what makes φ(b) of b, if anything does.
TableMoments collect_moments(CsvTable& table, const Encoding& encoding, Moments::Kind kind,
                             const std::optional<Expansion>& expansion, const ReadOptions& options);

// Learns φ from the sensitive cells of up to 131,072 rows, evenly spread; of every row if there are no more.
Expansion learn_expansion(CsvTable& table, const Encoding& encoding, const ExpansionOptions& expand,
                          const ReadOptions& options);

}  // namespace plumbline
