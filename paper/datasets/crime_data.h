// Communities and Crime as the paper prepares it: a continuous sensitive column.
//
//   rows   of communities.data: 1,994
//   b      racepctblack
//   y      ViolentCrimesPerPop
//   a      the other 121 columns but state, county, community, communityname and fold; a missing cell is 0
//   fold   1 … 10, as the file gives it
//
// split_crime takes one fold to test and the others to train. Of both parts a is scaled to [0, 1] and y to mean 0 and
// standard deviation 1 by what the training part says; a test cell beyond its range is set to the end of it. A
// column without spread is 0. `outside` counts test rows whose b is not within the range of the training part.
//
// Errors are those of published_table.h, and a fold that has no rows.
#pragma once

#include <string>

#include "methods/continuous_sample.h"
#include "paper/datasets/published_table.h"

namespace plumbline {

struct CrimeData {
  ContinuousSample rows;
  Eigen::VectorXi fold;
  std::vector<std::string> warnings;  // if the file is not the published one
};

CrimeData read_crime(const DataSource& source);

struct ContinuousParts {
  ContinuousSample training, test;
  Eigen::Index outside = 0;
};

ContinuousParts split_crime(const CrimeData& data, int fold);

}  // namespace plumbline
