#include <nanobind/eigen/dense.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "base/choices.h"
#include "bindings.h"
#include "callbacks.h"
#include "metrics/accuracy.h"
#include "metrics/continuous_counterfactual.h"
#include "metrics/counterfactual.h"
#include "metrics/dependence.h"
#include "metrics/group.h"

namespace plumbline::python {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Eigen::VectorXi;

void bind_metrics(nb::module_& module) {
  module.def("soft_accuracy", &soft_accuracy, nb::arg("p"), nb::arg("y"), nb::arg("weights"), Heavy());
  module.def("group_means", &group_means, nb::arg("p"), nb::arg("s"), nb::arg("levels"), nb::arg("weights"), Heavy());
  module.def("demographic_parity", &demographic_parity, nb::arg("p"), nb::arg("s"), nb::arg("levels"),
             nb::arg("weights"), Heavy());
  module.def("equal_opportunity", &equal_opportunity, nb::arg("p"), nb::arg("y"), nb::arg("s"), nb::arg("levels"),
             nb::arg("weights"), Heavy());
  module.def("equalized_odds", &equalized_odds, nb::arg("p"), nb::arg("y"), nb::arg("s"), nb::arg("levels"),
             nb::arg("weights"), Heavy());
  module.def(
      "distance_correlation",
      [](const MatrixXd& x, const MatrixXd& b, const nb::object& row_done) {
        std::function<void()> report;
        if (!row_done.is_none())
          report = [&row_done] {
            const nb::gil_scoped_acquire lock;
            row_done();
          };
        const Unlocked unlocked;
        return distance_correlation(x, b, 0, report);
      },
      nb::arg("x"), nb::arg("b"), nb::arg("row_done") = nb::none());
  module.def(
      "counterfactual_predictions",
      [](const nb::object& predict, const MatrixXd& training_a, const VectorXi& training_s, int levels,
         const std::string& mapping, const MatrixXd& a, const VectorXi& s) {
        const auto chosen = choice_of<Mapping>(
            "mapping", mapping,
            {{"none", Mapping::none}, {"orthogonal", Mapping::orthogonal}, {"marginal", Mapping::marginal}});
        const PythonMethod method(predict);
        const Unlocked unlocked;
        return counterfactual_predictions(method, GroupMapping(training_a, training_s, levels), chosen, a, s);
      },
      nb::arg("predict"), nb::arg("training_a"), nb::arg("training_s"), nb::arg("levels"), nb::arg("mapping"),
      nb::arg("a"), nb::arg("s"));
  module.def("counterfactual_gap", &counterfactual_gap, nb::arg("predictions"), nb::arg("weights"), Heavy());
  module.def(
      "continuous_gap",
      [](const nb::object& predict, const MatrixXd& training_a, const MatrixXd& training_b, const MatrixXd& a,
         const MatrixXd& b, int draws, std::uint64_t seed) {
        const PythonContinuousMethod method(predict);
        const Unlocked unlocked;
        const AdditiveNoise world({training_a, training_b, VectorXd::Zero(training_a.rows())}, a, b);
        const ContinuousGap gap = continuous_gap(method, world, b, GapOptions::within(training_b, draws, seed));
        return std::pair(gap.absolute, gap.square);
      },
      nb::arg("predict"), nb::arg("training_a"), nb::arg("training_b"), nb::arg("a"), nb::arg("b"), nb::arg("draws"),
      nb::arg("seed"));
  module.def(
      "continuous_gap_by_laws",
      [](const nb::object& predict, const Fit& fit, const MatrixXd& a, const MatrixXd& b, const MatrixXd& training_b,
         int draws, std::uint64_t seed) {
        const PythonContinuousMethod method(predict);
        const Unlocked unlocked;
        const LawCounterfactuals world(laws_of(fit), a, b);
        const ContinuousGap gap = continuous_gap(method, world, b, GapOptions::within(training_b, draws, seed));
        return std::pair(gap.absolute, gap.square);
      },
      nb::arg("predict"), nb::arg("fit"), nb::arg("a"), nb::arg("b"), nb::arg("training_b"), nb::arg("draws"),
      nb::arg("seed"));
}

}  // namespace plumbline::python
