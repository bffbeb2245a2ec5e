// The form that most methods share: features are prepared, then predicted from.
//
//   alone      f(T(a, s)),                    f fitted to T(A, S)
//   averaged   Σ_g P(g) f([g, T(a, s)]),      f fitted to [S, T(A, S)]
//
// T is given, and throws Error on groups that it cannot take; `warning` is a sentence on how it was fitted, or empty.
#pragma once

#include <functional>
#include <memory>

#include "methods/method.h"

namespace plumbline {

using Prepare = std::function<Eigen::MatrixXd(const Eigen::MatrixXd& a, const Eigen::VectorXi& s)>;

enum class Use { alone, averaged };

std::unique_ptr<const FittedMethod> fit_pipeline(const Sample& training, const Learner& learner, Prepare prepare,
                                                 Use use, std::string warning = {});

// Rows to predict for are people with the features of the training sample; throws Error otherwise.
struct Shape {
  explicit Shape(const Sample& training) : features(training.a.cols()), levels(training.levels) {}
  void check(const Eigen::MatrixXd& a, const Eigen::VectorXi& s) const;

  Eigen::Index features;
  int levels;
};

}  // namespace plumbline
