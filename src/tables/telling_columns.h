// Columns beside the features that tell of sensitive ones, such as an age group that is kept where age is sensitive.
#pragma once

#include <string>
#include <vector>

#include "tables/chunk_source.h"
#include "tables/row_batches.h"
#include "tables/schema.h"

namespace plumbline {

struct TellingColumn {
  std::string name, sensitive;
  double share = 0;  // r² of the strongest pair, or of the column by all of B if that is more; then no one is named
};

// Those of the columns of which a pair with a sensitive column, levels apart, has a share of 5 % or more. Missing cells
// are filled with means. Columns that look like dates are taken for days.
std::vector<TellingColumn> telling_columns(ChunkSource& source, const std::vector<Index>& columns, const Schema& schema,
                                           const std::vector<ColumnLook>& looks, const ReadOptions& options);

}  // namespace plumbline
