// What the values of a number look like to a Distribution: their grid, their atoms, their quantiles.
#pragma once

#include <Eigen/Core>
#include <span>
#include <utility>
#include <vector>

#include "debias/distribution_step.h"
#include "debias/regression_tree.h"

namespace plumbline {

struct NumberLook {
  double mean = 0, sd = 0;
};
NumberLook look_at(const Eigen::Ref<const Eigen::VectorXd, 0, Eigen::InnerStride<>>& x,
                   std::span<const double> weights);

// Sets kind, grid, centre and sd; of ordered levels also their ends, at most `most` of them.
void describe_number(DistributionStep& step, const Eigen::Ref<const Eigen::VectorXd, 0, Eigen::InnerStride<>>& x,
                     std::span<const double> weights, Index most);

// Quantiles of (x − centre) / sd at so many equal shares, those that differ.
std::vector<double> hinges_of(const Eigen::Ref<const Eigen::VectorXd, 0, Eigen::InnerStride<>>& x,
                              std::span<const double> weights, double centre, double sd, Index count);

// Two targets of a tree, of unit variance: of residuals themselves and their size, else mid-ranks and the largest atom.
Eigen::MatrixXd number_targets(const Eigen::VectorXd& y, std::span<const double> weights, bool are_residuals);

// Of (value, weight): the values below which such shares lie, the least and the largest at 0 and 1.
std::vector<double> quantiles_of(std::vector<std::pair<double, double>> values, const std::vector<double>& shares);

TreeInput tree_input(const DistributionStep& step, const Eigen::Ref<const Eigen::VectorXd, 0, Eigen::InnerStride<>>& x,
                     std::span<const double> weights, Index input);

}  // namespace plumbline
