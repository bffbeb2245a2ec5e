// A table through a model: the features replaced, everything else as it was.
//
// Columns keep their order. A feature becomes its transformed numbers, a category one column a level, where it stood;
// sensitive columns are left out unless they are asked for; columns that the model does not know pass through as they
// stand in the file. Numbers are written in the shortest form that reads back as the same double. Rows are independent
// of each other, so a file gives the same text in one piece or in parts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csv/csv_table.h"
#include "plumbline/fit.h"
#include "tables/learn_encoding.h"

namespace plumbline {

struct TransformOptions {
  bool scores = false;          // the k scores of the model in place of the features, after the columns that pass
  bool keep_sensitive = false;  // as they stand in the file
  bool header = true;           // whether the first line names the columns
  bool check = false;           // measure a certificate on these rows; needs the sensitive columns
  ReadOptions read = {};
};

struct Transformed {
  std::int64_t rows = 0, dropped = 0, filled = 0, unknown = 0;
  std::vector<std::string> passed;  // columns that are neither the target nor the weights, and were not changed
  std::optional<Certificate> certificate;
};

// `write` gets the text in order. Throws Error if the table lacks columns of the model, or a record does not fit.
Transformed transform_table(CsvTable& table, const Fit& fit, const TransformOptions& options,
                            const std::function<void(std::string_view)>& write);

}  // namespace plumbline
