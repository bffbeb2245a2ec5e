// The numbers that judge a fitted method by the test part.
//
//   ACC        soft accuracy (metrics/accuracy.h)
//   AUC        rank AUC
//   CF         gap of the marginal counterfactuals (metrics/counterfactual.h); EO: of none; AA: of the orthogonal ones
//   CF_exact   gap of the exact counterfactuals, where the causal model is known
//
// metrics() has them in this order, and of_resamples() the same of resampled rows: of_resamples()(1, …, 1) = metrics()
// up to rounding. Error: what the method, the mapping and the metrics throw.
#pragma once

#include <string_view>
#include <vector>

#include "metrics/accuracy.h"
#include "metrics/counterfactual.h"
#include "paper/datasets/parts.h"
#include "paper/reproduction/bootstrap.h"

namespace plumbline {

// References are to what outlives the judgement.
struct Trial {
  const Parts& parts;
  const Eigen::VectorXd* published_outcome = nullptr;   // what ACC compares with as published; null: parts.test.y
  const std::vector<Eigen::MatrixXd>* exact = nullptr;  // the test rows as they would be in each group
};

class Judgement {
 public:
  // groups: of the training part. outcome: what ACC compares with; AUC always has parts.test.y.
  Judgement(const FittedMethod& method, const GroupMapping& groups, const Trial& trial, const Eigen::VectorXd& outcome);

  Eigen::VectorXd metrics() const;  // one number a metric
  Statistics of_resamples() const;  // must not outlive this
  Eigen::Index rows() const { return p_.size(); }

  static std::string_view metric_name(Eigen::Index place);

 private:
  Eigen::Index levels_;
  const Eigen::VectorXd& outcome_;
  Eigen::VectorXd p_;
  Ranking ranking_;
  std::vector<Eigen::MatrixXd> moved_;  // predictions had the rows been of each group, one matrix a gap
};

}  // namespace plumbline
