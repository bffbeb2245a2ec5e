#include "command_line/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "csv/cell_values.h"
#include "csv/csv_cursor.h"
#include "csv/csv_dialect.h"
#include "plumbline/error.h"

namespace plumbline::app {

double number_of(std::string_view flag, const std::string& text) {
  const std::optional<double> value = number_in(text);
  if (!value || !std::isfinite(*value)) throw Error(fmt::format("{} is '{}'; it must be a number", flag, text));
  return *value;
}

double number_of(std::string_view flag, const std::string& text, double least, double most) {
  const double value = number_of(flag, text);
  if (value < least) throw Error(fmt::format("{} is {}; it must be at least {}", flag, text, least));
  if (value > most) throw Error(fmt::format("{} is {}; it must be at most {}", flag, text, most));
  return value;
}

Rank rank_of(std::string_view flag, const std::string& text) {
  const double value = number_in(text).value_or(-1);
  const bool is_share = text.find('.') != std::string::npos;
  if (is_share && value > 0 && value <= 1) return Rank::share(value);
  if (!is_share && value >= 1 && value == std::floor(value) && value < 1e9)
    return Rank::count(static_cast<Index>(value));
  throw Error(fmt::format(
      "{} is '{}'; it must be a number of dimensions such as 10, or a share of variance such as 0.95", flag, text));
}

void require_name(std::string_view flag, const std::string& text) {
  if (text.empty()) throw Error(fmt::format("{} is empty; name a file, or - for standard output", flag));
}

char delimiter_of(std::string_view flag, const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() != 1) throw Error(fmt::format("{} is '{}'; it must be one character, or tab", flag, text));
  try {
    CsvDialect dialect;
    dialect.delimiter = text[0];
    dialect.check();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", flag, error.what()));
  }
  return text[0];
}

std::vector<std::string> names_of(std::string_view flag, const std::string& text) {
  if (text.empty()) return {};
  const CsvDialect dialect;
  CsvCursor cursor(text, dialect);
  std::vector<std::string> names;
  try {
    do names.emplace_back(cursor.cell().value);
    while (cursor.next_cell());
  } catch (const CsvCursor::Fault) {
    throw Error(fmt::format("{} is '{}', with a quote out of place; write \"a\",\"b,c\"", flag, text));
  }
  if (cursor.at() != text.data() + text.size() || std::count(names.begin(), names.end(), "") > 0)
    throw Error(
        fmt::format("{} is '{}'; it must be names with commas between them, such as age,sex,income", flag, text));
  return names;
}

}  // namespace plumbline::app
