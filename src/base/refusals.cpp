#include "base/refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/names.h"
#include "base/printable.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

std::string with_nearest(const std::vector<std::string>& names, const std::vector<std::string>& columns) {
  std::string out;
  for (const std::string& name : names) {
    const std::string near = nearest_name(name, columns);
    out += fmt::format("{}'{}'{}", out.empty() ? "" : ", ", printable(name),
                       near.empty() ? "" : fmt::format(" (did you mean '{}'?)", printable(near)));
  }
  return out;
}

}  // namespace

void check_distinct(std::string_view where, const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, int> times;
  std::vector<std::string> twice;
  for (const std::string& name : names)
    if (++times[name] == 2) twice.push_back(name);
  if (!twice.empty())
    throw Error(fmt::format("{}: more than one column is named {}; rename all but one", where, quoted(twice)));
}

void check_present(std::string_view where, const std::vector<std::string>& lacking,
                   const std::vector<std::string>& lacking_sensitive, const std::vector<std::string>& others,
                   std::string_view needed, std::optional<Remedy> remedy) {
  if (lacking.empty() && lacking_sensitive.empty()) return;
  std::string out;
  if (!lacking.empty()) out = "columns of the model: " + with_nearest(lacking, others);
  if (!lacking_sensitive.empty())
    out += fmt::format("{}sensitive columns{}: {}; {}", out.empty() ? "" : ", and ", out.empty() ? " of the model" : "",
                       with_nearest(lacking_sensitive, others), needed);
  const std::string sentence = fmt::format("{} lacks {}", where, out);
  if (remedy) throw RemediableError(sentence, *remedy);
  throw Error(sentence);
}

void refuse_levels(const std::string& column) {
  throw RemediableError(
      fmt::format("column '{}' has over {} different values, too many for a category", printable(column), kMostLevels),
      Remedy::leave_out, column);
}

void refuse_level_text(const std::string& column) {
  throw RemediableError(
      fmt::format("the different values of column '{}' and those before it have more than {} MB of text, too much for "
                  "categories",
                  printable(column), kMostLevelText >> 20),
      Remedy::leave_out, column);
}

void refuse_empty(const std::string& column) {
  throw RemediableError(fmt::format("column '{}' has no cell that is not missing", printable(column)),
                        Remedy::leave_out, column);
}

}  // namespace plumbline
