#include "methods/continuous_method.h"

#include <fmt/format.h>

#include <algorithm>

#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Shape {
  explicit Shape(const ContinuousSample& training) : features(training.a.cols()), sensitive(training.b.cols()) {}

  void check(const MatrixXd& a, const MatrixXd& b) const {
    if (a.cols() != features)
      throw Error(fmt::format("a has {} columns; the method was fitted to {}", a.cols(), features));
    if (b.cols() != sensitive)
      throw Error(fmt::format("b has {} columns; the method was fitted to {}", b.cols(), sensitive));
    if (a.rows() != b.rows())
      throw Error(fmt::format("a has {} rows and b has {}; they must have the same rows", a.rows(), b.rows()));
  }

  Index features, sensitive;
};

void append(std::vector<std::string>& list, std::string sentence) {
  if (!sentence.empty()) list.push_back(std::move(sentence));
}

class Prepared final : public ContinuousMethod {
 public:
  Prepared(const ContinuousSample& training, const Learner& learner, ContinuousTransform transform, std::string warning)
      : shape_(training),
        transform_(std::move(transform)),
        f_(learner(transform_(training.a, training.b), training.y)),
        warning_(std::move(warning)) {}

  VectorXd predict(const MatrixXd& a, const MatrixXd& b) const override {
    shape_.check(a, b);
    return f_->predict(transform_(a, b));
  }

  std::vector<std::string> warnings() const override {
    std::vector<std::string> out;
    append(out, warning_);
    append(out, f_->warning());
    return out;
  }

 private:
  Shape shape_;
  ContinuousTransform transform_;
  std::unique_ptr<const Predictor> f_;
  std::string warning_;
};

class Discretised final : public ContinuousMethod {
 public:
  Discretised(std::string_view name, const ContinuousSample& training, int bins, const MethodOptions& options)
      : shape_(training),
        bins_(training.b.col(0), bins),
        method_(fit_method(name, {training.a, bins_.of(training.b.col(0)), training.y, bins_.levels()}, options)) {}

  VectorXd predict(const MatrixXd& a, const MatrixXd& b) const override {
    shape_.check(a, b);
    return method_->predict(a, bins_.of(b.col(0)));
  }

  std::vector<std::string> warnings() const override { return method_->warnings(); }

 private:
  Shape shape_;
  QuantileBins bins_;
  std::unique_ptr<const FittedMethod> method_;
};

}  // namespace

QuantileBins::QuantileBins(const VectorXd& b, int bins) {
  if (bins < 1 || bins > 1000) throw Error(fmt::format("bins is {}; it must be from 1 to 1000", bins));
  if (b.size() == 0) throw Error("b has no rows; bins need at least one");
  std::vector<double> sorted(b.begin(), b.end());
  std::sort(sorted.begin(), sorted.end());
  for (Index i = 1; i < bins; ++i) {
    const Index rank = (i * b.size() + bins - 1) / bins;  // the first with a share of i / bins at or below it
    const double edge = sorted[static_cast<std::size_t>(std::max<Index>(rank, 1) - 1)];
    if (edge < sorted.back() && (edges_.empty() || edge > edges_.back())) edges_.push_back(edge);
  }
}

Eigen::VectorXi QuantileBins::of(const VectorXd& b) const {
  Eigen::VectorXi out(b.size());
  for (Index i = 0; i < b.size(); ++i)
    out[i] = static_cast<int>(std::lower_bound(edges_.begin(), edges_.end(), b[i]) - edges_.begin());
  return out;
}

FittedContinuous fit_transformed(const ContinuousSample& training, const Learner& learner,
                                 ContinuousTransform transform, std::string warning) {
  training.check();
  return std::make_unique<Prepared>(training, learner, std::move(transform), std::move(warning));
}

FittedContinuous fit_aware(const ContinuousSample& training, const Learner& learner) {
  return fit_transformed(training, learner, [](const MatrixXd& a, const MatrixXd& b) {
    MatrixXd out(a.rows(), a.cols() + b.cols());
    out << b, a;
    return out;
  });
}

FittedContinuous fit_unaware(const ContinuousSample& training, const Learner& learner) {
  return fit_transformed(training, learner, [](const MatrixXd& a, const MatrixXd&) { return a; });
}

FittedContinuous fit_debiased(const ContinuousSample& training, const Learner& learner, const FitOptions& options,
                              const std::optional<ExpansionOptions>& expand, const TableFit& debias) {
  training.check();
  const Fit fitted = debias(training.a, training.b, options, {.expand = expand, .threads = 1});
  return fit_transformed(
      training, learner,
      [model = fitted.model](const MatrixXd& a, const MatrixXd& b) { return model.apply(a, b, {.threads = 1}); },
      warning_of(fitted.sob_status));
}

FittedContinuous fit_discretised(std::string_view name, const ContinuousSample& training, int bins,
                                 const MethodOptions& options) {
  training.check();
  if (training.b.cols() != 1)
    throw Error(fmt::format("b has {} columns; bins are made of a single one", training.b.cols()));
  return std::make_unique<Discretised>(name, training, bins, options);
}

}  // namespace plumbline
