#include <nanobind/eigen/dense.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/choices.h"
#include "bindings.h"
#include "callbacks.h"
#include "interruptible.h"
#include "methods/continuous_method.h"
#include "methods/method.h"

namespace plumbline::python {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Eigen::VectorXi;

// learn(x, y) fits a predictor and returns the function that predicts.
Learner learner_of(const nb::object& learn) {
  const auto kept = std::make_shared<nb::object>(learn);
  return [kept](const MatrixXd& x, const VectorXd& y) -> std::unique_ptr<const Predictor> {
    const nb::gil_scoped_acquire lock;
    return std::make_unique<PythonPredictor>((*kept)(x, y));
  };
}

// The learners are Python's and stay on the thread that calls; what comes before them is not, and has no end that a
// person would wait for.
Fit fit_table(const MatrixXd& a, const MatrixXd& b, const FitOptions& options, const TableOptions& table) {
  if (!table.expand && !takes_long(a.cols(), b.cols(), Moments::Kind::full)) return fit(a, b, options, table);
  return interruptible([a, b, options, table] { return fit(a, b, options, table); });
}

MethodOptions method_options(const nb::object& learn, const FitOptions& fit, const std::string& coding) {
  MethodOptions out;
  out.learner = learner_of(learn);
  out.debias = fit_table;
  out.coding =
      choice_of<GroupCoding>("coding", coding, {{"one_hot", GroupCoding::one_hot}, {"code", GroupCoding::code}});
  out.rank = fit.rank;
  out.basis = fit.basis;
  out.standardize = fit.standardize;
  out.sob = fit.sob;
  out.scm.seed = fit.sob.seed;
  return out;
}

}  // namespace

void bind_methods(nb::module_& module) {
  nb::class_<FittedMethod>(module, "GroupMethod")
      .def(
          "predict",
          [](const FittedMethod& self, const MatrixXd& a, const VectorXi& s) {
            const Unlocked unlocked;
            return self.predict(a, s);
          },
          nb::arg("a"), nb::arg("s"))
      .def_prop_ro("warnings", &FittedMethod::warnings);
  nb::class_<ContinuousMethod>(module, "ContinuousMethod")
      .def(
          "predict",
          [](const ContinuousMethod& self, const MatrixXd& a, const MatrixXd& b) {
            const Unlocked unlocked;
            return self.predict(a, b);
          },
          nb::arg("a"), nb::arg("b"))
      .def_prop_ro("warnings", &ContinuousMethod::warnings);

  module.def("method_names", &method_names);
  module.def(
      "fit_method",
      [](const std::string& name, const MatrixXd& a, const VectorXi& s, const VectorXd& y, int levels,
         const nb::object& learn, const FitOptions& fit, const std::string& coding) {
        const MethodOptions options = method_options(learn, fit, coding);
        const Sample training{a, s, y, levels};
        const Unlocked unlocked;
        return std::shared_ptr<FittedMethod>(std::const_pointer_cast<FittedMethod>(
            std::shared_ptr<const FittedMethod>(fit_method(name, training, options))));
      },
      nb::arg("name"), nb::arg("a"), nb::arg("s"), nb::arg("y"), nb::arg("levels"), nb::arg("learn"),
      nb::arg("options"), nb::arg("coding") = "one_hot");
  module.def(
      "fit_continuous",
      [](const std::string& name, const MatrixXd& a, const MatrixXd& b, const VectorXd& y, const nb::object& learn,
         const FitOptions& fit, const std::optional<ExpansionOptions>& expand, int bins) {
        const MethodOptions options = method_options(learn, fit, "one_hot");
        const ContinuousSample training{a, b, y};
        const Unlocked unlocked;
        const Learner& learner = options.learner;
        FittedContinuous out = name == "ML"    ? fit_aware(training, learner)
                               : name == "FTU" ? fit_unaware(training, learner)
                               : name == "OB" || name == "SOB"
                                   ? fit_debiased(training, learner, fit, expand, options.debias)
                                   : fit_discretised(name, training, bins, options);
        return std::const_pointer_cast<ContinuousMethod>(std::shared_ptr<const ContinuousMethod>(std::move(out)));
      },
      nb::arg("name"), nb::arg("a"), nb::arg("b"), nb::arg("y"), nb::arg("learn"), nb::arg("options"),
      nb::arg("expand") = nb::none(), nb::arg("bins") = 10);
}

}  // namespace plumbline::python
