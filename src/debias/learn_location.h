// The location of a continuous feature given b and the features before it, by least squares with a little ridge:
//
//   z ≈ μ·w(b) + θ·t(b) + λ·terms + Σ_l t_l(b) (Δ_l·numbers)
//
// Columns enter once and in the order of the steps, so that the factor of their products only grows.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "debias/distribution_step.h"

namespace plumbline {

class LocationLearner {
 public:
  // `rows` gives the columns of a row: load(i, state) sets b, and x, terms and numbers of all steps that are done.
  using Load = std::function<void(Index row, RowState& state)>;

  LocationLearner(const DistributionParts& parts, const std::vector<double>& weights, Load load, int threads);

  // Sets of_regions, of_sensitive, of_terms and of_products. z: n.
  void learn(DistributionStep& step, const Eigen::VectorXd& z);

  // Sets scale and scale_of_sensitive: the same of sizes, by what is of b alone.
  void learn_scale(DistributionStep& step, const Eigen::VectorXd& sizes);

 private:
  Eigen::VectorXd extend(Index terms, Index numbers, const Eigen::VectorXd& z);
  void factor(const Eigen::MatrixXd& products);

  Index rows_, regions_, sensitive_, product_terms_;
  const std::vector<double>& weights_;
  Load load_;
  int threads_;

  enum class Part { region, sensitive, term, product };
  struct Column {
    Part part;
    Index at = 0, number = 0;  // of a product: of b, and of the numbers
  };
  std::vector<Column> columns_;
  Index terms_ = 0, numbers_ = 0;  // that have entered
  Eigen::MatrixXd factor_;         // lower
};

}  // namespace plumbline
