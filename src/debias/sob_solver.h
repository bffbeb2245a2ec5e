// The iteration of plumbline/sob.h on any symmetric operator.
#pragma once

#include <Spectra/SymEigsSolver.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <random>

#include "debias/operators.h"
#include "debias/soft_threshold.h"
#include "plumbline/rank.h"
#include "plumbline/sob.h"

namespace plumbline {

template <SymmetricOperator Op>
class SobSolver {
 public:
  SobSolver(const Op& op, const SobOptions& options)
      : op_(op), options_(options), bound_(options.bound_for(op.size())), total_(op.trace()) {}

  SobComponents solve(const Rank& rank) {
    const Index q = op_.size();
    const Index most = rank.count() > 0 ? std::min(rank.count(), q) : q;
    w_.resize(q, most);
    gw_.resize(q, most);
    SobComponents out;
    out.u.resize(q, most);
    out.d.resize(most);
    double explained = 0;
    std::mt19937_64 random(options_.seed);
    while (found_ < most && (rank.share() == 0 || explained < rank.share() * total_)) {
      const double left = total_ - gw_.leftCols(found_).squaredNorm();
      if (!(left > kNothing * total_)) {
        out.status.push_back(SobStatus::nothing_left);
        out.iterations.push_back(0);
        break;
      }
      Candidate best = improve(leading_eigenvector());
      for (int start = 0; start < options_.random_starts && best.status != SobStatus::nothing_left; ++start) {
        Candidate other = improve(random_direction(random));
        if (other.d > best.d) best = std::move(other);
      }
      out.status.push_back(best.status);
      out.iterations.push_back(best.iterations);
      if (best.status == SobStatus::nothing_left) break;
      w_.col(found_) = best.w;
      gw_.col(found_) = best.gw;
      out.u.col(found_) = best.u;
      out.d[found_++] = best.d;
      explained += best.d * best.d;
    }
    out.u.conservativeResize(q, found_);
    out.d.conservativeResize(found_);
    out.w = w_.leftCols(found_);
    return out;
  }

 private:
  using VectorXd = Eigen::VectorXd;

  static constexpr double kNothing = 1e-13;  // of the total variance
  static constexpr Index kDense = 24;        // below it a full eigendecomposition is as fast

  struct Candidate {
    VectorXd u, w, gw;
    double d = 0;
    SobStatus status = SobStatus::iteration_limit;
    int iterations = 0;
  };

  // y = (G − G W Wᵀ G) x, in the form that Spectra asks for.
  class Deflated {
   public:
    using Scalar = double;
    explicit Deflated(const SobSolver& solver) : solver_(solver) {}
    Index rows() const { return solver_.op_.size(); }
    Index cols() const { return solver_.op_.size(); }
    void perform_op(const double* in, double* out) const {
      const Eigen::Map<const VectorXd> x(in, rows());
      x_ = x;
      solver_.op_.apply(x_, y_);
      const auto gw = solver_.gw_.leftCols(solver_.found_);
      Eigen::Map<VectorXd>(out, rows()) = y_ - gw * (gw.transpose() * x);
    }

   private:
    const SobSolver& solver_;
    mutable VectorXd x_, y_;
  };

  VectorXd leading_eigenvector() const {
    const Index q = op_.size();
    if (q > kDense) {
      try {
        Deflated deflated(*this);
        Spectra::SymEigsSolver<Deflated> solver(deflated, 1, kDense);
        solver.init();
        solver.compute(Spectra::SortRule::LargestAlge, 300, 1e-11);
        if (solver.info() == Spectra::CompInfo::Successful) return with_fixed_sign(solver.eigenvectors(1));
      } catch (const std::exception&) {
        // Spectra gives up on operators that are zero to rounding in most directions.
      }
    }
    Eigen::MatrixXd dense(q, q);
    const Deflated deflated(*this);
    for (Index j = 0; j < q; ++j) deflated.perform_op(VectorXd::Unit(q, j).eval().data(), dense.col(j).data());
    return with_fixed_sign(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense).eigenvectors().col(q - 1));
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

  // w ∝ u made uncorrelated with the earlier scores, and g = G w; false if nothing is left of it.
  bool score(const VectorXd& u, VectorXd& w, VectorXd& g) {
    op_.apply(u, gu_);
    const auto gw = gw_.leftCols(found_);
    const VectorXd t = gw.transpose() * u;
    w = u - w_.leftCols(found_) * t;
    g = gu_ - gw * t;
    const double variance = w.dot(g);
    if (!(variance > kNothing * total_)) return false;
    const double length = std::sqrt(variance);
    w /= length;
    g /= length;
    return true;
  }

  Candidate improve(VectorXd u) {
    Candidate c;
    VectorXd w_before = VectorXd::Zero(u.size()), g_before = w_before, next;
    while (c.iterations < options_.max_iterations) {
      ++c.iterations;
      if (!score(u, c.w, c.gw)) {
        c.status = SobStatus::nothing_left;
        return c;
      }
      unit_soft_threshold(c.gw, bound_, sorted_, next);
      const double moved_u = (next - u).norm();
      const double moved_s = std::sqrt(std::max(0.0, (c.w - w_before).dot(c.gw - g_before)));
      u.swap(next);
      w_before = c.w;
      g_before = c.gw;
      if (moved_u <= options_.tolerance && moved_s <= options_.tolerance) {
        c.status = SobStatus::converged;
        break;
      }
    }
    // Once more, from w itself: what rounding has left of the earlier scores goes, and g is computed afresh.
    score(c.w, w_before, c.gw);
    c.w = w_before;
    unit_soft_threshold(c.gw, bound_, sorted_, u);
    c.d = c.gw.dot(u);
    c.u = std::move(u);
    return c;
  }

  const Op& op_;
  SobOptions options_;
  double bound_, total_;
  Index found_ = 0;
  Eigen::MatrixXd w_, gw_;
  VectorXd gu_;
  std::vector<double> sorted_;
};

}  // namespace plumbline
