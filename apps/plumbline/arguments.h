// What is written after a flag, as values; each throws Error naming the flag, the text and what it must be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumbline/expansion.h"
#include "plumbline/rank.h"

namespace plumbline::app {

double number_of(std::string_view flag, const std::string& text);
double number_of(std::string_view flag, const std::string& text, double least, double most);
std::int64_t integer_of(std::string_view flag, const std::string& text, std::int64_t least, std::int64_t most);
Rank rank_of(std::string_view flag, const std::string& text);       // a number of dimensions, or a share: 0.95
void require_name(std::string_view flag, const std::string& text);  // of a file: not empty
char delimiter_of(std::string_view flag, const std::string& text);  // a character, or tab

// powers=3, splines=5, bins=4, interactions; in one list or several.
std::optional<ExpansionOptions> expansion_of(std::string_view flag, const std::vector<std::string>& lists);

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

}  // namespace plumbline::app
