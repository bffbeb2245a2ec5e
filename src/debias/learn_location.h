// The location of a continuous feature given b and the features before it, by least squares with a little ridge:
//
//   z ≈ μ·w(b) + θ·t(b) + λ·terms + Σ_l t_l(b) (Δ_l·numbers)
//
// Columns enter once and in the order of the steps, so that the factor of their products only grows. They are filled
// for some rows at a time.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "debias/distribution_step.h"
#include "debias/learning_rows.h"

namespace plumbline {

class LocationLearner {
 public:
  explicit LocationLearner(const LearningRows& rows);

  // λ·terms, and the rest of the location, of each row.
  struct Locations {
    Eigen::VectorXd base, of_b;
  };

  // Sets of_regions, of_sensitive, of_terms and of_products. z: n.
  Locations learn(DistributionStep& step, const Eigen::VectorXd& z);

  // Sets sizes, scale and scale_of_sensitive: the same of sizes, by what is of b alone. The scale of each row.
  Eigen::VectorXd learn_scale(DistributionStep& step, const Eigen::VectorXd& sizes);

 private:
  struct Tile {
    Eigen::MatrixXd design, numbers;  // row × column
    Eigen::MatrixXd products;
    Eigen::VectorXd moments;
  };

  void enter_groups();
  Eigen::VectorXd extend(const Eigen::VectorXd& z);
  void fill(Index first, Tile& tile) const;  // the columns of tile.design
  template <class Work, class Sum>
  void for_each_tile(Index columns, const Work& work, const Sum& sum) const;
  void factor(const Eigen::MatrixXd& products);

  const LearningRows& rows_;
  Index regions_, sensitive_, product_terms_;
  Eigen::VectorXd weights_of_regions_;

  enum class Part { region, sensitive, term, product };
  struct Column {
    Part part;
    Index at = 0, number = 0;  // of a product: of b, and of the numbers
  };
  std::vector<Column> columns_;
  std::vector<Index> columns_of_terms_;
  Index groups_ = 0, numbers_ = 0;  // that have entered
  Eigen::MatrixXd factor_;          // lower
};

}  // namespace plumbline
