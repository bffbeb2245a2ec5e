// Features of every kind that depend on sensitive columns of every kind.
#pragma once

#include <cmath>
#include <vector>

#include "plumbline/distribution.h"
#include "random_data.h"

namespace plumbline::testing {

struct MixedTable {
  MatrixXd a, b;
  std::vector<FeatureGroup> groups;
};

// b: a number and two indicators. a: a category, a boolean, whole numbers, a number with an atom, a number, a constant,
// and a category of one level.
inline MixedTable mixed_table(Random& random, Index rows) {
  MixedTable out{MatrixXd::Zero(rows, 10),
                 MatrixXd(rows, 3),
                 {{"job", 4, true},
                  {"owns", 1, false},
                  {"children", 1, false},
                  {"gain", 1, false},
                  {"income", 1, false},
                  {"constant", 1, false},
                  {"country", 1, true}}};
  for (Index i = 0; i < rows; ++i) {
    const double sex = random.uniform(0, 1) < 0.6 ? 1 : 0, age = random.normal();
    out.b.row(i) << age, sex, 1 - sex;
    const Index job = std::min<Index>(3, static_cast<Index>(random.uniform(0, 1) * (3 + sex)));
    out.a(i, job) = 1;
    out.a(i, 4) = random.normal() + sex + 0.5 * static_cast<double>(job) > 1 ? 1 : 0;
    out.a(i, 5) = std::max(0.0, std::round(2 + age + random.normal() + 0.3 * static_cast<double>(job)));
    out.a(i, 6) = random.uniform(0, 1) < 0.5 + 0.2 * sex ? 0 : std::exp(random.normal() + 0.5 * age);
    out.a(i, 7) = (1 + 0.5 * sex) * random.normal() + age + 0.2 * out.a(i, 5);
    out.a(i, 8) = 3.5;
    out.a(i, 9) = 1;
  }
  return out;
}

}  // namespace plumbline::testing
