#include "debias/tridiagonal.h"

#include <Eigen/Householder>
#include <algorithm>
#include <utility>

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kBlock = 32;  // reflections that are applied together

auto reflections(const Tridiagonal& t) {
  return Eigen::HouseholderSequence<MatrixXd, VectorXd>(t.reflectors, t.factors)
      .setLength(t.diagonal.size() - 1)
      .setShift(1);
}

}  // namespace

// Until a block is done, S stands for S − V Wᵀ − W Vᵀ with the columns of V and W so far.
Tridiagonal tridiagonalised(MatrixXd s) {
  const Index n = s.rows();
  Tridiagonal t{VectorXd(n), VectorXd(n - 1), {}, VectorXd(n - 1)};
  MatrixXd v = MatrixXd::Zero(n, kBlock), w = v;
  for (Index first = 0; first < n - 1; first += kBlock) {
    const Index block = std::min(kBlock, n - 1 - first);
    for (Index i = 0; i < block; ++i) {
      const Index j = first + i, rest = n - j - 1;
      auto column = s.col(j).tail(rest + 1);
      column.noalias() -= v.block(j, 0, rest + 1, i) * w.row(j).head(i).transpose();
      column.noalias() -= w.block(j, 0, rest + 1, i) * v.row(j).head(i).transpose();
      t.diagonal[j] = column[0];
      auto reflector = column.tail(rest);
      reflector.makeHouseholderInPlace(t.factors[j], t.off[j]);
      reflector[0] = 1;
      v.col(i).head(j + 1).setZero();
      v.col(i).tail(rest) = reflector;
      w.col(i).head(j + 1).setZero();
      auto image = w.col(i).tail(rest);
      const auto earlier_v = v.block(j + 1, 0, rest, i), earlier_w = w.block(j + 1, 0, rest, i);
      image.noalias() = s.bottomRightCorner(rest, rest).selfadjointView<Eigen::Lower>() * reflector;
      image.noalias() -= earlier_v * (earlier_w.transpose() * reflector);
      image.noalias() -= earlier_w * (earlier_v.transpose() * reflector);
      image *= t.factors[j];
      image -= (t.factors[j] / 2 * image.dot(reflector)) * reflector;
    }
    const Index rest = n - first - block;
    auto left = s.bottomRightCorner(rest, rest);
    left.triangularView<Eigen::Lower>() -=
        v.bottomLeftCorner(rest, block) * w.bottomLeftCorner(rest, block).transpose();
    left.triangularView<Eigen::Lower>() -=
        w.bottomLeftCorner(rest, block) * v.bottomLeftCorner(rest, block).transpose();
  }
  t.diagonal[n - 1] = s(n - 1, n - 1);
  t.reflectors = std::move(s);
  return t;
}

void multiply_by_q(const Tridiagonal& t, MatrixXd& m) { m.applyOnTheLeft(reflections(t)); }

void multiply_by_q_transposed(const Tridiagonal& t, MatrixXd& m) { m.applyOnTheLeft(reflections(t).transpose()); }

}  // namespace plumbline
