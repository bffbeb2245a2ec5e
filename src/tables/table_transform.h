// A CSV table through a model, as a CSV table.
//
// Columns keep their order. A feature becomes its transformed numbers, a category one column a level, where it stood.
// The target, the weights and the columns that are kept pass through as they stand in the file, sensitive ones if they
// are asked for; columns that the model does not know are left out. Numbers are written in the shortest form that reads
// back as the same double. Rows are independent of each other, so a file gives the same text in one piece or in parts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/fit.h"
#include "tables/csv_source.h"
#include "tables/row_batches.h"
#include "tables/row_map.h"

namespace plumbline {

struct TransformOptions {
  bool scores = false;           // the k scores of the model in place of the features, after the columns that pass
  bool keep_sensitive = false;   // as they stand in the file
  bool header = true;            // whether the first line names the columns
  bool check = false;            // measure a certificate on these rows; needs the sensitive columns
  CheckProbe probe = {};         // of a check
  std::string predictions = {};  // of a check: the column of predictions of the target; empty: none
  ReadOptions read = {};

  // Told of columns that the model does not know, if there are any, once it is clear that the table has all others and
  // before anything is written.
  std::function<void(const std::vector<std::string>&)> tell_left_out = {};
};

struct Transformed {
  std::int64_t rows = 0, dropped = 0, filled = 0, unknown = 0;
  std::optional<Certificate> certificate;
};

// `write` gets the text in order. Predictions need a fit with a price. Throws Error if the table lacks columns of the
// model, or a record does not fit.
Transformed transform_table(CsvSource& source, const Fit& fit, const TransformOptions& options,
                            const std::function<void(std::string_view)>& write);

}  // namespace plumbline
