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

  nb::class_<PopulationBound>(module, "PopulationBound",
                              "What no correlation on new rows exceeds with probability .95.")
      .def_ro("correlation", &PopulationBound::correlation,
              "Of any weighted sum of the fair features with any weighted sum of the sensitive columns.")
      .def_ro("closed_form", &PopulationBound::closed_form, "The same by formula alone, which is never smaller.")
      .def_ro("rows", &PopulationBound::rows, "Of the fit.")
      .def_ro("features", &PopulationBound::features, "Dimensions that are left of the features.")
      .def_ro("sensitive", &PopulationBound::sensitive, "Dimensions of the sensitive columns.")
      .def_ro("is_simulated", &PopulationBound::is_simulated);

  nb::class_<IndependenceTest>(module, "IndependenceTest",
                               "Bartlett's test that all canonical correlations of new rows are chance.")
      .def_ro("statistic", &IndependenceTest::statistic)
      .def_ro("degrees", &IndependenceTest::degrees)
      .def_ro("p_value", &IndependenceTest::p_value);

  nb::class_<PricedPredictions>(module, "PricedPredictions")
      .def_ro("column", &PricedPredictions::column)
      .def_ro("error", &PricedPredictions::error, "Their mean square error.")
      .def_ro("kept", &PricedPredictions::kept,
              "The least share of the sensitive columns' effect that they must have kept.");

  nb::class_<Price>(module, "Price", R"(What fairness costs a prediction of the target at least, in its linear form.

No counterfactually fair prediction has a mean square error below `floor`: what linear regression on all columns leaves
(`unexplained`), and what the sensitive columns alone explain (`by_sensitive`). A target of two labels is 1 for the
second, and predictions of it are probabilities.)")
      .def_ro("target", &Price::target)
      .def_ro("levels", &Price::levels, "Of a target of two labels.")
      .def_ro("is_probability", &Price::is_probability)
      .def_ro("variance", &Price::variance)
      .def_ro("unexplained", &Price::unexplained)
      .def_ro("by_sensitive", &Price::by_sensitive)
      .def_prop_ro("floor", &Price::floor)
      .def_prop_ro("floor_share", &Price::floor_share, "The floor as a share of the variance.")
      .def_ro("predictions", &Price::predictions, "What is known of predictions that were given to `certify`, or None.")
      .def("least_kept", &Price::least_kept, nb::arg("error"),
           "The least share of the sensitive columns' effect that predictions of this mean square error have kept.");

  nb::class_<Atom>(module, "Atom", "A value or level that more than 20 % of the rows have.")
      .def_ro("feature", &Atom::feature)
      .def_ro("value", &Atom::value, "As text.")
      .def_ro("share", &Atom::share);

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
      .def_prop_ro(
          "removed", [](const Certificate& self) { return name_of(self.removed); },
          "What no longer differs with the sensitive columns: mean, spread or distribution.")
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
      .def_ro("left_rank", &Certificate::left_rank, "Dimensions of what is left of the features, or None.")
      .def_ro("population", &Certificate::population,
              "What no correlation on new rows exceeds; None but for a fit that removes all of the mean.")
      .def_ro("independence", &Certificate::independence,
              "Of rows that the fit has not seen: whether what is left looks like chance; else None.")
      .def_ro(
          "price", &Certificate::price,
          "What fairness costs a prediction of y, where the fit was given one and few enough rows or a rank to have "
          "the products of features with each other.")
      .def_ro("atoms", &Certificate::atoms,
              "In aware mode: values of many rows, which become numbers that tell the sensitive columns.")
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
  module.def(
      "with_predictions",
      [](const Certificate& certificate, const Price& price, const std::string& column, double error) {
        Certificate out = certificate;
        out.price = price;
        out.price->predictions = {column, error, price.least_kept(error)};
        return out;
      },
      nb::arg("certificate"), nb::arg("price"), nb::arg("column"), nb::arg("error"));
}

}  // namespace plumbline::python
