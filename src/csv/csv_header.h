// The first record of an input, and the names of columns that it may hold.
//
// A column without a name is called by its place, c1, c2 …, as all are where there is no header. Names must be UTF-8
// text and differ. Throws Error naming the input, the line and the column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csv/csv_cutter.h"
#include "csv/csv_dialect.h"

namespace plumbline {

struct FirstRecord {
  std::vector<std::string> cells;  // as UTF-8, if they are text at all
  std::size_t bytes = 0;           // of the chunk, up to where the record has ended
  std::int64_t lines = 0;          // that end within these bytes
};

// Nothing if the chunk holds empty lines alone. `line` is the first of the chunk, from 1.
std::optional<FirstRecord> first_record(const CsvChunk& chunk, const CsvDialect& dialect, const std::string& input,
                                        std::int64_t line);

std::vector<std::string> names_in(const std::vector<std::string>& cells, const std::string& input);
std::vector<std::string> numbered_names(std::size_t count);

// Refuses names that are not those of the first input, and lists the differences.
void check_same_names(const std::vector<std::string>& names, const std::string& input,
                      const std::vector<std::string>& expected, const std::string& first_input);

}  // namespace plumbline
