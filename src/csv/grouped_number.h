// Numbers whose digits are grouped in threes, as people write them and programs do not read them.
//
//   [+-] d{1,3} (mark ddd)+ [decimal d+]     1,234   1 234 567   1'234.5   1.234,56   -12,345.0
//
// The mark is a comma, a point, an apostrophe, a blank, or one of the blanks of Unicode that do not break a line; the
// decimal sign is a point or a comma, and not the mark. The first digit is no 0, so 0,123 is not grouped.
#pragma once

#include <string_view>

namespace plumbline {

// The mark, a part of the text; empty if it is no grouped number.
std::string_view group_mark(std::string_view text);

// A number of at most three digits before the decimal sign, which is not `mark`: as it stands among those that it
// groups.
bool is_below_a_group(std::string_view text, std::string_view mark);

}  // namespace plumbline
