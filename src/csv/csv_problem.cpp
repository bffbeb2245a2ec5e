#include "csv/csv_problem.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "csv/csv_cutter.h"
#include "io/descriptor.h"

namespace plumbline {
namespace {

constexpr const char* kRaggedFlags = "--ragged drop leaves such records out, --ragged fill pads or cuts them";

}  // namespace

CsvProblem quote_problem(CsvCursor::Fault fault, std::int64_t line, Index column, std::string_view rest,
                         const CsvDialect& dialect) {
  const auto kind = fault == CsvCursor::Fault::stray_quote ? CsvProblem::Kind::stray_quote  //
                                                           : CsvProblem::Kind::unclosed_quote;
  rest = trimmed(rest.substr(0, rest.find_first_of("\r\n")));
  if (!rest.starts_with('"')) rest = rest.substr(0, rest.find(dialect.delimiter));
  return {kind, line, column, printable(rest)};
}

std::string place_of_cell(const std::string& input, std::int64_t line, Index column,
                          const std::vector<std::string>& names) {
  const auto j = static_cast<std::size_t>(column);
  return fmt::format("{}, line {}, column {}", in_quotes(input), line,
                     j < names.size() ? fmt::format("'{}'", printable(names[j])) : std::to_string(j + 1));
}

std::string describe(const CsvProblem& problem, const std::string& input, std::int64_t first_line,
                     const std::vector<std::string>& names) {
  const std::string place = place_of_cell(input, first_line + problem.line, problem.column, names);
  const std::string& cell = problem.cell;
  switch (problem.kind) {
    case CsvProblem::Kind::not_a_number:
      return fmt::format(
          "{}: '{}' is not a number; --missing-marker '{}' takes the cell for missing, and a fit with --categorical "
          "'{}' "
          "reads the column as categories",
          place, cell, cell, printable(names[static_cast<std::size_t>(problem.column)]));
    case CsvProblem::Kind::not_a_boolean:
      return fmt::format(
          "{}: '{}' is neither true nor false; --missing-marker '{}' takes the cell for missing, and a fit with "
          "--categorical '{}' reads the column as categories",
          place, cell, cell, printable(names[static_cast<std::size_t>(problem.column)]));
    case CsvProblem::Kind::bad_utf8:
      return fmt::format("{}: '{}' is not UTF-8 text; --encoding latin1 reads it as Latin-1", place, cell);
    case CsvProblem::Kind::too_few_cells:
      return fmt::format("{}: the cell is lacking, for the record has {} of {} cells; {}", place, problem.cells,
                         names.size(), kRaggedFlags);
    case CsvProblem::Kind::too_many_cells:
      return fmt::format("{}: the cell '{}' has no column, for the record has {} cells and the table {} columns; {}",
                         place, cell, problem.cells, names.size(), kRaggedFlags);
    case CsvProblem::Kind::stray_quote:
      return fmt::format(
          "{}: '{}' has a quote out of place; double the quotes within a quoted cell, or read quotes as text with "
          "--no-quotes",
          place, cell);
    case CsvProblem::Kind::unclosed_quote:
      return fmt::format("{}: '{}' starts with a quote that is not closed; --no-quotes reads quotes as text", place,
                         cell);
    case CsvProblem::Kind::too_long:
      break;
  }
  return fmt::format(
      "{}, line {}: the record is longer than {} MB; is a quote not closed, or do lines not end with LF or CRLF?",
      in_quotes(input), first_line + problem.line, CsvCutter::kLongestRecord >> 20);
}

}  // namespace plumbline
