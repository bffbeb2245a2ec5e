// Random predictions and outcomes for laws.
#pragma once

#include <cmath>

#include "random_data.h"

namespace plumbline::testing {

struct Scores {
  VectorXd p, y;
};

inline Scores random_scores(Random& random, Index most_rows = 200) {
  const Index n = random.integer(4, most_rows);
  Scores out{VectorXd(n), VectorXd(n)};
  const double digits = random.integer(0, 1) == 0 ? 10 : 1e15;  // few distinct scores, or hardly a tie
  for (Index i = 0; i < n; ++i) {
    out.p[i] = std::round(random.uniform(0, 1) * digits) / digits;
    out.y[i] = random.uniform(0, 1) < out.p[i] ? 1 : 0;
  }
  out.y[0] = 0;
  out.y[1] = 1;
  return out;
}

}  // namespace plumbline::testing
