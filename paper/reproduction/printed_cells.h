// The cells of the paper's tables, as printed: all of them, also those that no computation of ours gives.
//
// A cell belongs to an experiment, a method and a metric, and where print names a rank, to that rank. The AUC row of OB
// on COMPAS was computed at rank 2, all else in these columns at rank 5 (notes.h), so it is filed under rank 2.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "plumbline/columns.h"

namespace plumbline {

struct PrintedCell {
  std::string_view experiment, method;
  std::optional<Index> rank;  // none: of any
  std::string_view metric;
  double value = 0;
  std::optional<double> sd = {};  // printed in brackets or after ±
};

std::span<const PrintedCell> printed_cells();

// Null if print has no such cell.
const PrintedCell* printed_cell(std::string_view experiment, std::string_view method, std::optional<Index> rank,
                                std::string_view metric);

}  // namespace plumbline
