// From the roles and kinds of columns to an encoding: the levels of the categories, how many rows have them, and what
// missing cells become.
//
// Reads the table once if a category or Missing::mean asks for it, and not at all otherwise. With Missing::drop, levels
// are those of the rows that stay. Means are of the cells that are there, weighted, in an order that does not depend on
// how the table was cut.
#pragma once

#include <cstdint>

#include "plumbline/encoding.h"
#include "tables/rare_values.h"
#include "tables/row_batches.h"
#include "tables/schema.h"

namespace plumbline {

struct LearnedEncoding {
  Encoding encoding;                  // of all levels
  std::vector<LevelRows> level_rows;  // one a feature, empty where it is no category
  bool is_read = false;
  std::int64_t rows = 0, dropped = 0;  // of a table that was read
  std::string worst = {};              // the column that lacks most cells of rows that were dropped

  // Throws Error if no row is left.
  void require_rows(const ChunkSource& source) const;
};

// Throws Error, naming the worst column if there is one, if no row is left.
void require_rows(const ChunkSource& source, std::int64_t kept, std::int64_t dropped, const std::string& worst);

// The columns that levels may become: of 2,000, products with each other take some 100 MB.
inline constexpr Index kMostLevelColumns = 2'000;

// Throws Error, naming the columns that make most of them, if categories become more than `most` columns.
void check_level_columns(const ChunkSource& source, const Encoding& encoding, Index most);

// Whether learn_encoding will read the table.
bool needs_a_look(const Schema& schema, Missing missing);

// Categories of a table of which no row is left have no levels. Throws Error if a category has more than 10,000 levels
// or all of them more than 64 MB of text, or if a column of a row that is left has no cell and is a category or to be
// filled.
LearnedEncoding learn_encoding(ChunkSource& source, const Schema& schema, Missing missing, const ReadOptions& options);

}  // namespace plumbline
