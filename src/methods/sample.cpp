#include "methods/sample.h"

#include <fmt/format.h>

#include <cmath>

#include "plumbline/error.h"

namespace plumbline {

void check_people(const Eigen::MatrixXd& a, const Eigen::VectorXi& s, int levels) {
  if (levels < 1) throw Error(fmt::format("levels is {}; there must be at least one group", levels));
  if (a.cols() == 0) throw Error("a has no columns; at least one feature is needed");
  if (s.size() != a.rows())
    throw Error(fmt::format("s has {} rows and a has {}; they must have the same rows", s.size(), a.rows()));
  for (Eigen::Index i = 0; i < s.size(); ++i)
    if (s[i] < 0 || s[i] >= levels)
      throw Error(
          fmt::format("s is {} in row {}; with {} levels a group must be from 0 to {}", s[i], i, levels, levels - 1));
  if (a.allFinite()) return;
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    for (Eigen::Index j = 0; j < a.cols(); ++j)
      if (!std::isfinite(a(i, j)))
        throw Error(fmt::format("a is {} in row {}, column {}; cells must be finite", a(i, j), i, j));
}

Eigen::VectorXd group_shares(const Eigen::VectorXi& s, int levels) {
  Eigen::VectorXd shares = Eigen::VectorXd::Zero(levels);
  for (const int group : s) shares[group] += 1;
  return shares / static_cast<double>(s.size());
}

void check_known(const Eigen::VectorXd& shares, const Eigen::VectorXi& s) {
  for (Eigen::Index i = 0; i < s.size(); ++i)
    if (shares[s[i]] == 0)
      throw Error(fmt::format("row {} is of group {}, of which the training part has no row", i, s[i]));
}

void Sample::check() const {
  if (a.rows() == 0) throw Error("a has no rows; a sample needs at least one");
  check_people(a, s, levels);
  if (y.size() != a.rows())
    throw Error(fmt::format("y has {} rows and a has {}; they must have the same rows", y.size(), a.rows()));
  for (Eigen::Index i = 0; i < y.size(); ++i)
    if (!std::isfinite(y[i])) throw Error(fmt::format("y is {} in row {}; outcomes must be finite", y[i], i));
}

}  // namespace plumbline
