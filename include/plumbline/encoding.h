// How the columns of a table of numbers, booleans and categories become the matrices A and B.
//
//   number     one column, as it is
//   boolean    one column, 0 or 1
//   category   one indicator a level, 1[cell = level], named "race=White", in ascending order of the levels, and last
//              one for all levels that are merged, "race=other"
//   held       a number or boolean that hardly varied in the fit: always the value that it mostly had
//
// All levels have their column: a sensitive category is then collinear, which the fit bears, and no level is special.
// Levels of features that few rows have are merged, and features that vary in few rows held: the map that such rows
// decide does not hold on new ones (tables/rare_values.h).
// A missing cell is refused, or its row is left out, or it becomes the mean that the fit has seen (of a category: the
// share of each level). A level that the fit has not seen is one of those that are merged, if some are; else it is
// refused, or has no indicator.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/columns.h"
#include "plumbline/error.h"

namespace plumbline {

enum class ColumnKind { number, boolean, category };
enum class Missing { error, drop, mean };
enum class Unknown { merge, error, ignore };  // merge: error where no levels are merged

const char* name_of(ColumnKind kind);
const char* name_of(Missing missing);
const char* name_of(Unknown unknown);

struct TableColumn {
  std::string name;
  ColumnKind kind = ColumnKind::number;
  std::vector<std::string> levels = {};  // of a category, but for those that are merged: ascending, up to 10,000
  std::vector<std::string> merged = {};  // ascending
  std::string other = {};                // what they are called together; no level's name; empty if none is merged
  std::optional<double> held = {};       // the value of a number or boolean that is held

  Index width() const {
    return kind == ColumnKind::category ? static_cast<Index>(levels.size() + (merged.empty() ? 0 : 1)) : 1;
  }

  bool operator==(const TableColumn&) const = default;
};

struct Encoding {
  std::vector<TableColumn> features, sensitive;
  std::string target = {}, weights = {};  // columns of these roles; empty: none
  std::vector<std::string> kept = {};     // columns that pass through, such as keys
  Missing missing = Missing::error;
  Unknown unknown = Unknown::merge;
  Eigen::VectorXd fill_a = {}, fill_b = {};  // what a missing cell becomes, one a column of A and of B; empty: unknown

  // Of the table of the fit, as far as it is known: its columns in their order, and those that had no names but got
  // these. Sensitive columns that are not among a table's were given apart.
  std::vector<std::string> columns = {}, unnamed = {};

  std::vector<std::string> feature_names() const;  // of the columns of A
  std::vector<std::string> sensitive_names() const;

  // Throws Error: no columns, a name twice or unknown, levels not ascending or too many, fill of the wrong size.
  void check() const;

  bool operator==(const Encoding&) const;
};

}  // namespace plumbline
