// What the text of a cell stands for, once quotes are gone and blanks around it, and the text of a number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "csv/csv_dialect.h"

namespace plumbline {

// The double that is nearest to the number; nothing if the text is none. Accepts a leading plus, inf and nan; what is
// beyond the range of a double becomes infinite. The decimal sign is a point or a comma, and the other one is no part
// of a number.
std::optional<double> number_in(std::string_view text, char decimal = '.');

// true, false, yes, no, t, f, y, n in any case of letters.
std::optional<bool> boolean_in(std::string_view text);

// The shortest text that reads back as the same double.
void append_number(std::string& text, double value, char decimal = '.');

// The same as a cell: with the decimal sign of the dialect, and in quotes if that separates cells.
void append_number_cell(std::string& text, double value, const CsvDialect& dialect);

}  // namespace plumbline
