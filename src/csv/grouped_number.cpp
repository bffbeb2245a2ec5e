#include "csv/grouped_number.h"

#include <algorithm>
#include <array>

namespace plumbline {
namespace {

constexpr std::array<std::string_view, 6> kMarks = {",", ".", "'", " ", "\u00A0", "\u202F"};
constexpr std::size_t kGroup = 3;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t leading_digits(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return text;
}

// Nothing, or a decimal sign that is not the mark, and digits.
bool is_fraction(std::string_view text, std::string_view mark) {
  if (text.empty()) return true;
  const std::string_view sign = text.substr(0, 1), digits = text.substr(1);
  return (sign == "." || sign == ",") && sign != mark && !digits.empty() && leading_digits(digits) == digits.size();
}

bool is_grouped_by(std::string_view text, std::string_view mark) {
  const std::size_t first = leading_digits(text);
  if (first == 0 || first > kGroup || text.front() == '0') return false;
  text.remove_prefix(first);
  if (!text.starts_with(mark)) return false;
  while (text.starts_with(mark)) {
    text.remove_prefix(mark.size());
    if (leading_digits(text) != kGroup) return false;
    text.remove_prefix(kGroup);
  }
  return is_fraction(text, mark);
}

}  // namespace

std::string_view group_mark(std::string_view text) {
  text = without_sign(text);
  for (const std::string_view mark : kMarks)
    if (is_grouped_by(text, mark)) return text.substr(leading_digits(text), mark.size());
  return {};
}

bool is_below_a_group(std::string_view text, std::string_view mark) {
  text = without_sign(text);
  const std::size_t digits = leading_digits(text);
  return digits > 0 && digits <= kGroup && is_fraction(text.substr(digits), mark);
}

}  // namespace plumbline
