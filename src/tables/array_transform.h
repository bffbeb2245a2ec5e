// A table in memory through a model, into an array.
#pragma once

#include <cstdint>

#include "plumbline/columns.h"
#include "plumbline/fit.h"
#include "tables/row_map.h"

namespace plumbline {

struct RowCounts {
  std::int64_t dropped = 0, filled = 0, unknown = 0;
};

// Whether the map must be given the value of a feature that is held in place of its cells: an affine map takes nothing
// from these, and one of laws leaves constant features as they are.
bool needs_held_values(const Fit& fit);

// One row of `out` for each of the source: NaN for rows that are left out. Throws Error if a row does not fit, or the
// result leaves the range of `out`.
RowCounts transform_rows(ChunkSource& source, const Fit& fit, const Placement& placement, const MapOptions& options,
                         const MutableColumns& out);

}  // namespace plumbline
