#include "arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>

#include "data/cell_values.h"
#include "data/csv_dialect.h"
#include "data/names.h"
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

std::int64_t integer_of(std::string_view flag, const std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw Error(fmt::format("{} is '{}'; it must be a whole number from {} to {}", flag, text, least, most));
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

std::optional<ExpansionOptions> expansion_of(std::string_view flag, const std::vector<std::string>& lists) {
  if (lists.empty()) return std::nullopt;
  ExpansionOptions out;
  for (std::string_view list : lists)
    while (!list.empty()) {
      const std::size_t comma = list.find(',');
      const std::string_view term = list.substr(0, comma);
      list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
      const std::size_t equals = term.find('=');
      const std::string name(term.substr(0, equals));
      const auto count = [&](std::int64_t least) {
        if (equals == std::string_view::npos)
          throw Error(fmt::format("{} {} has no number; write {}=5", flag, name, name));
        return static_cast<int>(
            integer_of(fmt::format("{} {}", flag, name), std::string(term.substr(equals + 1)), least, 1000));
      };
      if (name == "powers")
        out.powers = count(1);
      else if (name == "splines")
        out.knots = count(3);
      else if (name == "bins")
        out.bins = count(2);
      else if (name == "interactions" && equals == std::string_view::npos)
        out.interactions = true;
      else
        refuse_choice(flag, std::string(term), {"powers=3", "splines=5", "bins=4", "interactions"});
    }
  return out;
}

void refuse_choice(std::string_view flag, const std::string& text, const std::vector<std::string>& known) {
  throw Error(
      fmt::format("{} is '{}'; it must be one of {}{}", flag, text, fmt::join(known, ", "), did_you_mean(text, known)));
}

}  // namespace plumbline::app
