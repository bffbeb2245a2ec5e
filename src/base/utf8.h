// UTF-8 text: whether it is, and its code points.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

// The length of the longest prefix that is valid UTF-8 (no overlong forms, surrogates or code points over U+10FFFF).
std::size_t valid_utf8_prefix(std::string_view text);

// At the start of a text that is not empty.
struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;  // in bytes; 0: not UTF-8
};
CodePoint first_code_point(std::string_view text);

std::string utf8_of_latin1(std::string_view text);

}  // namespace plumbline
