// AUC and De Long's variance by looking at every pair.
#pragma once

#include <Eigen/Core>

namespace plumbline::testing {

struct Auc {
  double value = 0, variance = 0;
};

inline Auc auc_by_pairs(const Eigen::VectorXd& scores, const Eigen::VectorXd& y, const Eigen::VectorXd& weights) {
  const Eigen::Index n = y.size();
  const auto weight = [&](Eigen::Index i) { return weights.size() == 0 ? 1.0 : weights[i]; };
  double total[2] = {0, 0};
  for (Eigen::Index i = 0; i < n; ++i) total[y[i] > 0.5 ? 1 : 0] += weight(i);
  Eigen::VectorXd placement = Eigen::VectorXd::Zero(n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) {
      if (y[i] == y[j]) continue;
      const double one = y[i] > 0.5 ? scores[i] : scores[j], zero = y[i] > 0.5 ? scores[j] : scores[i];
      placement[i] += weight(j) * (one > zero ? 1.0 : one == zero ? 0.5 : 0.0) / total[y[j] > 0.5 ? 1 : 0];
    }
  Auc out;
  for (Eigen::Index i = 0; i < n; ++i)
    if (y[i] > 0.5) out.value += weight(i) * placement[i] / total[1];
  for (Eigen::Index i = 0; i < n; ++i) {
    const double off = weight(i) * (placement[i] - out.value) / total[y[i] > 0.5 ? 1 : 0];
    out.variance += off * off;
  }
  return out;
}

}  // namespace plumbline::testing
