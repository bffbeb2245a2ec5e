// A fit of equal laws (plumbline/distribution.h).
#pragma once

#include "plumbline/fit.h"

namespace plumbline {

// Of rows, or a sample of a table's rows of which the moments are all; the certificate has yet to be measured.
Fit fit_distribution(const Moments& moments, const Columns& a, const Columns& b, std::span<const double> weights,
                     const std::vector<FeatureGroup>& groups, const FitOptions& options, int threads);

// From tables: learns from a sample if there are more rows, and measures the certificate on all of them.
Fit fit_distribution(const Columns& a, const Columns& b, const FitOptions& options, const TableOptions& table);

}  // namespace plumbline
