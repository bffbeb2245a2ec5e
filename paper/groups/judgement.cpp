#include "paper/groups/judgement.h"

namespace plumbline {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Eigen::VectorXi;

namespace {

constexpr std::string_view kMetrics[] = {"ACC", "AUC", "CF", "EO", "AA", "CF_exact"};

}  // namespace

std::string_view Judgement::metric_name(Index place) { return kMetrics[place]; }

Judgement::Judgement(const FittedMethod& method, const GroupMapping& groups, const Trial& trial,
                     const VectorXd& outcome)
    : levels_(trial.parts.test.levels),
      outcome_(outcome),
      p_(method.predict(trial.parts.test.a, trial.parts.test.s)),
      ranking_(p_, trial.parts.test.y) {
  const Sample& test = trial.parts.test;
  for (const Mapping mapping : {Mapping::marginal, Mapping::none, Mapping::orthogonal})
    moved_.push_back(counterfactual_predictions(method, groups, mapping, test.a, test.s));
  if (!trial.exact) return;
  MatrixXd exact(test.rows(), test.levels);
  for (int g = 0; g < test.levels; ++g)
    exact.col(g) = method.predict((*trial.exact)[static_cast<std::size_t>(g)], VectorXi::Constant(test.rows(), g));
  moved_.push_back(std::move(exact));
}

VectorXd Judgement::metrics() const {
  VectorXd out(static_cast<Index>(2 + moved_.size()));
  out[0] = soft_accuracy(p_, outcome_);
  out[1] = ranking_.auc();
  for (std::size_t j = 0; j < moved_.size(); ++j) out[static_cast<Index>(2 + j)] = counterfactual_gap(moved_[j]);
  return out;
}

// All but AUC are functions of the means of columns, and one product gives these for any resample.
Statistics Judgement::of_resamples() const {
  MatrixXd columns(rows(), 1 + static_cast<Index>(moved_.size()) * levels_);
  columns.col(0) = p_.array() * outcome_.array() + (1 - p_.array()) * (1 - outcome_.array());
  for (std::size_t j = 0; j < moved_.size(); ++j)
    columns.middleCols(1 + static_cast<Index>(j) * levels_, levels_) = moved_[j];
  return [this, columns = std::move(columns)](const VectorXd& counts) {
    const Eigen::RowVectorXd means = counts.transpose() * columns / counts.sum();
    VectorXd out(static_cast<Index>(2 + moved_.size()));
    out[0] = means[0];
    out[1] = ranking_.auc(counts);
    for (Index j = 2; j < out.size(); ++j) out[j] = counterfactual_gap(means.segment(1 + (j - 2) * levels_, levels_));
    return out;
  };
}

}  // namespace plumbline
