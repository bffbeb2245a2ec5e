#include "csv/csv_dialect.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "plumbline/error.h"

namespace plumbline {

std::vector<std::string> CsvDialect::default_missing() {
  return {"", "?", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None", "none"};
}

void CsvDialect::check() const {
  constexpr std::string_view refused = "\"\r\n.+-";
  const auto is_alphanumeric = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  if (delimiter <= 0 || is_alphanumeric(delimiter) || refused.find(delimiter) != std::string_view::npos)
    throw Error(
        fmt::format("the delimiter is '{}'; it must be an ASCII character that is no letter, digit, quote, line end, "
                    "'.', '+' or '-'",
                    printable({&delimiter, 1})));
  if (decimal != '.' && decimal != ',')
    throw Error(fmt::format("the decimal sign is '{}'; it must be '.' or ','", printable({&decimal, 1})));
  if (decimal == delimiter && !quotes && !find_delimiter)
    throw Error(
        "the delimiter and the decimal sign are both ',', so that numbers must stand in quotes, and quotes are text");
}

bool CsvDialect::is_missing(std::string_view value) const {
  return std::find(missing.begin(), missing.end(), trimmed(value)) != missing.end();
}

}  // namespace plumbline
