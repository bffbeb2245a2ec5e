// What a column looks like, judged by its cells in the head of a table.
//
//   kind   what it is read as. Of the cells that are not missing: booleans if all are boolean; numbers if more than
//          half are numbers, or if there are none; categories otherwise.
//   form   what is to be known before it is read as that, the first of these that holds:
//
//     empty            every cell is missing
//     grouped          most cells are numbers grouped in threes, 1,234 or 1 234 567.8, all in the same way, or numbers
//                      below 1,000; and at least one is grouped that the dialect does not read as a number
//     other_decimal    most cells are numbers, with the dialect's decimal sign or the other one, and one has the other
//     date             most cells are dates of ISO 8601, 2024-05-31, or dates with a time, 2024-05-31T12:30:15.5+02:00
//     beyond_double    a column of numbers, one of them whole and beyond 2^53, from where on doubles skip whole numbers
//     distinct_text    a category whose cells, kFewestDistinct or more, are all different: names, ids, free text
//     distinct_whole   kFewestDistinctWhole whole numbers or more, all different: ids, or counts that vary widely
//     plain            none of these
//
// Most are more than half of the cells that are not missing. Blanks around a cell are not part of it. Where a column of
// grouped or other_decimal is read as numbers, the parser refuses the first cell that shows it, with its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "csv/csv_dialect.h"
#include "plumbline/encoding.h"

namespace plumbline {

inline constexpr std::size_t kFewestDistinct = 20;               // that fewer cells are all different is no surprise
inline constexpr std::size_t kFewestDistinctWhole = 100;         // of numbers, which repeat less
inline constexpr std::int64_t kLargestExact = 9007199254740992;  // 2^53

enum class ColumnForm { plain, empty, grouped, other_decimal, date, beyond_double, distinct_text, distinct_whole };

struct ColumnLook {
  ColumnKind kind = ColumnKind::number;
  ColumnForm form = ColumnForm::plain;
  std::size_t cell = 0;  // the first that shows it, where one does: grouped, other_decimal, date, beyond_double
};

ColumnLook look_of(const std::vector<std::string_view>& cells, const CsvDialect& dialect);

}  // namespace plumbline
