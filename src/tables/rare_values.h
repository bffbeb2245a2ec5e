// Values that few rows have.
//
// An indicator that m of n rows set is, on other rows, mostly 0; what the map takes from it is a known number of b.
// Where none of those rows has it, that number is all that is left: a column that tells b exactly. And where the few
// that have it stand on one side, a model can give them up and read b off all others. Adult's native country has a
// level of one row: on new rows its column correlates .90 with race, and a logistic regression reads sex with AUC .998;
// with levels below 30 rows merged, .82; below 50, .51. The largest correlation falls from .11 to .04 between 50 and
// 100.
//
// So features, not sensitive columns, of which b is taken away whatever they are, have
//   levels        below `least` rows merged into one, and with them the next rarest until together they have as many
//   held columns  numbers and booleans that differ from their most frequent value in fewer rows: held at that value
//   least         min(max(100, 10 p), n / 20) unless a person says otherwise, p the sensitive columns as encoded:
//                 ten rows for each number that is estimated, as is usual for regressions, and never more than levels
//                 of a twentieth of the rows
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/columns.h"
#include "plumbline/encoding.h"

namespace plumbline {

std::int64_t least_rows(std::int64_t rows, Index sensitive);

// How many rows have each level of a category: of rows of positive weight.
using LevelRows = std::map<std::string, std::int64_t>;

// An encoding in which levels of features below `least` rows are merged, and the place of each column of A in its A.
struct Merging {
  Encoding encoding;
  std::vector<Index> into;
};

Merging merge_rare_levels(const Encoding& encoding, const std::vector<LevelRows>& rows, std::int64_t least);

// What a fit says of levels that are merged and features that are held, a sentence each.
std::vector<std::string> rare_notes(const Encoding& encoding);

// Counts the rows of each value of a number until so many differ from the most frequent that it is no matter how many.
class ValueRows {
 public:
  static constexpr std::int64_t kMostRare = 256;

  void add(double value, std::int64_t rows = 1);
  void merge(const ValueRows& other);

  bool varies() const { return varies_; }  // in kMostRare rows or more

  // The most frequent value, the least of several, if fewer than `least` rows, and at least one, differ from it.
  std::optional<double> held(std::int64_t least) const;

  const std::vector<std::pair<double, std::int64_t>>& counts() const { return counts_; }
  static ValueRows of(std::vector<std::pair<double, std::int64_t>> counts, bool varies);

  bool operator==(const ValueRows&) const = default;

 private:
  void stop();

  std::vector<std::pair<double, std::int64_t>>
      counts_;  // the most frequent first, of those the least; none if it varies
  std::int64_t rows_ = 0;
  bool varies_ = false;
};

// Of a table, one a feature column: levels of categories, values of all others.
struct ValueCounts {
  std::vector<LevelRows> levels;
  std::vector<ValueRows> values;

  bool operator==(const ValueCounts&) const = default;
};

}  // namespace plumbline
