// Columns of which nothing can be learned: ids, which tell rows apart, and dates, which are neither numbers nor
// categories. Both front ends ask here, by what columns look like (tables/column_look.h):
//
//   ids of a CSV file    texts, or whole numbers, that are all different in its head and in its first 100,000 rows;
//                        whole numbers beyond 2^53, from where on doubles skip whole numbers
//   ids of a frame       texts that are all different in its first 100,000 rows; columns of integers with one beyond
//                        2^53. Other integers are numbers, for a frame knows its types, and so are declared categories
//   dates                of which half of the head is made, or what a frame calls dates
//
// Fewer than kFewestDistinct cells that are all different are no surprise, and no ids.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tables/chunk_source.h"
#include "tables/column_look.h"
#include "tables/memory_source.h"
#include "tables/row_batches.h"
#include "tables/schema.h"

namespace plumbline {

// Those of the columns that are ids by their looks and, where it takes more than a look, by the rows of the table, of
// which no more are read than it takes to know.
std::vector<Index> ids_among(ChunkSource& source, const std::vector<Index>& columns,
                             const std::vector<ColumnLook>& looks, const ReadOptions& options);

// Throws RemediableError, naming them and the first cell that shows it, if any of the columns looks like dates. `cell`
// gives the text of a cell in the head.
using CellText = std::function<std::string(Index column, std::size_t row)>;
void refuse_dates(const ChunkSource& source, const std::vector<Index>& columns, const std::vector<ColumnLook>& looks,
                  const CellText& cell);
[[noreturn]] void refuse_dates(const std::string& called, const std::vector<std::string>& columns,
                               const std::string& cell);

// Of a table in memory: throws RemediableError if a feature is an id, or if any column holds dates, or numbers as text
// that are written with decimal commas or thousands separators.
void require_learnable(MemorySource& source, const Schema& schema, const ReadOptions& options);

}  // namespace plumbline
