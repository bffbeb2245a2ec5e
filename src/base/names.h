// Names of columns, commands and flags: chosen by patterns, listed, and guessed at when mistyped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/columns.h"

namespace plumbline {

// Whether a pattern with * (any text), ? (any character) and [abc0-9] matches all of the name.
bool matches_glob(std::string_view pattern, std::string_view name);

// The candidate that takes the fewest typing mistakes to become `name`, ignoring case; empty if none is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

// "; did you mean 'age'?", or nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

std::string listed(const std::vector<std::string>& names);       // "age, sex": the first eight, and how many more
std::string all_listed(const std::vector<std::string>& names);   // the same of all of them
std::string quoted(const std::vector<std::string>& names);       // "'age', 'sex'": the first five, and how many more
std::string counted(std::int64_t count, std::string_view noun);  // "1 row", "2 rows"

// "column 2 is 'age' where 'sex' is expected", or that there are more or fewer; empty if they are the same.
std::string first_difference(const std::vector<std::string>& given, const std::vector<std::string>& expected);

// "target names 'sxe', and there is no such column; did you mean 'sex'?", or which columns there are. If there is one
// whose name holds a delimiter, the error's remedy is that.
[[noreturn]] void refuse_column(std::string_view flag, std::string_view name, const std::vector<std::string>& columns);

// The columns that comma-separated lists of names and patterns choose, each once, in the order of the table. A name is
// tried as it stands before it is read as a list or a pattern. Throws Error, naming `flag`, if one chooses nothing.
std::vector<Index> choose_columns(const std::vector<std::string>& lists, const std::vector<std::string>& columns,
                                  std::string_view flag);

}  // namespace plumbline
