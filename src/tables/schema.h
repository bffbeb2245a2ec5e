// Which columns of a table play which part, and of what kind they are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumbline/encoding.h"
#include "tables/chunk_source.h"
#include "tables/csv_source.h"
#include "tables/row_encoder.h"

namespace plumbline {

// Indices of columns of the table.
struct Schema {
  std::vector<Index> features, sensitive;
  std::optional<Index> target, weights;
  std::vector<ColumnKind> kinds;  // one a column of the table

  Placement placement() const { return {features, sensitive, weights}; }
};

// What the source knows of its columns; those that it knows nothing of are numbers.
std::vector<ColumnKind> known_kinds(const ChunkSource& source);

// Read off the first 1,000 records (of the first megabyte): a column whose cells there are numbers is a number, one of
// true, false, yes, no, t, f, y, n a boolean, one of which at most half are numbers a category. Missing cells say
// nothing; a column of nothing else is a number. A later cell that does not fit is an error of the scan that meets it.
// Columns of `categorical` are categories, whatever their cells look like.
inline constexpr std::size_t kHeadRecords = 1000;
std::vector<ColumnKind> guess_kinds(const CsvTable& table, const std::vector<Index>& categorical);

}  // namespace plumbline
