// Tables of columns of every kind, in memory and as CSV.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "random_data.h"
#include "tables/memory_source.h"

namespace plumbline::testing {

struct FrameColumn {
  std::string name;
  ColumnKind kind = ColumnKind::number;
  std::vector<double> numbers = {};      // of numbers and booleans; NaN: missing
  std::vector<std::int32_t> codes = {};  // of categories; below 0: missing
  std::vector<std::string> levels = {};

  bool is_missing(Index row) const {
    const auto i = static_cast<std::size_t>(row);
    return kind == ColumnKind::category ? codes[i] < 0 : std::isnan(numbers[i]);
  }
  std::string level(Index row) const { return levels[static_cast<std::size_t>(codes[static_cast<std::size_t>(row)])]; }
  void make_missing(Index row) {
    const auto i = static_cast<std::size_t>(row);
    if (kind == ColumnKind::category)
      codes[i] = -1;
    else
      numbers[i] = std::numeric_limits<double>::quiet_NaN();
  }
};

inline std::string shortest(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

struct Frame {
  Index rows = 0;
  std::vector<FrameColumn> columns;

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const FrameColumn& column : columns) out.push_back(column.name);
    return out;
  }

  std::vector<ColumnKind> kinds() const {
    std::vector<ColumnKind> out;
    for (const FrameColumn& column : columns) out.push_back(column.kind);
    return out;
  }

  Frame middle_rows(Index first, Index count) const {
    Frame out{count, columns};
    for (FrameColumn& column : out.columns) {
      const auto cut = [&](auto& cells) {
        if (!cells.empty()) cells = {cells.begin() + first, cells.begin() + first + count};
      };
      cut(column.numbers);
      cut(column.codes);
    }
    return out;
  }

  std::string csv() const {
    std::string out;
    const auto join = [&](const auto& text_of) {
      for (std::size_t j = 0; j < columns.size(); ++j) out += (j == 0 ? "" : ",") + text_of(columns[j]);
      out += '\n';
    };
    join([](const FrameColumn& column) { return column.name; });
    for (Index i = 0; i < rows; ++i)
      join([&](const FrameColumn& column) -> std::string {
        if (column.is_missing(i)) return "NA";
        if (column.kind == ColumnKind::category) return column.level(i);
        const double value = column.numbers[static_cast<std::size_t>(i)];
        return column.kind == ColumnKind::number ? shortest(value) : value != 0 ? "yes" : "no";
      });
    return out;
  }

  // Batches of at most so many rows of the columns [first, last), which the frame must outlive.
  std::shared_ptr<MemorySource> source(Index batch, std::size_t first, std::size_t last) const {
    const std::vector<std::string> all = names();
    auto out =
        std::make_shared<MemorySource>("X", std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(first),
                                                                     all.begin() + static_cast<std::ptrdiff_t>(last)));
    for (Index at = 0; at < rows; at += batch) {
      std::vector<MemorySource::Column> cells;
      for (std::size_t j = first; j < last; ++j) {
        const FrameColumn& column = columns[j];
        const Cells from = column.kind == ColumnKind::category ? Cells(column.codes.data() + at, 1, &column.levels)
                                                               : Cells(column.numbers.data() + at, 1);
        cells.push_back({from, column.kind});
      }
      out->add(std::min(batch, rows - at), cells, nullptr);
    }
    return out;
  }
  std::shared_ptr<MemorySource> source(Index batch) const { return source(batch, 0, columns.size()); }
  std::shared_ptr<MemorySource> source() const { return source(rows); }
};

// Columns s, group (sensitive); x0 …, flag, job, town (features); w (weights). Some levels of town are rare, and flag
// mostly has one value.
inline Frame random_frame(Random& random, Index rows, double missing_share) {
  Frame out{rows, {}};
  const auto number = [&](const char* name, const auto& draw) {
    FrameColumn& column = out.columns.emplace_back(FrameColumn{name});
    for (Index i = 0; i < rows; ++i) column.numbers.push_back(draw(i));
  };
  const auto category = [&](const char* name, std::vector<std::string> levels, double skew) {
    FrameColumn& column = out.columns.emplace_back(FrameColumn{name, ColumnKind::category});
    column.levels = std::move(levels);
    const auto last = static_cast<double>(column.levels.size()) - 1e-9;
    for (Index i = 0; i < rows; ++i)
      column.codes.push_back(static_cast<std::int32_t>(last * std::pow(random.uniform(0, 1), skew)));
  };
  number("s", [&](Index) { return random.normal(); });
  category("group", {"b", "a", "c"}, 1.5);
  const std::vector<double> s = out.columns[0].numbers;
  for (const char* name : {"x0", "x1", "x2"})
    number(name, [&](Index i) { return 10 + 2 * s[static_cast<std::size_t>(i)] + random.normal(); });
  number("flag", [&](Index) { return random.uniform(0, 1) < 0.01 ? 1.0 : 0.0; });
  out.columns.back().kind = ColumnKind::boolean;
  category("job", {"cook", "clerk", "smith"}, 1);
  category("town", {"Bree", "other", "Dale", "Esgaroth", "Tharbad", "Hobbiton", "Gondolin", "(other)"}, 4);
  for (FrameColumn& column : out.columns)
    for (Index i = 0; i < rows; ++i)
      if (random.uniform(0, 1) < missing_share) column.make_missing(i);
  number("w", [&](Index) { return static_cast<double>(random.integer(0, 3)) / 2; });
  return out;
}

}  // namespace plumbline::testing
