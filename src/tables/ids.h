// Columns that tell rows apart: names, keys, numbers of records. Nothing can be learned from them.
#pragma once

#include <vector>

#include "tables/chunk_source.h"
#include "tables/row_batches.h"

namespace plumbline {

// Those of the columns whose texts are all different in the first 100,000 rows, missing cells apart. Reads no more of
// the table than it takes to know.
std::vector<Index> all_different(ChunkSource& source, const std::vector<Index>& columns, const ReadOptions& options);

}  // namespace plumbline
