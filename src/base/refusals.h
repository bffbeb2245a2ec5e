// What is said of columns that will not do, in the same words by the command line and by Python.
//
// `where` is the table as a person calls it, 'people.csv' or X. All throw Error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/remedy.h"

namespace plumbline {

inline constexpr std::size_t kMostLevels = 10'000;                    // of a category: each is a column of a matrix
inline constexpr std::size_t kMostLevelText = std::size_t{64} << 20;  // of all levels of a table

// Refuses names that come twice, and lists them.
void check_distinct(std::string_view where, const std::vector<std::string>& names);

// Refuses a table that lacks columns of a model, of which some are sensitive, which `needed` says what for. `others`
// are those that it has and the model has no use for, among which mistyped ones are looked for.
void check_present(std::string_view where, const std::vector<std::string>& lacking,
                   const std::vector<std::string>& lacking_sensitive, const std::vector<std::string>& others,
                   std::string_view needed, std::optional<Remedy> remedy = std::nullopt);

[[noreturn]] void refuse_levels(const std::string& column);      // over kMostLevels of them
[[noreturn]] void refuse_level_text(const std::string& column);  // over kMostLevelText
[[noreturn]] void refuse_empty(const std::string& column);       // every cell is missing

}  // namespace plumbline
