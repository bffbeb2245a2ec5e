// A fit of equal spreads (plumbline/spread.h).
#pragma once

#include <optional>
#include <string_view>

#include "plumbline/fit.h"
#include "plumbline/region_moments.h"

namespace plumbline {

inline constexpr Index kRegionSample = 131'072;  // rows, of which regions are learned

// A note that certificates of moments bear.
inline constexpr std::string_view kOfMoments =
    "said of moments within regions: variances after are those of the common spread, and the change is at most this";

// From tables: learns the regions, collects their moments, and measures the certificate on the rows.
Fit fit_spread(const Columns& a, const Columns& b, const FitOptions& options, const TableOptions& table);

// What rows do not show: what the map removes, and with what strength.
void set_removed(const FitOptions& options, Certificate& out);

// The certificate of rows that went through the map; notes stay those of the fit.
void set_measured(Certificate measured, Fit& fit);

}  // namespace plumbline
