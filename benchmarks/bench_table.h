// Tables of the size that the design sets targets for.
#pragma once

#include <Eigen/Core>
#include <random>

#include "plumbline/columns.h"

namespace plumbline::bench {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline constexpr Index kRows = 1'000'000, kFeatures = 50, kSensitive = 3;

template <class M>
M filled(Index rows, Index cols) {
  M x(rows, cols);
  std::minstd_rand engine(1);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(engine()) * 0x1p-31;
  return x;
}

// One table that holds a and b, as a data frame does: the sensitive columns come first.
template <class M>
struct Table {
  Table(Index rows, Index q, Index p) : x(filled<M>(rows, p + q)), out(M::Zero(rows, q)) {
    x.rightCols(q) += x.leftCols(1).replicate(1, q);
  }
  Columns a() const { return Columns(x.rightCols(out.cols())); }
  Columns b() const { return Columns(x.leftCols(x.cols() - out.cols())); }
  double bytes() const { return static_cast<double>(x.size() + out.size()) * sizeof(double); }
  M x, out;
};

}  // namespace plumbline::bench
