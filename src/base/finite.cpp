#include "base/finite.h"

#include <fmt/format.h>

#include <cmath>

#include "plumbline/error.h"

namespace plumbline {

void check_finite(const Columns& table, const std::vector<std::string>& names, Index first, Index count) {
  for (Index i = first; i < first + count; ++i)
    for (Index j = 0; j < table.cols(); ++j)
      if (!std::isfinite(table(i, j))) report_not_finite(i, names[j], table(i, j));
}

void report_not_finite(Index row, const std::string& column, double cell) {
  throw Error(fmt::format("row {}, column '{}' is {}; every cell must be finite", row, column, cell));
}

}  // namespace plumbline
