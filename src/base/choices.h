// Words and numbers that a person has written, as values; each throws Error naming the flag or the parameter, the text
// and what it must be.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {

std::int64_t integer_of(std::string_view flag, const std::string& text, std::int64_t least, std::int64_t most);

[[noreturn]] void refuse_choice(std::string_view flag, const std::string& text, const std::vector<std::string>& known);

template <class E>
E choice_of(std::string_view flag, const std::string& text, std::initializer_list<std::pair<const char*, E>> choices) {
  std::vector<std::string> known;
  for (const auto& [name, value] : choices) {
    if (text == name) return value;
    known.emplace_back(name);
  }
  refuse_choice(flag, text, known);
}

}  // namespace plumbline
