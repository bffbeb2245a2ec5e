// Which columns of a table play which part, and of what kind they are.
//
// Kinds come from the first 1,000 records (of the first megabyte): a column whose cells there are numbers is a number,
// one of true, false, yes, no, t, f, y, n a boolean, one of which at most half are numbers a category. Missing cells
// say nothing; a column of nothing else is a number. A later cell that does not fit is an error of the scan that meets
// it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "csv/csv_table.h"
#include "plumbline/encoding.h"

namespace plumbline {

inline constexpr std::size_t kHeadRecords = 1000;  // that kinds are read off

// As a person gives them: names, comma-separated lists and patterns.
struct Roles {
  std::vector<std::string> features = {};  // none: all columns that have no other part
  std::vector<std::string> drop = {};      // not features; they pass through
  std::vector<std::string> sensitive = {};
  std::vector<std::string> categorical = {};  // categories, whatever their cells look like
  std::string target = "", weights = "";
};

// Indices of columns of the table, in its order.
struct Schema {
  std::vector<Index> features, sensitive;
  std::optional<Index> target, weights;
  std::vector<ColumnKind> kinds;  // one a column of the table
};

// Throws Error, naming the flag and the nearest column, if a role names no column, a column has two parts, or there is
// nothing sensitive or no feature.
Schema infer_schema(const CsvTable& table, const Roles& roles);

}  // namespace plumbline
