// How much predictions depend on the group, at the mean.
//
//   predictions   n × levels: column g holds f(a of g, g), what the method says of each row had it been of group g;
//                 a of g by a group mapping (methods/group_mapping.h)
//   gap           max_{g,h} |mean(column g) − mean(column h)|, over rows of weight w
//
// CF is the gap of the marginal mapping, AA that of the orthogonal one, EO that of none: a stays and only s is set.
//
// A group without training rows has no counterfactuals: its column is NaN, and the gap passes over columns that are
// NaN; of no other columns it is NaN. Error when shapes disagree, there are no rows or no weight, or some predictions
// of a column are NaN; whatever the mapping and the method throw.
#pragma once

#include <Eigen/Core>

#include "methods/group_mapping.h"
#include "methods/method.h"

namespace plumbline {

Eigen::MatrixXd counterfactual_predictions(const FittedMethod& method, const GroupMapping& groups, Mapping mapping,
                                           const Eigen::MatrixXd& a, const Eigen::VectorXi& s);

// Empty weights: all one.
double counterfactual_gap(const Eigen::MatrixXd& predictions, const Eigen::VectorXd& weights = {});

}  // namespace plumbline
