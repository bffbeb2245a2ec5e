#include "predict/logistic.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "base/weights.h"
#include "plumbline/error.h"
#include "predict/logistic_likelihood.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRedundant = 1e-11;   // share of a column's variance that the columns before it leave
constexpr double kStandsStill = 1e-3;  // a move of η that counts as none
constexpr double kRunsAway = 0.1;      // one that does not
constexpr double kNoStep = 1e-9;       // of scaled coefficients: stands still whatever the rows
constexpr double kRounding = 1e-13;    // of the mean log-likelihood
constexpr double kArmijo = 1e-4;
constexpr int kHalvings = 40;
constexpr int kDampings = 14;

void check_data(const MatrixXd& x, const VectorXd& y, const LogisticOptions& options, const VectorXd& weights) {
  options.check();
  if (y.size() != x.rows())
    throw Error(fmt::format("y has {} rows and x has {}; they must have the same rows", y.size(), x.rows()));
  if (x.rows() == 0) throw Error("x has no rows; a regression needs at least one");
  if (x.cols() == 0 && !options.intercept)
    throw Error("x has no columns and there is no intercept; there is nothing to fit");
  for (Index i = 0; i < y.size(); ++i)
    if (y[i] != 0 && y[i] != 1) throw Error(fmt::format("y is {} in row {}; an outcome must be 0 or 1", y[i], i));
  check_some_weight({weights.data(), static_cast<std::size_t>(weights.size())}, x.rows());
}

[[noreturn]] void report_range(const MatrixXd& x) {
  for (Index j = 0; j < x.cols(); ++j)
    for (Index i = 0; i < x.rows(); ++i)
      if (!std::isfinite(x(i, j)))
        throw Error(fmt::format("x is {} in row {}, column {}; cells must be finite", x(i, j), i, j));
  throw Error(fmt::format("x has cells up to {}, whose squares a double cannot hold; rescale its columns",
                          x.cwiseAbs().maxCoeff()));
}

// Of a variance; rounding may have left less than none of it.
double root_of(double variance) { return variance > 0 && std::isfinite(variance) ? std::sqrt(variance) : 0; }

// The problem in coefficients of centred columns of unit scale, of which only the kept ones are free.
class Newton {
 public:
  Newton(LogisticLikelihood& likelihood, const MatrixXd& x, const LogisticOptions& options)
      : likelihood_(likelihood),
        options_(options),
        first_(options.intercept ? 1 : 0),
        at_(VectorXd::Zero(likelihood.parameters())),
        trial_(at_) {
    likelihood_.evaluate(at_, now_);
    if (!now_.gradient.allFinite() || !now_.hessian.allFinite()) report_range(x);
    set_scale();
    if (options.ridge > 0)
      for (Index j = 0; j < at_.size(); ++j) kept_.push_back(j);
    else
      keep_independent();
    gradient_.resize(kept());
    step_.resize(kept());
    hessian_.resize(kept(), kept());
  }

  LogisticFit run() {
    LogisticFit out;
    out.status = LogisticStatus::iteration_limit;
    for (;; ++out.iterations) {
      derive();
      out.gradient = kept() > 0 ? gradient_.cwiseAbs().maxCoeff() : 0;
      factor_and_step();
      if (out.gradient <= options_.tolerance && settled(out)) break;
      if (out.iterations == options_.max_iterations || !search()) break;
    }
    report(out);
    return out;
  }

 private:
  Index kept() const { return static_cast<Index>(kept_.size()); }
  double weight() const { return likelihood_.weight(); }

  // At 0 every row has p(1 − p) = 1/4, so the first Hessian is a quarter of the scatter.
  void set_scale() {
    scale_ = VectorXd::Ones(at_.size());
    for (Index j = first_; j < at_.size(); ++j) {
      const double scale = std::sqrt(4 * now_.hessian(j, j) / weight());
      if (scale > 0) scale_[j] = scale;
    }
  }

