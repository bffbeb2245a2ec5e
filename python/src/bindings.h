// What the binding files share. Each binds one module of the library and holds no mathematics.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <span>
#include <vector>

#include "plumbline/columns.h"
#include "plumbline/fit.h"
#include "plumbline/poll.h"

namespace plumbline::python {

namespace nb = nanobind;

void bind_columns(nb::module_& module);
void bind_arrow(nb::module_& module);
void bind_moments(nb::module_& module);
void bind_probe(nb::module_& module);
void bind_certificate(nb::module_& module);
void bind_encoding(nb::module_& module);
void bind_tables(nb::module_& module);
void bind_expansion(nb::module_& module);
void bind_fit(nb::module_& module);
void bind_methods(nb::module_& module);
void bind_adversarial(nb::module_& module);
void bind_metrics(nb::module_& module);
void bind_datasets(nb::module_& module);

// A heavy call runs in the scope of one: other threads of Python go on meanwhile, and Ctrl-C ends the call.
class Unlocked {
 public:
  Unlocked();

 private:
  nb::gil_scoped_release release_;
  PollScope poll_;
};

// Of functions that touch no object of Python, from their first line to their last.
using Heavy = nb::call_guard<Unlocked>;

// A view of arrays that Python owns, with what keeps them alive.
struct HeldColumns {
  Columns view;
  std::vector<nb::object> owners = {};
};

using Weights = std::optional<nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;
using Output = nb::ndarray<nb::numpy, nb::ndim<2>, nb::device::cpu>;

// Positions of columns.
using Indices = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const double> span_of(const Weights& weights);
MutableColumns columns_of(const Output& out);

// Throws Error unless the fit makes laws equal.
const Distribution& laws_of(const Fit& fit);

// A new array of NumPy with these cells.
nb::ndarray<nb::numpy, double> array_of(std::vector<double> cells);

}  // namespace plumbline::python
