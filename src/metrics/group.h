// What groups get: means of predictions p over the rows of each group, of weight w, and how far they lie apart.
//
//   mean(g)               Σ_{s = g} w p / Σ_{s = g} w
//   demographic_parity    max_{g,h} |mean(g) − mean(h)|
//   equal_opportunity     the same over rows with y = 1
//   equalized_odds        the larger of that and the same over rows with y = 0
//
// p are decisions or probabilities. A group without weight has no mean, NaN, and counts for none of the others; where
// no group has one they are NaN. Empty weights are all one. Error when shapes disagree, there are no rows or no weight,
// a group is not from 0 to levels − 1, an outcome is neither 0 nor 1, p is not finite, or a weight is negative or not
// finite.
#pragma once

#include <Eigen/Core>

namespace plumbline {

Eigen::VectorXd group_means(const Eigen::VectorXd& p, const Eigen::VectorXi& s, int levels,
                            const Eigen::VectorXd& weights = {});

double demographic_parity(const Eigen::VectorXd& p, const Eigen::VectorXi& s, int levels,
                          const Eigen::VectorXd& weights = {});
double equal_opportunity(const Eigen::VectorXd& p, const Eigen::VectorXd& y, const Eigen::VectorXi& s, int levels,
                         const Eigen::VectorXd& weights = {});
double equalized_odds(const Eigen::VectorXd& p, const Eigen::VectorXd& y, const Eigen::VectorXi& s, int levels,
                      const Eigen::VectorXd& weights = {});

}  // namespace plumbline
