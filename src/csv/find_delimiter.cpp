#include "csv/find_delimiter.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "csv/cell_values.h"
#include "csv/csv_cursor.h"

namespace plumbline {
namespace {

constexpr std::string_view kDelimiters = ",;\t|", kBesideDecimalCommas = ";\t|", kAmongQuotes = ";\t|,";
constexpr std::size_t kRecords = 100;

std::string_view candidates(std::string_view text, const CsvDialect& dialect) {
  if (dialect.decimal != ',' || dialect.find_decimal) return kDelimiters;
  return dialect.quotes && text.find('"') != std::string_view::npos ? kAmongQuotes : kBesideDecimalCommas;
}

bool is_number(std::string_view cell) {
  std::string text(cell);
  std::replace(text.begin(), text.end(), ',', '.');
  return number_in(text).has_value();
}

// The first records of a text as a delimiter cuts them.
struct Cut {
  std::size_t records = 0, alike = 0;  // those of as many cells as the first
  std::size_t width = 0;               // of the first
  std::size_t cells = 0, numbers = 0;

  bool is_table() const { return width >= 2 && 10 * alike >= 9 * records; }
  bool has_more_numbers_than(const Cut& other) const { return numbers * other.cells > other.numbers * cells; }
};

Cut cut_by(char delimiter, std::string_view text, CsvDialect dialect) {
  dialect.delimiter = delimiter;
  CsvCursor cursor(text, dialect);
  Cut out;
  try {
    while (out.records < kRecords && cursor.find_record()) {
      ++out.records;
      std::size_t width = 0;
      do {
        ++width;
        if (is_number(cursor.cell().value)) ++out.numbers;
      } while (cursor.next_cell());
      if (out.records == 1) out.width = width;
      if (width == out.width) ++out.alike;
      out.cells += width;
    }
  } catch (const CsvCursor::Fault) {  // NOLINT(bugprone-empty-catch): the record is not like the first
  }
  return out;
}

}  // namespace

std::optional<char> find_delimiter(std::string_view text, const CsvDialect& dialect) {
  const std::string_view delimiters = candidates(text, dialect);
  char best = delimiters.front();
  Cut most = cut_by(best, text, dialect);
  if (most.records == 0) return std::nullopt;
  for (const char delimiter : delimiters.substr(1)) {
    const Cut cut = cut_by(delimiter, text, dialect);
    if (!cut.is_table() || (most.is_table() && !cut.has_more_numbers_than(most))) continue;
    most = cut;
    best = delimiter;
  }
  return best;
}

}  // namespace plumbline
