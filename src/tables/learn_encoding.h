// From the parts and kinds of columns to an encoding: the levels of the categories, and what missing cells become.
//
// Reads the table once if a category or Missing::mean asks for it, and not at all otherwise. With Missing::drop, levels
// are those of the rows that stay. Means are of the cells that are there, weighted, in an order that does not depend on
// how the file was cut.
#pragma once

#include "csv/csv_table.h"
#include "plumbline/encoding.h"
#include "tables/schema.h"

namespace plumbline {

struct ReadOptions {
  int threads = 0;  // 0: one a core; the result has the same bits for any number
  ScanProgress progress = {};
};

// Throws Error if no row is left; if that is for missing cells, it names the column that lacks most.
void require_rows(const CsvTable& table, const Encoding& encoding, std::int64_t kept, std::int64_t dropped);

// Whether learn_encoding will read the table.
bool needs_a_look(const Schema& schema, Missing missing);

// Throws Error if a category has more than 10,000 levels or all of them more than 64 MB of text, or if a column that is
// to be filled has no cell.
Encoding learn_encoding(CsvTable& table, const Schema& schema, Missing missing, const ReadOptions& options);

}  // namespace plumbline
