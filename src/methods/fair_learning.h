// FairLearning (Kusner et al. 2017): decisions from the latent part of a structural model alone, which no change of the
// group can reach.
//
//   û = E[U | a, s, training sample] (linear_scm.h)        p = f(û)
//
// f is fitted by the learner to û of the training rows. U is not a descendant of S, so p is counterfactually fair as
// far as the model is true. That the chains have not converged is among the warnings.
#pragma once

#include <memory>

#include "methods/linear_scm.h"
#include "methods/method.h"

namespace plumbline {

class FairLearning final : public FittedMethod {
 public:
  FairLearning(const Sample& training, const Learner& learner, const ScmOptions& options = {});

  const LinearScm& scm() const { return scm_; }
  Eigen::VectorXd predict(const Eigen::MatrixXd& a, const Eigen::VectorXi& s) const override;
  std::vector<std::string> warnings() const override;

 private:
  LinearScm scm_;
  std::unique_ptr<const Predictor> f_;
};

}  // namespace plumbline
