#include "metrics/dependence.h"

#include <fmt/format.h>

#include <cmath>

#include "base/ordered.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Sums {
  double xb = 0, xx = 0, bb = 0;
};

// Distances of row i to all rows; rows are columns here, so that they lie together.
VectorXd distances(const MatrixXd& rows, Index i) { return (rows.colwise() - rows.col(i)).colwise().norm(); }

}  // namespace

double distance_correlation(const MatrixXd& x, const MatrixXd& b, int threads, const std::function<void()>& row_done) {
  if (x.rows() != b.rows() || x.rows() == 0)
    throw Error(
        fmt::format("x has {} rows and b has {}; they must have as many, and one at least", x.rows(), b.rows()));
  if (!x.allFinite() || !b.allFinite()) throw Error("a cell is not finite; every cell must be");
  const Index n = x.rows();
  const MatrixXd xt = x.transpose(), bt = b.transpose();
  const int workers = thread_count(threads, n);
  VectorXd mean_x(n), mean_b(n);
  run_ordered(
      n, workers,
      [&](Index i, int) {
        mean_x[i] = distances(xt, i).mean();
        mean_b[i] = distances(bt, i).mean();
      },
      [&](Index, int) {
        if (row_done) row_done();
      });
  const double all_x = mean_x.mean(), all_b = mean_b.mean();
  std::vector<Sums> part(static_cast<std::size_t>(workers));
  Sums sum;
  run_ordered(
      n, workers,
      [&](Index i, int slot) {
        const VectorXd one = distances(xt, i).array() - mean_x.array() - (mean_x[i] - all_x);
        const VectorXd two = distances(bt, i).array() - mean_b.array() - (mean_b[i] - all_b);
        part[static_cast<std::size_t>(slot)] = {one.dot(two), one.squaredNorm(), two.squaredNorm()};
      },
      [&](Index, int slot) {
        const Sums& row = part[static_cast<std::size_t>(slot)];
        sum.xb += row.xb;
        sum.xx += row.xx;
        sum.bb += row.bb;
        if (row_done) row_done();
      });
  const double scale = std::sqrt(sum.xx) * std::sqrt(sum.bb);
  return scale > 0 ? std::sqrt(std::max(0.0, sum.xb / scale)) : 0;
}

}  // namespace plumbline