  // Cholesky in the order of the columns, without those that leave no pivot.
  void keep_independent() {
    const Index m = at_.size();
    MatrixXd l = MatrixXd::Zero(m, m);
    for (Index j = 0; j < m; ++j) {
      const Index k = kept();
      VectorXd row(k);
      for (Index i = 0; i < k; ++i) {
        const Index c = kept_[static_cast<std::size_t>(i)];
        row[i] = 4 * now_.hessian(j, c) / (weight() * scale_[j] * scale_[c]);
      }
      l.topLeftCorner(k, k).triangularView<Eigen::Lower>().solveInPlace(row);
      const double whole = 4 * now_.hessian(j, j) / (weight() * scale_[j] * scale_[j]);
      const double rest = whole - row.squaredNorm();
      if (!(rest > kRedundant * whole)) continue;
      l.row(k).head(k) = row;
      l(k, k) = std::sqrt(rest);
      kept_.push_back(j);
    }
  }

  bool is_penalised(Index column) const { return column >= first_; }

  double objective(const Likelihood& at, const VectorXd& coefficients) const {
    const double square = coefficients.tail(coefficients.size() - first_).squaredNorm();
    return (at.value - options_.ridge / 2 * square) / weight();
  }

  void derive() {
    for (Index i = 0; i < kept(); ++i) {
      const Index c = kept_[static_cast<std::size_t>(i)];
      const double ridge = is_penalised(c) ? options_.ridge : 0;
      gradient_[i] = (now_.gradient[c] - ridge * at_[c]) / (weight() * scale_[c]);
      for (Index j = 0; j <= i; ++j) {
        const Index d = kept_[static_cast<std::size_t>(j)];
        hessian_(i, j) = now_.hessian(c, d) / (weight() * scale_[c] * scale_[d]);
      }
      hessian_(i, i) += ridge / (weight() * scale_[c] * scale_[c]);
    }
  }

  // Where rows have run out of curvature, a little more on the diagonal makes the step defined and still uphill.
  void factor_and_step() {
    if (kept() == 0) return;
    const double size = std::max(hessian_.diagonal().maxCoeff(), 1e-300);
    double damping = 0;
    for (int attempt = 0; attempt < kDampings; ++attempt) {
      hessian_.diagonal().array() += damping * size;
      damping = damping == 0 ? 1e-13 : 10 * damping;
      factor_.compute(hessian_);
      if (factor_.info() != Eigen::Success) continue;
      step_ = gradient_;
      factor_.solveInPlace(step_);
      if (step_.allFinite() && gradient_.dot(step_) >= 0) return;
    }
    step_ = gradient_;
  }

  VectorXd unscaled_step() const {
    VectorXd out = VectorXd::Zero(at_.size());
    for (Index i = 0; i < kept(); ++i) {
      const Index c = kept_[static_cast<std::size_t>(i)];
      out[c] = step_[i] / scale_[c];
    }
    return out;
  }

  bool settled(LogisticFit& out) const {
    out.status = LogisticStatus::converged;
    if (kept() == 0 || step_.lpNorm<1>() <= kNoStep) return true;
    const LogisticLikelihood::Move move = likelihood_.move(unscaled_step());
    if (move.largest <= kStandsStill) return true;
    const bool separated = move.largest > kRunsAway && move.wrong <= kStandsStill;
    out.status = separated ? LogisticStatus::separated : LogisticStatus::iteration_limit;
    return separated;
  }

  // Steps, by halves until the function rises as its slope promises, and evaluates there. False: it never does.
  bool search() {
    const double before = objective(now_, at_), slope = gradient_.dot(step_);
    const VectorXd direction = unscaled_step();
    double length = 1;
    for (int halving = 0; halving < kHalvings; ++halving, length /= 2) {
      trial_ = at_ + length * direction;
      likelihood_.evaluate(trial_, next_);
      const double risen = objective(next_, trial_) - before;
      if (!(risen >= kArmijo * length * slope - kRounding) || !next_.hessian.allFinite()) continue;
      std::swap(at_, trial_);
      std::swap(now_, next_);
      return true;
    }
    return false;
  }

