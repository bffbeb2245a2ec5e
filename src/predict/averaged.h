// Predictions averaged over a group b:  f'(a) = Σ_b f(a, b) P(b).
//
// f sees x = [1[b = 0] … 1[b = levels − 1], a]: an indicator of every level, then the features.
//
//   with_groups   n × (levels + q) of a: n × q and s: n groups, or one group for all rows
//   averaged      f' of f and P, which is not negative and adds up to 1; levels of share 0 are passed over
//
// Error when shapes disagree, a group is not from 0 to levels − 1, or P is no distribution.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "predict/predictor.h"

namespace plumbline {

Eigen::MatrixXd with_groups(const Eigen::MatrixXd& a, const Eigen::VectorXi& s, int levels);
Eigen::MatrixXd with_groups(const Eigen::MatrixXd& a, int group, int levels);

class AveragedPredictor final : public Predictor {
 public:
  AveragedPredictor(std::shared_ptr<const Predictor> f, Eigen::VectorXd shares);

  Eigen::VectorXd predict(const Eigen::MatrixXd& a) const override;
  std::string warning() const override { return f_->warning(); }

 private:
  std::shared_ptr<const Predictor> f_;
  Eigen::VectorXd shares_;
};

}  // namespace plumbline
