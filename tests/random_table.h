// Random tables, and ways to write them down: quotes where they may and where they must be, blanks, line ends, markers.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "csv/csv_dialect.h"
#include "csv/csv_parser.h"
#include "csv_rows.h"
#include "random_data.h"

namespace plumbline::testing {

struct RandomTable {
  std::vector<CellPlan> plan;
  std::string text;  // no header
  CsvRows expected;  // without lines and raw cells
};

inline std::string random_text(Random& random) {
  static const std::vector<std::string> pieces = {"a",  "B",      "7",    ".",  "-",  " ",
                                                  "\t", ",",      ";",    "\"", "\n", "\r",
                                                  "é",  "\u20ac", "\r\n", "𝄞",  "NA", std::string(1, '\0')};
  std::string text;
  for (Index i = random.integer(0, 12); i > 0; --i)
    text += pieces[static_cast<std::size_t>(random.integer(0, static_cast<Index>(pieces.size()) - 1))];
  return text;
}

inline double random_number(Random& random) {
  switch (random.integer(0, 4)) {
    case 0:
      return static_cast<double>(random.integer(-1000, 1000));
    case 1:
      return random.normal();
    case 2:
      return random.normal() * std::pow(10.0, random.uniform(-300, 300));
    case 3:
      return std::numeric_limits<double>::denorm_min() * static_cast<double>(random.integer(-9, 9));
    default:
      return random.integer(0, 1) != 0 ? std::numeric_limits<double>::max() : -0.0;
  }
}

class TableWriter {
 public:
  TableWriter(Random& random, const CsvDialect& dialect) : random_(random), dialect_(dialect) {}

  // `plan` is drawn if it is empty.
  RandomTable table(Index rows, Index columns) {
    RandomTable out;
    for (Index j = 0; j < columns; ++j) out.plan.push_back({static_cast<CellKind>(random_.integer(0, 3)), false});
    for (Index i = 0; i < rows; ++i) {
      blank_lines(out.text);
      std::string record;
      for (Index j = 0; j < columns; ++j) {
        if (j > 0) record += dialect_.delimiter;
        record += cell(out.plan[static_cast<std::size_t>(j)].kind, out.expected);
      }
      if (columns == 1 && trimmed(record).empty()) record = "\"\"";
      out.text += record;
      ++out.expected.rows;
      if (i + 1 < rows || random_.integer(0, 1) != 0) out.text += line_end();
    }
    return out;
  }

 private:
  bool one_in(Index n) { return random_.integer(1, n) == 1; }
  std::string line_end() { return one_in(2) ? "\n" : "\r\n"; }

  void blank_lines(std::string& text) {
    while (one_in(8)) text += blanks() + line_end();
  }

  std::string blanks() {
    std::string out;
    while (one_in(4)) out += one_in(2) || dialect_.delimiter == '\t' ? ' ' : '\t';
    return out;
  }

  std::string in_quotes(std::string_view value) const {
    std::string out = "\"";
    for (const char c : value) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
  }

  std::string written(const std::string& value) {
    const bool must = value.find_first_of(std::string("\"\r\n") + dialect_.delimiter) != std::string::npos ||
                      trimmed(value).size() != value.size();
    return blanks() + (must || one_in(4) ? in_quotes(value) : value) + blanks();
  }

  std::string marker() {
    return dialect_
        .missing[static_cast<std::size_t>(random_.integer(0, static_cast<Index>(dialect_.missing.size()) - 1))];
  }

  std::string cell(CellKind kind, CsvRows& expected) {
    const bool missing = one_in(5);
    switch (kind) {
      case CellKind::number: {
        const double value = missing ? std::numeric_limits<double>::quiet_NaN() : random_number(random_);
        expected.numbers.push_back(std::bit_cast<std::uint64_t>(value));
        if (missing) return written(one_in(3) ? "inf" : marker());
        const std::string sign = !std::signbit(value) && one_in(4) ? "+" : "";
        std::string text = sign + (one_in(2) ? fmt::format("{}", value) : fmt::format("{:.17g}", value));
        std::replace(text.begin(), text.end(), '.', dialect_.decimal);
        return written(text);
      }
      case CellKind::boolean: {
        const bool truth = one_in(2);
        expected.numbers.push_back(std::bit_cast<std::uint64_t>(missing ? std::numeric_limits<double>::quiet_NaN()
                                                                        : static_cast<double>(truth)));
        return written(missing ? marker() : truth ? (one_in(2) ? "true" : "Yes") : (one_in(2) ? "FALSE" : "n"));
      }
      case CellKind::category: {
        const std::string value = missing ? marker() : random_text(random_);
        expected.categories.push_back(dialect_.is_missing(value) ? std::nullopt : std::optional(value));
        return written(value);
      }
      case CellKind::skip:
        return written(random_text(random_));
    }
    return "";
  }

  Random& random_;
  const CsvDialect& dialect_;
};

}  // namespace plumbline::testing
