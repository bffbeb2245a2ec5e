// What a certificate says in words of how a fit came out.
#pragma once

#include <string>
#include <vector>

#include "debias/fit_problem.h"
#include "plumbline/fit.h"

namespace plumbline {

// "of 50 features a sparse component has 3 to 7, and all together have 31": of components as columns.
std::string sparsity_of(const Eigen::MatrixXd& components);

std::vector<std::string> notes_on(const FitOptions& options, const std::vector<std::string>& features,
                                  const Problem& problem, const std::optional<Factors>& factors);

}  // namespace plumbline