  void report(LogisticFit& out) const {
    const Index m = at_.size() - first_;
    const VectorXd& origin = likelihood_.origin();
    out.coefficients = at_.tail(m);
    out.intercept = first_ == 1 ? at_[0] - origin.dot(out.coefficients) : 0;
    out.log_likelihood = now_.value;
    out.standard_errors = VectorXd::Zero(m);
    std::size_t next = 0;
    for (Index j = 0; j < at_.size(); ++j) {
      if (next < kept_.size() && kept_[next] == j)
        ++next;
      else
        out.redundant.push_back(j - first_);
    }
    report_errors(out);
    if (out.status == LogisticStatus::separated)
      out.warning = fmt::format(
          "the outcome is separated: a combination of the columns decides some rows without exception, so the "
          "likelihood has no maximum; the coefficients are those after {} steps, where its gradient is {:.2g}",
          out.iterations, out.gradient);
    else if (out.status == LogisticStatus::iteration_limit)
      out.warning = out.gradient > options_.tolerance
                        ? fmt::format("after {} steps the gradient is {:.2g}, above the tolerance of {:.2g}",
                                      out.iterations, out.gradient, options_.tolerance)
                        : fmt::format(
                              "after {} steps predictions still move, though the gradient is {:.2g}: a combination of "
                              "the columns nearly decides the outcome",
                              out.iterations, out.gradient);
  }

  void report_errors(LogisticFit& out) const {
    if (kept() == 0) return;
    MatrixXd covariance = factor_.solve(MatrixXd::Identity(kept(), kept())) / weight();
    VectorXd to_intercept(kept());
    for (Index i = 0; i < kept(); ++i) {
      const Index c = kept_[static_cast<std::size_t>(i)];
      covariance.row(i) /= scale_[c];
      covariance.col(i) /= scale_[c];
      to_intercept[i] = is_penalised(c) ? -likelihood_.origin()[c - first_] : 1;
    }
    for (Index i = 0; i < kept(); ++i) {
      const Index c = kept_[static_cast<std::size_t>(i)];
      if (c >= first_) out.standard_errors[c - first_] = root_of(covariance(i, i));
    }
    if (first_ == 1) out.intercept_error = root_of(to_intercept.dot(covariance * to_intercept));
  }

  LogisticLikelihood& likelihood_;
  const LogisticOptions& options_;
  Index first_;
  VectorXd at_, trial_, scale_;  // coefficients of centred columns; what scales these to 1
  Likelihood now_, next_;
  std::vector<Index> kept_;
  VectorXd gradient_, step_;  // of the kept ones, scaled
  MatrixXd hessian_;
  Eigen::LLT<MatrixXd> factor_;
};

}  // namespace

void LogisticOptions::check() const {
  if (!(ridge >= 0 && std::isfinite(ridge)))
    throw Error(fmt::format("ridge is {}; it must be finite and at least 0", ridge));
  if (!(tolerance > 0)) throw Error(fmt::format("tolerance is {}; it must be positive", tolerance));
  if (max_iterations < 1) throw Error(fmt::format("max_iterations is {}; it must be at least 1", max_iterations));
  if (threads < 0) throw Error(fmt::format("threads is {}; it must be at least 1, or 0 for one a core", threads));
}

const char* name_of(LogisticStatus status) {
  switch (status) {
    case LogisticStatus::converged:
      return "converged";
    case LogisticStatus::separated:
      return "separated";
    case LogisticStatus::iteration_limit:
      return "iteration limit";
  }
  return "";
}

VectorXd LogisticRegression::predict(const MatrixXd& x) const {
  if (x.cols() != fit_.coefficients.size())
    throw Error(fmt::format("x has {} columns; the regression was fitted to {}", x.cols(), fit_.coefficients.size()));
  const VectorXd eta = (x * fit_.coefficients).array() + fit_.intercept;
  if (!eta.allFinite()) report_range(x);
  return eta.unaryExpr([](double e) { return 1 / (1 + std::exp(-e)); });
}

LogisticRegression fit_logistic(const MatrixXd& x, const VectorXd& y, const LogisticOptions& options,
                                const VectorXd& weights) {
  check_data(x, y, options, weights);
  LogisticLikelihood likelihood(x, y, weights, options.intercept, options.threads);
  return LogisticRegression(Newton(likelihood, x, options).run());
}

Learner logistic_learner(const LogisticOptions& options) {
  options.check();
  return [options](const MatrixXd& x, const VectorXd& y) {
    return std::make_unique<const LogisticRegression>(fit_logistic(x, y, options));
  };
}

}  // namespace plumbline
