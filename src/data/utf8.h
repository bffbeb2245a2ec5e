// UTF-8 text: whether it is, and how to show what may not be.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

// The length of the longest prefix that is valid UTF-8 (no overlong forms, surrogates or code points over U+10FFFF).
std::size_t valid_utf8_prefix(std::string_view text);

// For messages: control characters and bytes that are not UTF-8 as \xNN, and at most some 60 characters.
std::string printable(std::string_view text);

std::string utf8_of_latin1(std::string_view text);

}  // namespace plumbline
