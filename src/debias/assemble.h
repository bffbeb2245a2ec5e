// A solved problem as one affine map ã = μ + γ∘(a − μ) + R s with s = L_B z + L_A (a − μ) (plumbline/affine_model.h).
#pragma once

#include <optional>

#include "debias/fit_problem.h"
#include "plumbline/fit.h"

namespace plumbline {

// Without factors all dimensions are kept.
AffineModel assemble(const Moments& moments, const FitOptions& options, const std::optional<Expansion>& expansion,
                     const Problem& problem, const std::optional<Factors>& factors);

}  // namespace plumbline
