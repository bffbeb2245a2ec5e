#include "methods/continuous_sample.h"

#include <fmt/format.h>

#include "plumbline/error.h"

namespace plumbline {

void ContinuousSample::check() const {
  if (a.rows() == 0 || a.cols() == 0) throw Error(fmt::format("a has {} rows and {} columns", a.rows(), a.cols()));
  if (b.cols() == 0) throw Error("b has no columns; at least one is needed");
  if (b.rows() != a.rows())
    throw Error(fmt::format("a has {} rows and b has {}; they must have the same rows", a.rows(), b.rows()));
  if (y.size() != a.rows())
    throw Error(fmt::format("a has {} rows and y has {}; they must have the same rows", a.rows(), y.size()));
  if (!a.allFinite()) throw Error("a has a cell that is not finite; cells must be numbers");
  if (!b.allFinite()) throw Error("b has a cell that is not finite; cells must be numbers");
  if (!y.allFinite()) throw Error("y has a cell that is not finite; outcomes must be numbers");
}

}  // namespace plumbline
