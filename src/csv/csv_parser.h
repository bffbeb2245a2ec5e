// Turns a chunk of whole records into numbers, codes and views of cells.
//
//   numbers   rows × (number of number and boolean columns), row-major; a missing cell is NaN, and nothing else is
//   codes     rows × (number of category columns), row-major; indices into the chunk's own list of levels, −1: missing
//   raw       rows × (number of kept columns), row-major; cells as they stand in the file, quotes included
//
// Chunks know nothing of each other, so they can be parsed in any order on any thread. What is wrong with a record is
// returned, not thrown: only the order of the file says which of several problems is the first. Of one record,
// quotes out of place come first, then a wrong number of cells, then what is wrong within them. Levels and kept cells
// must be UTF-8; no other cell needs to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csv/csv_cutter.h"
#include "csv/csv_dialect.h"
#include "csv/csv_problem.h"
#include "plumbline/columns.h"

namespace plumbline {

enum class CellKind { skip, number, boolean, category };  // booleans become 0 and 1

// What to do with the cells of a column.
struct CellPlan {
  CellKind kind = CellKind::skip;
  bool keep = false;  // also as raw text
};

struct ParsedChunk {
  Index rows = 0;  // before the problem, if there is one
  std::vector<double> numbers;
  std::vector<std::int32_t> codes;
  std::vector<std::vector<std::string>> levels;  // of each category column, in the order in which they come
  std::vector<std::string_view> raw;             // into the text of the chunk
  std::vector<std::int64_t> line_of_row;         // in the chunk, from 0
  std::int64_t lines = 0;
  std::int64_t dropped = 0;  // ragged records left out
  std::optional<CsvProblem> problem;
};

class CsvParser {
 public:
  CsvParser(CsvDialect dialect, std::vector<CellPlan> columns);

  // `out` is overwritten and keeps its memory.
  void parse(const CsvChunk& chunk, ParsedChunk& out) const;

 private:
  class Pass;

  CsvDialect dialect_;
  std::vector<CellPlan> columns_;
  std::size_t numbers_ = 0, categories_ = 0, kept_ = 0;
  bool has_number_markers_ = false;   // a marker such as -999 is a finite number
  bool reads_plain_numbers_ = false;  // all that CsvCursor::plain_number takes for a number is one
};

// What a raw cell says, without its quotes.
std::string text_of_cell(std::string_view raw, const CsvDialect& dialect);

}  // namespace plumbline
