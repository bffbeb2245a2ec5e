#include "csv/csv_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/names.h"
#include "base/printable.h"
#include "base/refusals.h"
#include "base/remedy.h"
#include "base/utf8.h"
#include "csv/csv_cursor.h"
#include "csv/csv_problem.h"
#include "csv/file_format.h"
#include "io/descriptor.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostColumns = 1'000'000;

std::vector<std::string> lacking_in(const std::vector<std::string>& names, const std::vector<std::string>& expected) {
  const std::unordered_set<std::string_view> known(names.begin(), names.end());
  std::vector<std::string> out;
  std::copy_if(expected.begin(), expected.end(), std::back_inserter(out),
               [&](const std::string& name) { return !known.contains(name); });
  return out;
}

bool has_lone_carriage_return(std::string_view text) {
  for (std::size_t i = text.find('\r'); i != std::string_view::npos; i = text.find('\r', i + 1))
    if (i + 1 < text.size() && text[i + 1] != '\n') return true;
  return false;
}

}  // namespace

std::optional<FirstRecord> first_record(const CsvChunk& chunk, const CsvDialect& dialect, const std::string& input,
                                        std::int64_t line) {
  if (line == 1) refuse_other_formats(chunk.text, input);
  CsvCursor cursor(chunk.text, dialect);
  if (!cursor.find_record()) return std::nullopt;
  FirstRecord record;
  const std::int64_t start = cursor.line();
  try {
    do {
      if (record.cells.size() == kMostColumns)
        throw Error(
            fmt::format("{} has more than {} columns; is the delimiter right?", in_quotes(input), kMostColumns));
      const std::string_view value = cursor.cell().value;
      record.cells.push_back(dialect.encoding == TextEncoding::latin1 ? utf8_of_latin1(value) : std::string(value));
    } while (cursor.next_cell());
  } catch (const CsvCursor::Fault fault) {
    if (chunk.is_cut && fault == CsvCursor::Fault::unclosed_quote)
      refuse({CsvProblem::Kind::too_long, start}, input, line);
    const auto rest = chunk.text.substr(static_cast<std::size_t>(cursor.at() - chunk.text.data()));
    refuse(quote_problem(fault, cursor.line(), static_cast<Index>(record.cells.size()), rest, dialect), input, line);
  }
  if (chunk.is_cut) refuse({CsvProblem::Kind::too_long, start}, input, line);
  record.bytes = static_cast<std::size_t>(cursor.at() - chunk.text.data());
  record.lines = cursor.line();
  return record;
}

std::vector<std::string> names_in(const std::vector<std::string>& cells, const std::string& input) {
  std::vector<std::string> names = numbered_names(cells.size());
  for (std::size_t j = 0; j < cells.size(); ++j) {
    if (valid_utf8_prefix(cells[j]) != cells[j].size())
      throw RemediableError(fmt::format("{}: the name of column {}, '{}', is not UTF-8 text", in_quotes(input), j + 1,
                                        printable(cells[j])),
                            Remedy::read_as_latin1, cells[j]);
    if (has_lone_carriage_return(cells[j]))
      throw Error(
          fmt::format("{}: the name of column {}, '{}', holds a carriage return; lines must end with LF or CRLF",
                      in_quotes(input), j + 1, printable(cells[j])));
    if (!trimmed(cells[j]).empty()) names[j] = cells[j];
  }
  check_distinct(in_quotes(input), names);
  return names;
}

std::vector<std::string> numbered_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t j = 1; j <= count; ++j) names.push_back(fmt::format("c{}", j));
  return names;
}

void check_same_names(const std::vector<std::string>& names, const std::string& input,
                      const std::vector<std::string>& expected, const std::string& first_input) {
  if (names == expected) return;
  const std::vector<std::string> lacking = lacking_in(names, expected), extra = lacking_in(expected, names);
  std::string difference;
  if (!lacking.empty()) difference += "; it lacks " + quoted(lacking);
  if (!extra.empty()) difference += "; it has " + quoted(extra) + " in addition";
  if (difference.empty()) {
    const auto j = std::mismatch(names.begin(), names.end(), expected.begin()).first - names.begin();
    difference =
        fmt::format("; their order differs from column {} on, '{}' and not '{}'", j + 1,
                    printable(names[static_cast<std::size_t>(j)]), printable(expected[static_cast<std::size_t>(j)]));
  }
  throw Error(
      fmt::format("the columns of {} are not those of {}{}", in_quotes(input), in_quotes(first_input), difference));
}

}  // namespace plumbline
