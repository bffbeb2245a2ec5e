#include "debias/large_eigen.h"

#include <Eigen/Householder>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "debias/tridiagonal.h"
#include "kernels/kernels.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kStepsTogether = 64;  // QR steps whose rotations are
constexpr Index kStepsAValue = 40;    // two are usual
constexpr Index kRows = kernels::kRotatedRows;

// The rotations of one QR step, of neighbouring columns from `first` on.
struct Step {
  Index first = 0;
  std::vector<double> c, s;
};

// Diagonalises rows and columns first to last of T by one step, towards its last value.
void qr_step(Index first, Index last, VectorXd& diagonal, VectorXd& off, Step& step) {
  step.first = first;
  step.c.clear();
  step.s.clear();
  const double half = (diagonal[last - 1] - diagonal[last]) / 2, e = off[last - 1];
  const double shift = diagonal[last] - e / ((half + std::copysign(std::hypot(half, e), half)) / e);
  double x = diagonal[first] - shift, bulge = off[first];
  for (Index k = first; k < last; ++k) {
    const double r = std::hypot(x, bulge);
    const double c = r > 0 ? x / r : 1.0, s = r > 0 ? bulge / r : 0.0;
    if (k > first) off[k - 1] = r;
    const double turned = (diagonal[k + 1] - diagonal[k]) * s + 2 * c * off[k];
    diagonal[k] += s * turned;
    diagonal[k + 1] -= s * turned;
    off[k] = x = c * turned - off[k];
    if (k + 1 < last) {
      bulge = s * off[k + 1];
      off[k + 1] *= c;
    }
    step.c.push_back(c);
    step.s.push_back(s);
  }
}

// Leaves the values in `diagonal`, in no order, and gives every step to `take`.
template <class Take>
void diagonalise(VectorXd& diagonal, VectorXd& off, const Take& take) {
  const auto is_zero = [&](Index i) {
    return std::abs(off[i]) <=
           std::numeric_limits<double>::epsilon() * (std::abs(diagonal[i]) + std::abs(diagonal[i + 1])) +
               std::numeric_limits<double>::min();
  };
  Step step;
  Index steps = 0;
  for (Index last = diagonal.size() - 1; last > 0;) {
    if (is_zero(last - 1)) {
      --last;
      continue;
    }
    Index first = last - 1;
    while (first > 0 && !is_zero(first - 1)) --first;
    if (++steps > kStepsAValue * diagonal.size())
      throw Error("a decomposition of the covariances did not converge; are they finite?");
    qr_step(first, last, diagonal, off, step);
    take(step);
  }
}

// Q, some rows at a time, turned by steps that are kept until there are enough of them.
class RotatedColumns {
 public:
  explicit RotatedColumns(const MatrixXd& q)
      : n_(q.rows()), panels_((n_ + kRows - 1) / kRows), cells_(MatrixXd::Zero(kRows, panels_ * n_)) {
    for (Index p = 0; p < panels_; ++p) panel(p).topRows(rows_of(p)) = q.middleRows(p * kRows, rows_of(p));
  }

  void take(const Step& step) {
    kept_.push_back(step);
    if (static_cast<Index>(kept_.size()) == kStepsTogether) turn();
  }

  MatrixXd columns(const std::vector<Index>& order) {
    turn();
    MatrixXd out(n_, n_);
    for (Index p = 0; p < panels_; ++p)
      out.middleRows(p * kRows, rows_of(p)) = panel(p)(Eigen::seqN(0, rows_of(p)), order);
    return out;
  }

 private:
  Index rows_of(Index p) const { return std::min(kRows, n_ - p * kRows); }
  MatrixXd::ColsBlockXpr panel(Index p) { return cells_.middleCols(p * n_, n_); }

  void turn() {
    for (Index p = 0; p < panels_; ++p)
      for (const Step& step : kept_)
        kernels::active().rotate(cells_.col(p * n_ + step.first).data(), static_cast<Index>(step.c.size()),
                                 step.c.data(), step.s.data());
    kept_.clear();
  }

  Index n_, panels_;
  MatrixXd cells_;  // panel p has columns p n to (p + 1) n
  std::vector<Step> kept_;
};

// A power of two near the largest entry: to divide by it rounds nothing, and no square leaves the range of a double.
double unit_of(const MatrixXd& symmetric) {
  const double largest = symmetric.cwiseAbs().maxCoeff();
  return largest > 0 ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
}

}  // namespace

SymmetricEigen large_symmetric_eigen(const MatrixXd& symmetric) {
  const Index n = symmetric.rows();
  const double unit = unit_of(symmetric);
  Tridiagonal t = tridiagonalised(symmetric / unit);
  RotatedColumns q(
      Eigen::HouseholderSequence<MatrixXd, VectorXd>(t.reflectors, t.factors).setLength(n - 1).setShift(1));
  diagonalise(t.diagonal, t.off, [&](const Step& step) { q.take(step); });
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return t.diagonal[i] > t.diagonal[j]; });
  return {unit * t.diagonal(order), q.columns(order)};
}

VectorXd large_symmetric_eigenvalues(const MatrixXd& symmetric) {
  const double unit = unit_of(symmetric);
  Tridiagonal t = tridiagonalised(symmetric / unit);
  diagonalise(t.diagonal, t.off, [](const Step&) {});
  std::sort(t.diagonal.begin(), t.diagonal.end(), std::greater<>());
  return unit * t.diagonal;
}

}  // namespace plumbline
