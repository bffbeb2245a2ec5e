#include "base/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "base/names.h"
#include "plumbline/error.h"

namespace plumbline {

std::int64_t integer_of(std::string_view flag, const std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw Error(fmt::format("{} is '{}'; it must be a whole number from {} to {}", flag, text, least, most));
  return value;
}

void refuse_choice(std::string_view flag, const std::string& text, const std::vector<std::string>& known) {
  throw Error(
      fmt::format("{} is '{}'; it must be one of {}{}", flag, text, fmt::join(known, ", "), did_you_mean(text, known)));
}

}  // namespace plumbline
