#include "methods/fair_learning.h"

namespace plumbline {

FairLearning::FairLearning(const Sample& training, const Learner& learner, const ScmOptions& options)
    : scm_(training.a, training.s, training.levels, options),
      f_(learner(scm_.latent_mean(training.a, training.s), training.y)) {}

Eigen::VectorXd FairLearning::predict(const Eigen::MatrixXd& a, const Eigen::VectorXi& s) const {
  return f_->predict(scm_.latent_mean(a, s));
}

std::vector<std::string> FairLearning::warnings() const {
  std::vector<std::string> out;
  for (const std::string& warning : {scm_.warning(), f_->warning()})
    if (!warning.empty()) out.push_back(warning);
  return out;
}

}  // namespace plumbline
