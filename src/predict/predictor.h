// A fitted f(x), and what fits one.
//
// clang-format off
//   predict    x: n × columns, without a constant column  →  n predictions; probabilities of 1 for an outcome of 0 or 1
//   averaged   Σ_g shares_g predict([1_g, a]),  1_g: an indicator of each group, before the features (averaged.h)
// clang-format on
//
// An intercept is the learner's business. Both throw Error when shapes disagree or a cell is not finite.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <string>

namespace plumbline {

class Predictor {
 public:
  Predictor() = default;
  Predictor(const Predictor&) = default;
  Predictor(Predictor&&) = default;
  Predictor& operator=(const Predictor&) = default;
  Predictor& operator=(Predictor&&) = default;
  virtual ~Predictor() = default;

  virtual Eigen::VectorXd predict(const Eigen::MatrixXd& x) const = 0;

  // Group by group, unless a predictor knows what they share. Groups of share 0 are passed over.
  virtual Eigen::VectorXd averaged(const Eigen::MatrixXd& a, const Eigen::VectorXd& shares) const;

  // A sentence if the fit is not what was asked for; else empty.
  virtual std::string warning() const { return {}; }
};

using Learner = std::function<std::unique_ptr<const Predictor>(const Eigen::MatrixXd& x, const Eigen::VectorXd& y)>;

}  // namespace plumbline
