// One record of a parsed chunk (csv/csv_parser.h): its numbers and codes, and where a column's cell is among them.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "csv/csv_parser.h"
#include "plumbline/encoding.h"

namespace plumbline {

CellKind cell_kind(ColumnKind kind);

// The place of a column's cell among the numbers of a record, or among its codes if the column is a category.
struct CellPlace {
  bool is_category = false;
  std::size_t slot = 0;

  CellPlace() = default;
  CellPlace(const std::vector<CellPlan>& plan, Index column);
};

class Record {
 public:
  // `row` must be one of the chunk's, which must outlive it.
  Record(const ParsedChunk& chunk, Index row);

  double number(const CellPlace& place) const { return numbers_[place.slot]; }
  std::int32_t code(const CellPlace& place) const { return codes_[place.slot]; }
  bool is_missing(const CellPlace& place) const {
    return place.is_category ? code(place) < 0 : std::isnan(number(place));
  }

 private:
  const double* numbers_;
  const std::int32_t* codes_;
};

}  // namespace plumbline
