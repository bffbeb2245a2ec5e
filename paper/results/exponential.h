// y = α e^{β x}, by least squares of log y on x: the curve that the paper's figure of the trade-off fits to Adv.
#pragma once

#include <optional>
#include <vector>

namespace plumbline {

struct Exponential {
  double alpha = 0, beta = 0;
  double low = 0, high = 0;  // of the x that it was fitted to; beyond, it says nothing
  double residual = 0;       // root mean square of log y − log α − β x

  bool covers(double x) const { return x >= low && x <= high; }
  double at(double x) const;
};

// Points with a coordinate that is not finite, or a y that is not positive, are left out; none if no two x are left.
std::optional<Exponential> fit_exponential(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace plumbline
