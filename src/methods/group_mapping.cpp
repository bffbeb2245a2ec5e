#include "methods/group_mapping.h"

#include <fmt/format.h>

#include <algorithm>

#include "methods/sample.h"
#include "plumbline/error.h"
#include "plumbline/poll.h"

namespace plumbline {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXi;
using Eigen::VectorXi;

GroupMapping::GroupMapping(const MatrixXd& a, const VectorXi& s, int levels) {
  check_people(a, s, levels);
  if (a.rows() == 0) throw Error("a has no rows; a group mapping needs at least one");
  counts_ = VectorXi::Zero(levels);
  starts_ = VectorXi::Zero(levels);
  means_ = MatrixXd::Zero(levels, a.cols());
  for (const int group : s) ++counts_[group];
  for (int g = 1; g < levels; ++g) starts_[g] = starts_[g - 1] + counts_[g - 1];
  shares_ = group_shares(s, levels);
  mean_ = a.colwise().mean();

  sorted_.resize(a.rows(), a.cols());
  for (Index j = 0; j < a.cols(); ++j) {
    poll();
    VectorXi place = starts_;
    for (Index i = 0; i < a.rows(); ++i) sorted_(place[s[i]]++, j) = a(i, j);
  }
  for (int g = 0; g < levels; ++g) {
    if (counts_[g] == 0) continue;
    means_.row(g) = sorted_.middleRows(starts_[g], counts_[g]).colwise().mean();
    for (Index j = 0; j < a.cols(); ++j) {
      poll();
      double* first = &sorted_(starts_[g], j);
      std::sort(first, first + counts_[g]);
    }
  }
}

const double* GroupMapping::sorted(int group, Index feature) const {
  return sorted_.data() + feature * sorted_.rows() + starts_[group];
}

void GroupMapping::check(Mapping mapping, const MatrixXd& a, const VectorXi& s) const {
  check_people(a, s, levels());
  if (a.cols() != means_.cols())
    throw Error(fmt::format("a has {} columns; the mapping was learned from {}", a.cols(), means_.cols()));
  if (mapping != Mapping::none) check_known(shares_, s);
}

MatrixXi GroupMapping::ranks(const MatrixXd& a, const VectorXi& s) const {
  MatrixXi k(a.rows(), a.cols());
  for (Index j = 0; j < a.cols(); ++j) {
    poll();
    for (Index i = 0; i < a.rows(); ++i) {
      const double* first = sorted(s[i], j);
      const double* last = first + counts_[s[i]];
      k(i, j) = static_cast<int>(std::upper_bound(first, last, a(i, j)) - first);
    }
  }
  return k;
}

void GroupMapping::fill(Mapping mapping, const MatrixXd& a, const VectorXi& s, const MatrixXi& k, int group,
                        MatrixXd& out) const {
  if (mapping == Mapping::none) {
    out = a;
  } else if (mapping == Mapping::orthogonal) {
    const MatrixXd shift = means_.row(group).replicate(levels(), 1) - means_;
    out.resize(a.rows(), a.cols());
    for (Index j = 0; j < a.cols(); ++j) {
      poll();
      for (Index i = 0; i < a.rows(); ++i) out(i, j) = a(i, j) + shift(s[i], j);
    }
  } else {
    const Index last = counts_[group] - 1;
    out.resize(a.rows(), a.cols());
    for (Index j = 0; j < a.cols(); ++j) {
      poll();
      const double* values = sorted(group, j);
      for (Index i = 0; i < a.rows(); ++i) out(i, j) = values[last * k(i, j) / counts_[s[i]]];
    }
  }
}

MatrixXd GroupMapping::to(Mapping mapping, const MatrixXd& a, const VectorXi& s, int group) const {
  check(mapping, a, s);
  if (group < 0 || group >= levels())
    throw Error(fmt::format("the group to map to is {}; with {} levels it must be from 0 to {}", group, levels(),
                            levels() - 1));
  if (mapping != Mapping::none && !is_known(group))
    throw Error(fmt::format("the group to map to is {}, of which the training part has no row", group));
  MatrixXd out;
  fill(mapping, a, s, mapping == Mapping::marginal ? ranks(a, s) : MatrixXi(), group, out);
  return out;
}

void GroupMapping::for_each_group(Mapping mapping, const MatrixXd& a, const VectorXi& s, const Visit& visit) const {
  check(mapping, a, s);
  const MatrixXi k = mapping == Mapping::marginal ? ranks(a, s) : MatrixXi();
  MatrixXd out;
  for (int g = 0; g < levels(); ++g) {
    if (!is_known(g)) continue;
    fill(mapping, a, s, k, g, out);
    visit(g, out);
  }
}

MatrixXd GroupMapping::residual(const MatrixXd& a, const VectorXi& s) const {
  check(Mapping::orthogonal, a, s);
  MatrixXd out = a;
  for (Index i = 0; i < a.rows(); ++i) out.row(i) -= means_.row(s[i]);
  return out;
}

MatrixXd GroupMapping::averaged(Mapping mapping, const MatrixXd& a, const VectorXi& s) const {
  if (mapping != Mapping::marginal) {
    check(mapping, a, s);
    if (mapping == Mapping::none) return a;
    const MatrixXd shift = mean_.replicate(levels(), 1) - means_;
    MatrixXd out = a;
    for (Index j = 0; j < a.cols(); ++j)
      for (Index i = 0; i < a.rows(); ++i) out(i, j) += shift(s[i], j);
    return out;
  }
  MatrixXd out = MatrixXd::Zero(a.rows(), a.cols());
  for_each_group(mapping, a, s, [&](int g, const MatrixXd& mapped) { out += shares_[g] * mapped; });
  return out;
}

}  // namespace plumbline
