#include "metrics/counterfactual.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/weights.h"
#include "plumbline/error.h"

namespace plumbline {

Eigen::MatrixXd counterfactual_predictions(const FittedMethod& method, const GroupMapping& groups, Mapping mapping,
                                           const Eigen::MatrixXd& a, const Eigen::VectorXi& s) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Constant(a.rows(), groups.levels(), std::numeric_limits<double>::quiet_NaN());
  groups.for_each_group(mapping, a, s, [&](int g, const Eigen::MatrixXd& mapped) {
    out.col(g) = method.predict(mapped, Eigen::VectorXi::Constant(a.rows(), g));
  });
  return out;
}

double counterfactual_gap(const Eigen::MatrixXd& predictions, const Eigen::VectorXd& weights) {
  if (predictions.rows() == 0) throw Error("predictions have no rows; a gap needs at least one");
  check_some_weight({weights.data(), static_cast<std::size_t>(weights.size())}, predictions.rows());
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (Eigen::Index g = 0; g < predictions.cols(); ++g) {
    const Eigen::Index missing = predictions.col(g).array().isNaN().count();
    if (missing == predictions.rows()) continue;
    if (missing > 0)
      throw Error(
          fmt::format("{} of {} predictions for group {} are NaN; all or none may be", missing, predictions.rows(), g));
    const double mean =
        weights.size() == 0 ? predictions.col(g).mean() : weights.dot(predictions.col(g)) / weights.sum();
    low = std::min(low, mean);
    high = std::max(high, mean);
  }
  return high < low ? std::numeric_limits<double>::quiet_NaN() : high - low;
}

}  // namespace plumbline
