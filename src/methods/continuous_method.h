// The methods that the paper compares where the sensitive columns are numbers: fitted on a training sample, applied to
// anyone.
//
//   ŷ = f(T(a, b))        a: n × q features, b: n × p sensitive columns        f: what the learner fits to T(A, B), y
//
//   aware         T = [b, a]                                    ML
//   unaware       T = a                                         FTU
//   debiased      T = ã, what a fit of the engine makes of a    OB, SOB, and their variants (plumbline/fit.h)
//   transformed   T as it is given; `warning` is a sentence on how it was fitted, or empty
//   discretised   a method for groups (method.h), the groups being bins of b        FL, EO, AA, FLAP
//
// Bins are of equal frequency: their edges are the training quantiles 1/m … (m − 1)/m of b, the smallest value v with
// at least that share of rows at or below v, and b is in bin i if exactly i edges are below it. Rows with equal b are
// in one bin, so bins are of unequal size where b has ties, and edges that are equal leave bins empty: `levels` counts
// those that are not.
//
// Error when a sample does not pass its check, shapes disagree, or options are out of range; whatever fit and the
// learner throw.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "methods/continuous_sample.h"
#include "methods/method.h"
#include "plumbline/fit.h"
#include "predict/predictor.h"

namespace plumbline {

class ContinuousMethod {
 public:
  ContinuousMethod() = default;
  ContinuousMethod(const ContinuousMethod&) = delete;
  ContinuousMethod& operator=(const ContinuousMethod&) = delete;
  virtual ~ContinuousMethod() = default;

  virtual Eigen::VectorXd predict(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) const = 0;
  virtual std::vector<std::string> warnings() const = 0;  // a sentence each
};

using FittedContinuous = std::unique_ptr<const ContinuousMethod>;

FittedContinuous fit_aware(const ContinuousSample& training, const Learner& learner);
FittedContinuous fit_unaware(const ContinuousSample& training, const Learner& learner);
FittedContinuous fit_debiased(const ContinuousSample& training, const Learner& learner, const FitOptions& options,
                              const std::optional<ExpansionOptions>& expand = std::nullopt,
                              const TableFit& debias = fit_here());

using ContinuousTransform = std::function<Eigen::MatrixXd(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b)>;
FittedContinuous fit_transformed(const ContinuousSample& training, const Learner& learner,
                                 ContinuousTransform transform, std::string warning = {});

// `name` is one of method_names(); b has one column.
FittedContinuous fit_discretised(std::string_view name, const ContinuousSample& training, int bins,
                                 const MethodOptions& options);

class QuantileBins {
 public:
  QuantileBins(const Eigen::VectorXd& b, int bins);  // bins: from 1 to 1,000

  int levels() const { return static_cast<int>(edges_.size()) + 1; }
  Eigen::VectorXi of(const Eigen::VectorXd& b) const;

 private:
  std::vector<double> edges_;  // increasing
};

}  // namespace plumbline
