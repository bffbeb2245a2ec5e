// Whether the numbers of a file are written with a decimal point or a decimal comma.
//
// A column votes for a sign if most of its cells that are not missing are whole numbers or numbers with that sign, at
// least one has it, and none has the other or its digits grouped by commas. The comma wins if more columns vote for it
// than for the point. 1.234 may be a number in groups and is no vote for the point; between commas, in quotes, the same
// holds of 1,234.
#pragma once

#include <string>
#include <vector>

#include "csv/csv_dialect.h"

namespace plumbline {

// Records of as many cells each; the decimal sign of the dialect plays no part.
char find_decimal(const std::vector<std::vector<std::string>>& records, const CsvDialect& dialect);

}  // namespace plumbline
