// All rows of a table, put together from its chunks in a form that does not depend on where these were cut.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "csv/csv_cutter.h"
#include "csv/csv_parser.h"
#include "memory_source.h"
#include "message_of.h"

namespace plumbline::testing {

struct CsvRows {
  std::int64_t rows = 0, dropped = 0;
  std::vector<std::uint64_t> numbers;  // bits, so that missing cells equal each other
  std::vector<std::optional<std::string>> categories;
  std::vector<std::string> kept;
  std::vector<std::int64_t> lines;  // of each row, from 1
  std::string problem;

  bool operator==(const CsvRows&) const = default;

  void append(const ParsedChunk& chunk, std::int64_t first_line) {
    rows += chunk.rows;
    dropped += chunk.dropped;
    for (const double number : chunk.numbers) numbers.push_back(std::bit_cast<std::uint64_t>(number));
    for (std::size_t i = 0; i < chunk.codes.size(); ++i) {
      const auto& levels = chunk.levels[i % chunk.levels.size()];
      const std::int32_t code = chunk.codes[i];
      categories.push_back(code < 0 ? std::nullopt : std::optional(levels[static_cast<std::size_t>(code)]));
    }
    kept.insert(kept.end(), chunk.raw.begin(), chunk.raw.end());
    for (const std::int64_t line : chunk.line_of_row) lines.push_back(first_line + line);
  }
};

// Cuts the text every `chunk_bytes` or so; without a header.
inline CsvRows parse_in_chunks(std::string_view text, const CsvDialect& dialect, const std::vector<CellPlan>& plan,
                               std::size_t chunk_bytes, bool is_mapped) {
  MemorySource source(text, is_mapped);
  CsvCutter cutter(source, dialect.quotes, chunk_bytes);
  const CsvParser parser(dialect, plan);
  const std::vector<std::string> names(plan.size(), "x");
  CsvRows out;
  CsvChunk chunk;
  ParsedChunk parsed;
  std::int64_t line = 1;
  while (out.problem.empty() && cutter.next(chunk)) {
    parser.parse(chunk, parsed);
    out.append(parsed, line);
    if (parsed.problem) out.problem = message_of([&] { refuse(*parsed.problem, "memory", line, names); });
    line += parsed.lines;
  }
  return out;
}

}  // namespace plumbline::testing
