// Tables whose leaks are known, and maps fitted without some of their rows.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "plumbline/fit.h"
#include "plumbline/probe.h"
#include "random_data.h"

namespace plumbline::testing {

struct ProbedTable {
  MatrixXd a, b;

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (Index l = 0; l < b.cols(); ++l) out.push_back("b" + std::to_string(l));
    return out;
  }
};

// Features that know nothing of b: a number and a level.
inline ProbedTable independent_table(Random& random, Index rows, Index features) {
  ProbedTable out{random.matrix(rows, features), random.matrix(rows, 2)};
  for (Index i = 0; i < rows; ++i) out.b(i, 1) = out.b(i, 1) > 0.5 ? 1.0 : 0.0;
  return out;
}

// a₀ = b² + noise, a₁ depends on b along a line, the others not at all.
inline ProbedTable squared_table(Random& random, Index rows) {
  ProbedTable out{random.matrix(rows, 6), random.matrix(rows, 1)};
  out.a.col(0) = out.b.col(0).cwiseAbs2() + 0.5 * out.a.col(0);
  out.a.col(1) += out.b.col(0);
  return out;
}

// a₀ is 0 or 1, and becomes 0 or 1 less γ b.
inline ProbedTable indicator_table(Random& random, Index rows) {
  ProbedTable out{random.matrix(rows, 6), random.matrix(rows, 1)};
  for (Index i = 0; i < rows; ++i) out.a(i, 0) = random.uniform(0, 1) < 1 / (1 + std::exp(-out.b(i, 0))) ? 1.0 : 0.0;
  out.a.col(1) += out.b.col(0);
  return out;
}

inline MapWithout refitted(const ProbedTable& table, const FitOptions& options = {}) {
  return [&table, options](std::span<const Index> held_out) -> RowsMap {
    std::vector<Index> others;
    for (Index i = 0; i < table.a.rows(); ++i)
      if (!std::binary_search(held_out.begin(), held_out.end(), i)) others.push_back(i);
    const MatrixXd a = table.a(others, Eigen::all), b = table.b(others, Eigen::all);
    const auto map = std::make_shared<Fit>(fit(a, b, options));
    return [map](const Columns& x, const Columns& y, const MutableColumns& out, const ApplyOptions& how) {
      map->apply(x, y, out, how);
    };
  };
}

inline RowsMap unchanged() {
  return [](const Columns& a, const Columns&, const MutableColumns& out, const ApplyOptions&) {
    for (Index j = 0; j < a.cols(); ++j)
      for (Index i = 0; i < a.rows(); ++i) static_cast<double*>(out.data()[j])[i * out.row_stride()] = a(i, j);
  };
}

inline bool is_found(const Probe& probe) { return probe.most_exposed(false).exposure > 0; }

}  // namespace plumbline::testing
