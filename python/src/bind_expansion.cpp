#include <nanobind/eigen/dense.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "debias/expansion_terms.h"
#include "plumbline/expansion.h"

namespace plumbline::python {

void bind_expansion(nb::module_& module) {
  nb::class_<ExpansionOptions>(module, "ExpansionOptions");
  module.def(
      "expansion_of", [](const std::vector<std::string>& terms) { return expansion_of("expand", terms); },
      nb::arg("terms"), "Terms such as powers=3, splines=5, bins=4, interactions, as the command line writes them.");

  nb::class_<Expansion>(module, "Expansion", "Terms of sensitive columns, whose knots and bins were learned from rows.")
      .def(
          "__init__",
          [](Expansion* self, const HeldColumns& b, const std::vector<std::string>& names,
             const ExpansionOptions& options, const Weights& weights) {
            const Unlocked unlocked;
            new (self) Expansion(Expansion::fit(b.view, names, options, span_of(weights)));
          },
          nb::arg("b"), nb::arg("names"), nb::arg("options"), nb::arg("weights") = nb::none())
      .def_prop_ro("names", &Expansion::names)
      .def(
          "transform",
          [](const Expansion& self, const HeldColumns& b, const Weights& weights) {
            const Unlocked unlocked;
            return self.transform(b.view, span_of(weights));
          },
          nb::arg("b"), nb::arg("weights") = nb::none());
}

}  // namespace plumbline::python
