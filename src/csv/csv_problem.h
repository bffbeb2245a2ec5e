// What can be wrong with a record, and the error that says so to a person.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "csv/csv_cursor.h"
#include "csv/csv_dialect.h"
#include "plumbline/columns.h"

namespace plumbline {

struct CsvProblem {
  enum class Kind {
    not_a_number,
    other_decimal,   // a number with a comma where the dialect has a point, or the other way round
    grouped_number,  // with thousands separators (grouped_number.h); perhaps a number with the other decimal sign too
    not_a_boolean,
    bad_utf8,
    too_few_cells,   // `column` is the first one without a cell
    too_many_cells,  // `cell` is the first one without a column
    stray_quote,
    unclosed_quote,
    too_long,
  };
  Kind kind;
  std::int64_t line = 0;  // on which the cell starts, or of a ragged record its first; from 0 in its chunk
  Index column = 0;       // one past the last for a cell that has none
  std::string cell = {};  // its first characters, printable
  Index cells = 0;        // of a ragged record
};

// Of a cell whose quotes are wrong; `rest` is the text from its start.
CsvProblem quote_problem(CsvCursor::Fault fault, std::int64_t line, Index column, std::string_view rest,
                         const CsvDialect& dialect);

// "'adult.csv', line 17, column 'age'", with lines from 1. A column past the last name is called by its number.
std::string place_of_cell(const std::string& input, std::int64_t line, Index column,
                          const std::vector<std::string>& names = {});

// Throws RemediableError: the place, the cell and what is wrong, and what would accept it; plain Error if nothing
// would. `first_line` is of the chunk.
[[noreturn]] void refuse(const CsvProblem& problem, const std::string& input, std::int64_t first_line,
                         const std::vector<std::string>& names = {});

}  // namespace plumbline
