#include <nanobind/eigen/dense.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "plumbline/fit.h"

namespace plumbline::python {
void bind_certificate(nb::module_& module) {
  nb::class_<Strongest>(module, "Strongest", "The largest of a kind, and whose it is.")
      .def_ro("value", &Strongest::value)
      .def_ro("feature", &Strongest::feature)
      .def_ro("sensitive", &Strongest::sensitive, "Empty where all sensitive columns together are meant.");

  nb::class_<BeforeAfter>(module, "BeforeAfter")
      .def_ro("correlation", &BeforeAfter::correlation,
              "The largest |correlation| of a feature and a sensitive column.")
      .def_ro("explained", &BeforeAfter::explained, "The largest share of a feature that all of B explain.")
      .def_ro("canonical", &BeforeAfter::canonical, "Canonical correlations, or None where they were not computed.");

  nb::class_<Certificate>(module, "Certificate", R"(What a fit did to data, in numbers that anyone can check.

Examples
--------
>>> from plumbline import OrthogonalToBias
>>> from plumbline.datasets import make_insurance
>>> certificate = OrthogonalToBias(sensitive_feature_ids="b").fit(make_insurance(100)).certificate_
>>> certificate.rows, certificate.holds()
(100, True)
>>> certificate.after.correlation.value < 1e-12 < certificate.before.correlation.value
True)")
      .def_ro("rows", &Certificate::rows)
      .def_ro("weight", &Certificate::weight)
      .def_ro("features", &Certificate::features)
      .def_ro("sensitive", &Certificate::sensitive)
      .def_ro("before", &Certificate::before)
      .def_ro("after", &Certificate::after)
      .def_ro("rank", &Certificate::rank, "Dimensions kept.")
      .def_ro("alpha", &Certificate::alpha)
      .def_ro("change", &Certificate::change, "||A - A_fair|| / ||A||, in working units.")
      .def_ro("minimum_change", &Certificate::minimum_change, "The least that any map of this rank can do, or None.")
      .def_ro("loss", &Certificate::loss)
      .def_ro("variance_by_rank", &Certificate::variance_by_rank)
      .def_ro("sensitive_rank", &Certificate::sensitive_rank)
      .def_ro("sensitive_condition", &Certificate::sensitive_condition)
      .def_ro("constant_features", &Certificate::constant_features)
      .def_ro("constant_sensitive", &Certificate::constant_sensitive)
      .def_ro("fully_explained", &Certificate::fully_explained)
      .def_ro("notes", &Certificate::notes, "What the fit did beyond what it was asked, a sentence each.")
      .def("holds", &Certificate::holds, nb::arg("tolerance") = 1e-8, "Whether no correlation above tolerance is left.")
      .def("in_words", &Certificate::in_words)
      .def("to_json", &Certificate::to_json)
      .def_static("from_json", &Certificate::from_json, nb::arg("text"))
      .def("__str__", &Certificate::to_text)
      .def("__repr__", [](const Certificate& self) { return "<Certificate: " + self.in_words() + ">"; })
      .def("__getstate__", &Certificate::to_json)
      .def("__setstate__",
           [](Certificate& self, const std::string& text) { new (&self) Certificate(Certificate::from_json(text)); });
}

}  // namespace plumbline::python
