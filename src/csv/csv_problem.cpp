#include "csv/csv_problem.h"

#include <fmt/format.h>

#include <utility>

#include "base/printable.h"
#include "base/remedy.h"
#include "csv/cell_values.h"
#include "csv/csv_cutter.h"
#include "io/descriptor.h"

namespace plumbline {
namespace {

std::pair<Remedy, std::string> wrong_with(const CsvProblem& problem, std::size_t columns) {
  const std::string& cell = problem.cell;
  switch (problem.kind) {
    case CsvProblem::Kind::not_a_number:
      return {Remedy::as_category, fmt::format("'{}' is not a number", cell)};
    case CsvProblem::Kind::grouped_number:
      return {number_in(cell, ',')   ? Remedy::use_decimal_comma
              : number_in(cell, '.') ? Remedy::use_decimal_point
                                     : Remedy::as_category,
              fmt::format("'{}' has thousands separators; write the numbers of the column without them", cell)};
    case CsvProblem::Kind::other_decimal:
      if (cell.find(',') != std::string::npos)
        return {Remedy::use_decimal_comma,
                fmt::format("'{}' has a decimal comma, and numbers are read with decimal points", cell)};
      return {Remedy::use_decimal_point,
              fmt::format("'{}' has a decimal point, and numbers are read with decimal commas", cell)};
    case CsvProblem::Kind::not_a_boolean:
      return {Remedy::as_category, fmt::format("'{}' is neither true nor false", cell)};
    case CsvProblem::Kind::bad_utf8:
      return {Remedy::read_as_latin1, fmt::format("'{}' is not UTF-8 text", cell)};
    case CsvProblem::Kind::too_few_cells:
      return {Remedy::accept_ragged,
              fmt::format("the cell is lacking, for the record has {} of {} cells", problem.cells, columns)};
    case CsvProblem::Kind::too_many_cells:
      return {Remedy::accept_ragged,
              fmt::format("the cell '{}' has no column, for the record has {} cells and the table {} columns", cell,
                          problem.cells, columns)};
    case CsvProblem::Kind::stray_quote:
      return {Remedy::quotes_as_text,
              fmt::format("'{}' has a quote out of place; double the quotes within a quoted cell", cell)};
    case CsvProblem::Kind::unclosed_quote:
      return {Remedy::quotes_as_text, fmt::format("'{}' starts with a quote that is not closed", cell)};
    case CsvProblem::Kind::too_long:
      break;
  }
  return {};
}

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

void refuse(const CsvProblem& problem, const std::string& input, std::int64_t first_line,
            const std::vector<std::string>& names) {
  const std::int64_t line = first_line + problem.line;
  if (problem.kind == CsvProblem::Kind::too_long)
    throw Error(fmt::format(
        "{}, line {}: the record is longer than {} MB; is a quote not closed, or do lines not end with LF or CRLF?",
        in_quotes(input), line, CsvCutter::kLongestRecord >> 20));
  const auto [remedy, wrong] = wrong_with(problem, names.size());
  const auto column = static_cast<std::size_t>(problem.column);
  const bool may_be_missing = problem.kind != CsvProblem::Kind::grouped_number;
  throw RemediableError(fmt::format("{}: {}", place_of_cell(input, line, problem.column, names), wrong), remedy,
                        column < names.size() ? names[column] : "", may_be_missing ? problem.cell : "");
}

}  // namespace plumbline
