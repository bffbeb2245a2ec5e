#include "tables/column_look.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>

#include "csv/cell_values.h"
#include "csv/grouped_number.h"
#include "tables/iso_date.h"

namespace plumbline {
namespace {

struct PresentCell {
  std::size_t at;  // among all, the missing ones too
  std::string_view text;
};
using PresentCells = std::vector<PresentCell>;

PresentCells present(const std::vector<std::string_view>& cells, const CsvDialect& dialect) {
  PresentCells out;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (!dialect.is_missing(cells[i])) out.push_back({i, trimmed(cells[i])});
  return out;
}

ColumnKind kind_by_cells(const PresentCells& cells, char decimal) {
  std::size_t numbers = 0, booleans = 0;
  for (const PresentCell& cell : cells) {
    if (number_in(cell.text, decimal))
      ++numbers;
    else if (boolean_in(cell.text))
      ++booleans;
  }
  if (!cells.empty() && booleans == cells.size()) return ColumnKind::boolean;
  return 2 * numbers > cells.size() || cells.empty() ? ColumnKind::number : ColumnKind::category;
}

// The first grouped number that is read as none, if most cells are grouped as it is.
std::optional<std::size_t> grouped(const PresentCells& cells, char decimal) {
  const auto shown = std::find_if(cells.begin(), cells.end(), [&](const PresentCell& cell) {
    return !group_mark(cell.text).empty() && !number_in(cell.text, decimal);
  });
  if (shown == cells.end()) return std::nullopt;
  const std::string_view mark = group_mark(shown->text);
  const auto like_it = std::count_if(cells.begin(), cells.end(), [&](const PresentCell& cell) {
    return group_mark(cell.text) == mark || is_below_a_group(cell.text, mark);
  });
  if (2 * static_cast<std::size_t>(like_it) <= cells.size()) return std::nullopt;
  return shown->at;
}

std::optional<std::size_t> with_other_decimal(const PresentCells& cells, char decimal) {
  std::optional<std::size_t> shown;
  std::size_t numbers = 0;
  for (const PresentCell& cell : cells) {
    const bool is_read = number_in(cell.text, decimal).has_value();
    if (!is_read && !number_in(cell.text, decimal == '.' ? ',' : '.')) continue;
    ++numbers;
    if (!is_read && !shown) shown = cell.at;
  }
  return 2 * numbers > cells.size() ? shown : std::nullopt;
}

std::optional<std::size_t> dated(const PresentCells& cells) {
  const auto is_date = [](const PresentCell& cell) { return is_iso_date(cell.text); };
  if (2 * static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), is_date)) <= cells.size())
    return std::nullopt;
  return std::find_if(cells.begin(), cells.end(), is_date)->at;
}

// The digits of a whole number, without its sign and the zeros before them; nothing if it is none.
std::optional<std::string_view> whole(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  return text;
}

std::optional<std::size_t> beyond_double(const PresentCells& cells) {
  const std::string limit = std::to_string(kLargestExact);
  for (const PresentCell& cell : cells) {
    const std::optional<std::string_view> digits = whole(cell.text);
    if (digits && (digits->size() > limit.size() || (digits->size() == limit.size() && *digits > limit)))
      return cell.at;
  }
  return std::nullopt;
}

bool are_distinct(const PresentCells& cells, std::size_t fewest) {
  if (cells.size() < fewest) return false;
  std::unordered_set<std::string_view> seen;
  return std::all_of(cells.begin(), cells.end(),
                     [&](const PresentCell& cell) { return seen.insert(cell.text).second; });
}

bool are_whole(const PresentCells& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const PresentCell& cell) { return whole(cell.text).has_value(); });
}

}  // namespace

ColumnLook look_of(const std::vector<std::string_view>& all, const CsvDialect& dialect) {
  const PresentCells cells = present(all, dialect);
  const ColumnKind kind = kind_by_cells(cells, dialect.decimal);
  if (cells.empty()) return {kind, ColumnForm::empty};
  if (kind == ColumnKind::boolean) return {kind, ColumnForm::plain};
  if (const auto at = grouped(cells, dialect.decimal)) return {kind, ColumnForm::grouped, *at};
  if (const auto at = with_other_decimal(cells, dialect.decimal)) return {kind, ColumnForm::other_decimal, *at};
  if (const auto at = dated(cells)) return {kind, ColumnForm::date, *at};
  if (kind == ColumnKind::category)
    return {kind, are_distinct(cells, kFewestDistinct) ? ColumnForm::distinct_text : ColumnForm::plain};
  if (const auto at = beyond_double(cells)) return {kind, ColumnForm::beyond_double, *at};
  const bool are_ids = are_whole(cells) && are_distinct(cells, kFewestDistinctWhole);
  return {kind, are_ids ? ColumnForm::distinct_whole : ColumnForm::plain};
}

}  // namespace plumbline
