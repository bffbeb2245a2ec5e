// Adult as the paper prepares it: adult.data to train on, adult.test to judge by.
//
//   a   all columns but race, sex and income: 12; categories by their number in alphabetical order (`?` is one of
//       them, nothing is filled in), then principal scores (principal_scores.h) of the training part
//   s   2 race + sex, 10 levels, both in alphabetical order
//   y   1 for >50K
//
// The labels of adult.test end in a full stop. As published they were compared without it, so that every outcome of the
// test part is 0; `published_outcome` holds that, `parts.test.y` the true ones.
//
// Errors are those of published_table.h, a category that the training part does not have, and a label of neither kind.
#pragma once

#include "paper/datasets/parts.h"
#include "paper/datasets/published_table.h"

namespace plumbline {

struct AdultData {
  Parts parts;
  Eigen::VectorXd published_outcome;  // of the test part
  std::vector<std::string> warnings;  // of files that are not the published ones
};

AdultData read_adult(const DataSource& source);

}  // namespace plumbline
