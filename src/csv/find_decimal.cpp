#include "csv/find_decimal.h"

#include <cstddef>

#include "csv/cell_values.h"
#include "csv/grouped_number.h"

namespace plumbline {
namespace {

// The cells of a column by what they can be read as.
struct Cells {
  std::size_t all = 0, whole = 0;
  std::size_t commas = 0, points = 0;                  // numbers with that decimal sign
  std::size_t grouped_commas = 0, grouped_points = 0;  // of these, those that may be whole numbers in groups
  bool has_groups = false;                             // between commas, and no other way to read it

  void add(std::string_view cell) {
    ++all;
    const bool comma = number_in(cell, ',').has_value(), point = number_in(cell, '.').has_value();
    const bool is_grouped = comma != point && !group_mark(cell).empty();
    if (comma && point) ++whole;
    if (comma && !point) ++commas, grouped_commas += is_grouped ? 1 : 0;
    if (point && !comma) ++points, grouped_points += is_grouped ? 1 : 0;
    has_groups |= !comma && !point && group_mark(cell) == ",";
  }

  bool vote_for_comma(bool groups_count) const {
    return commas > (groups_count ? 0 : grouped_commas) && points == 0 && !has_groups && 2 * (commas + whole) > all;
  }
  bool vote_for_point() const { return points > grouped_points && commas == 0 && 2 * (points + whole) > all; }
};

}  // namespace

char find_decimal(const std::vector<std::vector<std::string>>& records, const CsvDialect& dialect) {
  std::vector<Cells> columns;
  for (const std::vector<std::string>& record : records) {
    columns.resize(record.size());
    for (std::size_t j = 0; j < record.size(); ++j)
      if (!dialect.is_missing(record[j])) columns[j].add(trimmed(record[j]));
  }
  std::size_t commas = 0, points = 0;
  for (const Cells& cells : columns) {
    if (cells.vote_for_comma(dialect.delimiter != ',')) ++commas;
    if (cells.vote_for_point()) ++points;
  }
  return commas > points ? ',' : '.';
}

}  // namespace plumbline
