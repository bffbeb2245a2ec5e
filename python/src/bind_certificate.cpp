#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "plumbline/error.h"
#include "plumbline/fit.h"

namespace plumbline::python {
namespace {

nb::object by_feature(const Certificate& certificate) {
  if (!certificate.by_feature)
    throw Error("the certificate is of an older version, which says nothing of single features");
  const FeatureTable& table = *certificate.by_feature;
  nb::dict columns;
  columns["change"] = nb::cast(table.change);
  columns["explained_before"] = nb::cast(table.explained_before);
  columns["explained_after"] = nb::cast(table.explained_after);
  for (Index l = 0; l < table.correlation_before.cols(); ++l) {
    const std::string& name = table.sensitive[static_cast<std::size_t>(l)];
    columns[nb::str(("before: " + name).c_str())] = nb::cast(Eigen::VectorXd(table.correlation_before.col(l)));
    columns[nb::str(("after: " + name).c_str())] = nb::cast(Eigen::VectorXd(table.correlation_after.col(l)));
  }
  const nb::object frame = nb::module_::import_("pandas").attr("DataFrame");
  return frame(columns, nb::arg("index") = nb::cast(table.features));
}

}  // namespace

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
      .def_ro("varying", &Certificate::varying, "Features of which something is left.")
      .def_ro("deviation", &Certificate::deviation,
              "Of rows that the fit has not seen: the largest correlation in standard errors; None for the fit's own.")
      .def_ro("chance", &Certificate::chance,
              "What all pairs stay below with probability .99 if sampling alone is left.")
      .def("within_chance", &Certificate::within_chance,
           "Whether what is left on rows that the fit has not seen is no more than sampling leaves.")
      .def_prop_ro(
          "probe", [](const Certificate& self) { return self.probe ? &*self.probe : nullptr; },
          nb::rv_policy::reference_internal, nb::for_getter(nb::sig("def probe(self, /) -> Probe | None")),
          "What models can read back of the sensitive columns, or None where that was not measured.")
      .def("by_feature", &by_feature, R"(What became of each feature, as a frame of pandas.

Columns are `change`, the share of the feature that changed, `explained_before` and `explained_after`, what all sensitive
columns together explain of it, and the correlation with each sensitive column before and after.)",
           nb::sig("def by_feature(self) -> typing.Any"))
      .def("holds", &Certificate::holds, nb::arg("tolerance") = 1e-8,
           "Whether no correlation above tolerance is left, and something of the features.")
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
