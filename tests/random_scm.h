// People drawn from the structural model.
#pragma once

#include <cmath>

#include "methods/scm_sweep.h"
#include "random_data.h"

namespace plumbline::testing {

struct LatentPeople {
  MatrixXd z;
  Eigen::VectorXi s;
  VectorXd u;
};

inline ScmParameters random_parameters(Random& random, int levels, Index q) {
  return {random.matrix(levels, q), random.matrix(q, 1), random.matrix(q, 1).array().exp()};
}

inline LatentPeople simulated(Random& random, const ScmParameters& truth, Index n) {
  const int levels = static_cast<int>(truth.offsets.rows());
  LatentPeople out{MatrixXd(n, truth.loadings.size()), Eigen::VectorXi(n), random.matrix(n, 1)};
  for (Index i = 0; i < n; ++i) {
    out.s[i] = static_cast<int>(i < levels ? i : random.integer(0, levels - 1));
    for (Index j = 0; j < out.z.cols(); ++j)
      out.z(i, j) =
          truth.offsets(out.s[i], j) + truth.loadings[j] * out.u[i] + std::sqrt(truth.variances[j]) * random.normal();
  }
  return out;
}

}  // namespace plumbline::testing
