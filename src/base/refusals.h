// What is said of columns that will not do, in the same words by the command line and by Python.
//
// `where` is the table as a person calls it, 'people.csv' or X; `how` is what that person writes to be helped, such as
// " with --drop". All throw Error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

inline constexpr std::size_t kMostLevels = 10'000;                    // of a category: each is a column of a matrix
inline constexpr std::size_t kMostLevelText = std::size_t{64} << 20;  // of all levels of a table

// Refuses names that come twice, and lists them.
void check_distinct(std::string_view where, const std::vector<std::string>& names);

// Refuses a table that lacks columns of a model, of which some are sensitive, which `needed` says what for. `others`
// are those that it has and the model has no use for, among which mistyped ones are looked for; `hint` is said last.
void check_present(std::string_view where, const std::vector<std::string>& lacking,
                   const std::vector<std::string>& lacking_sensitive, const std::vector<std::string>& others,
                   std::string_view needed, std::string_view hint = "");

[[noreturn]] void refuse_levels(std::string_view column, std::string_view how = "");      // over kMostLevels of them
[[noreturn]] void refuse_level_text(std::string_view column, std::string_view how = "");  // over kMostLevelText
[[noreturn]] void refuse_empty(std::string_view column, std::string_view how = "");       // every cell is missing

}  // namespace plumbline
