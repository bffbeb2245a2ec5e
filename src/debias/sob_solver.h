// The iteration of plumbline/sob.h on any symmetric operator.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "debias/lanczos.h"
#include "debias/operators.h"
#include "debias/soft_threshold.h"
#include "plumbline/poll.h"
#include "plumbline/rank.h"
#include "plumbline/sob.h"

namespace plumbline {

struct SobComponents {
  Eigen::MatrixXd u;  // q × k, unit columns, ‖u_j‖₁ ≤ h
  Eigen::MatrixXd w;  // q × k, WᵀGW = I
  Eigen::VectorXd d;  // k
  // One a component tried; nothing_left as the last says that G was used up before the rank was reached.
  std::vector<SobStatus> status;
  std::vector<int> iterations;
};

template <SymmetricOperator Op>
class SobSolver {
 public:
  SobSolver(Op op, const SobOptions& options)
      : op_(std::move(op)),
        options_(options),
        bound_(options.bound_for(op_.size())),
        total_(op_.trace()),
        nothing_(std::max(kNothing, kEpsilon * static_cast<double>(op_.size()))),
        w_(op_.size(), 0),
        gw_(op_.size(), 0) {
    std::mt19937_64 random(1);
    generic_ = random_direction(random);
  }

  SobComponents solve(const Rank& rank) {
    const Index q = op_.size();
    const Index wanted = rank.count() > 0 ? std::min(rank.count(), q) : q;
    SobComponents out;
    std::vector<double> d;
    double explained = 0;
    std::mt19937_64 random(options_.seed);
    while (found_ < wanted && (rank.share() == 0 || explained < rank.share() * total_)) {
      const double left = total_ - gw_.leftCols(found_).squaredNorm();
      if (found_ == op_.rank_limit() || !(left > nothing_ * total_)) {
        out.status.push_back(SobStatus::nothing_left);
        out.iterations.push_back(0);
        break;
      }
      Candidate best = improve(start());
      for (int i = 0; i < options_.random_starts && best.status != SobStatus::nothing_left; ++i) {
        Candidate other = improve(random_direction(random));
        if (other.d > best.d) best = std::move(other);
      }
      out.status.push_back(best.status);
      out.iterations.push_back(best.iterations);
      if (best.status == SobStatus::nothing_left) break;
      op_.deflate(best.w, best.gw);
      put(best.w, w_);
      put(best.gw, gw_);
      put(best.u, out.u);
      d.push_back(best.d);
      ++found_;
      explained += best.d * best.d;
    }
    out.u.conservativeResize(q, found_);
    out.d = Eigen::Map<const VectorXd>(d.data(), found_);
    out.w = w_.leftCols(found_);
    return out;
  }

 private:
  using VectorXd = Eigen::VectorXd;

  static constexpr double kNothing = 1e-13;  // of the total variance, or what rounding leaves of q terms
  static constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  static constexpr Index kDense = 24;                    // below it a full eigendecomposition is as fast
  static constexpr double kExact = 1e-11, kNear = 1e-6;  // residuals of a start, in units of its eigenvalue
  static constexpr int kPlainSteps = 100;                // without momentum: they decide which maximum it is

  struct Candidate {
    VectorXd u, w, gw;
    double d = 0;
    SobStatus status = SobStatus::iteration_limit;
    int iterations = 0;
  };

  // As column found_. Room grows with what is found, which may be far less than q.
  void put(const VectorXd& column, Eigen::MatrixXd& columns) const {
    if (columns.cols() == found_) columns.conservativeResize(column.size(), std::min(op_.rank_limit(), 2 * found_ + 8));
    columns.col(found_) = column;
  }

  // As exactly as the steps that follow; where the bound does not bind, the start is the result.
  VectorXd start() const {
    if (op_.rank_limit() > kDense) {
      const bool may_bind = bound_ * bound_ < static_cast<double>(op_.size());
      VectorXd u = leading_by_lanczos(op_, generic_, may_bind ? std::clamp(options_.tolerance, kExact, kNear) : kExact);
      if (may_bind && u.size() > 0 && u.lpNorm<1>() <= bound_) u = leading_by_lanczos(op_, std::move(u), kExact);
      if (u.size() > 0) return with_fixed_sign(std::move(u));
    }
    return with_fixed_sign(op_.leading_eigenvector());
  }

  static VectorXd with_fixed_sign(VectorXd u) {
    Index at = 0;
    u.cwiseAbs().maxCoeff(&at);
    return u[at] < 0 ? VectorXd(-u) : u;
  }

  VectorXd random_direction(std::mt19937_64& random) const {
    VectorXd u(op_.size());
    for (double& value : u) value = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    return u.normalized();
  }

  // g = G u and the standard deviation of u; 0 if nothing is left of it, where there was `before`. The operator is
  // deflated, so that u over its deviation is a w of unit variance but for what earlier scores have of it.
  double deviation(const VectorXd& u, VectorXd& g, double before) const {
    op_.apply(u, g);
    const double variance = u.dot(g);
    return variance > nothing_ * before ? std::sqrt(variance) : 0;
  }

  // After kPlainSteps, steps gain momentum: they start beyond u, at y = u + β step, for which G y costs no product but
  // follows from the last two g. When a step leads back, as seen from y, β grows from its least again. Without it flat
  // maxima take thousands of steps.
  Candidate improve(VectorXd u) {
    Candidate c;
    const kernels::SparseDispatch& kernel = kernels::active().sparse;
    const Index q = u.size();
    VectorXd before = VectorXd::Zero(q), g_before = before, step = before, ahead(q), next;
    int age = 0;
    while (c.iterations < options_.max_iterations) {
      ++c.iterations;
      poll();
      const double length = deviation(u, c.gw, total_);
      if (length == 0) {
        c.status = SobStatus::nothing_left;
        return c;
      }
      age = c.iterations > kPlainSteps ? age + 1 : 0;
      const double beyond = static_cast<double>(age) / (age + 3);
      const double moved = kernel.extrapolate(
          {1 / length, beyond, u.data(), g_before.data(), before.data(), c.gw.data(), ahead.data()}, q);
      unit_soft_threshold(ahead, bound_, scratch_, next);
      const auto [agreement, squares] = kernel.advance(u.data(), next.data(), q, step.data());
      if (beyond * agreement > squares) age = 0;
      u.swap(next);
      g_before.swap(c.gw);
      const double tolerated = options_.tolerance * options_.tolerance;
      if (squares <= tolerated && moved <= tolerated) {
        c.status = SobStatus::converged;
        break;
      }
    }
    // Twice: the second time takes away what rounding has left of the earlier scores.
    c.w = std::move(before);
    for (int round = 0; round < 2; ++round) {
      const double length = deviation(c.w, c.gw, 1);
      if (length == 0) {
        c.status = SobStatus::nothing_left;
        return c;
      }
      c.gw /= length;
      const VectorXd earlier = gw_.leftCols(found_).transpose() * c.w;
      c.w = (c.w - w_.leftCols(found_) * earlier) / length;
    }
    unit_soft_threshold(c.gw, bound_, scratch_, u);
    c.d = c.gw.dot(u);
    c.u = std::move(u);
    return c;
  }

  Op op_;  // deflated by all that was found
  SobOptions options_;
  double bound_, total_, nothing_;
  Index found_ = 0;
  Eigen::MatrixXd w_, gw_;
  VectorXd generic_;  // has a share in every eigenvector
  SoftThresholdScratch scratch_;
};

}  // namespace plumbline
