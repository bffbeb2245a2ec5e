// The roles of a table's columns, and of what kind they are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumbline/encoding.h"
#include "tables/chunk_source.h"
#include "tables/column_look.h"
#include "tables/csv_source.h"
#include "tables/row_encoder.h"

namespace plumbline {

// Indices of columns of the table.
struct Schema {
  std::vector<Index> features, sensitive;
  std::optional<Index> target, weights;
  std::vector<ColumnKind> kinds;  // one a column of the table
  std::optional<Index> predictions = std::nullopt;
  bool is_priced = false;  // whether the target is read, for a price

  Placement placement() const;
};

// What the source knows of its columns; those that it knows nothing of are numbers.
std::vector<ColumnKind> known_kinds(const ChunkSource& source);

// What the columns of a file look like, by its first 1,000 records (of its first megabyte). A later cell that does not
// fit is an error of the scan that meets it.
inline constexpr std::size_t kHeadRecords = 1000;
std::vector<ColumnLook> look_at(const CsvTable& table);

// Whether a column looks as if it could be read for a price: numbers, or no more than two levels.
bool may_have_price(const CsvTable& table, Index column, const ColumnLook& look);

}  // namespace plumbline
