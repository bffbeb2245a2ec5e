#include "predict/averaged.h"

#include <fmt/format.h>

#include <cmath>

#include "plumbline/error.h"

namespace plumbline {
namespace {

void check_group(int group, int levels) {
  if (group < 0 || group >= levels)
    throw Error(fmt::format("a group is {}; with {} levels it must be from 0 to {}", group, levels, levels - 1));
}

}  // namespace

Eigen::MatrixXd with_groups(const Eigen::MatrixXd& a, const Eigen::VectorXi& s, int levels) {
  if (s.size() != a.rows())
    throw Error(fmt::format("s has {} rows and a has {}; they must have the same rows", s.size(), a.rows()));
  Eigen::MatrixXd x(a.rows(), levels + a.cols());
  x.leftCols(levels).setZero();
  x.rightCols(a.cols()) = a;
  for (Eigen::Index i = 0; i < s.size(); ++i) {
    check_group(s[i], levels);
    x(i, s[i]) = 1;
  }
  return x;
}

Eigen::MatrixXd with_groups(const Eigen::MatrixXd& a, int group, int levels) {
  return with_groups(a, Eigen::VectorXi::Constant(a.rows(), group), levels);
}

AveragedPredictor::AveragedPredictor(std::shared_ptr<const Predictor> f, Eigen::VectorXd shares)
    : f_(std::move(f)), shares_(std::move(shares)) {
  if (shares_.size() == 0 || !(shares_.minCoeff() >= 0) || !(std::abs(shares_.sum() - 1) < 1e-9))
    throw Error(fmt::format("the shares of {} groups add up to {}; they must be at least 0 and add up to 1",
                            shares_.size(), shares_.sum()));
}

Eigen::VectorXd AveragedPredictor::predict(const Eigen::MatrixXd& a) const { return f_->averaged(a, shares_); }

Eigen::VectorXd Predictor::averaged(const Eigen::MatrixXd& a, const Eigen::VectorXd& shares) const {
  const int levels = static_cast<int>(shares.size());
  Eigen::MatrixXd x = with_groups(a, 0, levels);
  Eigen::VectorXd out = Eigen::VectorXd::Zero(a.rows());
  for (int g = 0; g < levels; ++g) {
    if (shares[g] == 0) continue;
    x.leftCols(levels).setZero();
    x.col(g).setOnes();
    out += shares[g] * predict(x);
  }
  return out;
}

}  // namespace plumbline
