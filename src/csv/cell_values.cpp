#include "csv/cell_values.h"

#include <algorithm>
#include <charconv>

#include "csv/number_chars.h"

namespace plumbline {

std::optional<double> number_in(std::string_view text, char decimal) {
  text = trimmed(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto found = decimal == ',' ? number_chars_with_comma(text.data(), end, value)  //
                                    : number_chars(text.data(), end, value);
  if (found.ec == std::errc::invalid_argument || found.ptr != end) return std::nullopt;
  return value;
}

std::optional<bool> boolean_in(std::string_view text) {
  text = trimmed(text);
  const auto is = [&](std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                      [](char c, char w) { return c == w || (c >= 'A' && c <= 'Z' && c - 'A' + 'a' == w); });
  };
  if (is("true") || is("yes") || is("t") || is("y")) return true;
  if (is("false") || is("no") || is("f") || is("n")) return false;
  return std::nullopt;
}

void append_number(std::string& text, double value, char decimal) {
  constexpr std::size_t kLongest = 32;
  const std::size_t size = text.size();
  text.resize(size + kLongest);
  const auto end = std::to_chars(text.data() + size, text.data() + text.size(), value).ptr;
  text.resize(static_cast<std::size_t>(end - text.data()));
  if (decimal != '.') std::replace(text.begin() + static_cast<std::ptrdiff_t>(size), text.end(), '.', decimal);
}

void append_number_cell(std::string& text, double value, const CsvDialect& dialect) {
  const bool in_quotes = dialect.decimal == dialect.delimiter;
  if (in_quotes) text += '"';
  append_number(text, value, dialect.decimal);
  if (in_quotes) text += '"';
}

}  // namespace plumbline
