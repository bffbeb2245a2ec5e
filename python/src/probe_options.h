// How a probe is made for Python: attackers that are functions of it, a bar, and maps that Ctrl-C can leave behind.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "plumbline/expansion.h"
#include "plumbline/fit.h"
#include "tables/table_probe.h"

namespace plumbline::python {

// With their names: (learned, y, weights or None, as, judged) -> what is predicted for the rows that are judged, a
// column for each of y. They are called with the GIL held, on the thread that asks for the probe.
using Attackers = std::vector<std::pair<std::string, nb::object>>;

// The bar is called with the parts that are done and their number; it must outlive what is returned.
TableProbeOptions probe_options(const Attackers& further, const nb::object& progress);

// A decomposition of many columns goes to a thread that Ctrl-C can leave behind.
Fit solve(const Moments& moments, const FitOptions& options, const std::optional<Expansion>& expansion);

}  // namespace plumbline::python
