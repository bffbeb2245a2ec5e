#include <nanobind/eigen/dense.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "callbacks.h"
#include "methods/adversarial_method.h"
#include "metrics/continuous_counterfactual.h"

namespace plumbline::python {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// report(loss) is told of each epoch, unless it is None. It stays with the caller: copies would be made without the
// GIL.
bool tell(const nb::object& report, double loss) {
  if (report.is_none()) return true;
  const nb::gil_scoped_acquire lock;
  report(loss);
  return true;
}

void bind_options(nb::module_& module) {
  nb::class_<VaeOptions>(module, "VaeOptions")
      .def(nb::init<>())
      .def_rw("encoder", &VaeOptions::encoder)
      .def_rw("decoder", &VaeOptions::decoder)
      .def_rw("latent", &VaeOptions::latent)
      .def_rw("adversary_weight", &VaeOptions::adversary_weight)
      .def_rw("epochs", &VaeOptions::epochs)
      .def_rw("batch", &VaeOptions::batch)
      .def_rw("learning_rate", &VaeOptions::learning_rate)
      .def_rw("adversary_steps", &VaeOptions::adversary_steps)
      .def_rw("first_adversary_steps", &VaeOptions::first_adversary_steps)
      .def_rw("seed", &VaeOptions::seed);
  nb::class_<AdversarialOptions>(module, "AdversarialOptions")
      .def(nb::init<>())
      .def_rw("penalty", &AdversarialOptions::penalty)
      .def_rw("draws", &AdversarialOptions::draws)
      .def_rw("hidden", &AdversarialOptions::hidden)
      .def_rw("epochs", &AdversarialOptions::epochs)
      .def_rw("batch", &AdversarialOptions::batch)
      .def_rw("learning_rate", &AdversarialOptions::learning_rate)
      .def_rw("seed", &AdversarialOptions::seed);
}

}  // namespace

void bind_adversarial(nb::module_& module) {
  bind_options(module);
  nb::class_<AdversarialVae>(module, "AdversarialVae")
      .def(
          "__init__",
          [](AdversarialVae* self, const MatrixXd& a, const MatrixXd& b, const VectorXd& y, const VaeOptions& options,
             const nb::object& report) {
            const Unlocked unlocked;
            new (self) AdversarialVae({a, b, y}, options, [&report](const VaeEpoch& epoch) {
              return tell(report, epoch.features + epoch.outcome + epoch.latent);
            });
          },
          nb::arg("a"), nb::arg("b"), nb::arg("y"), nb::arg("options"), nb::arg("report") = nb::none())
      .def(
          "infer",
          [](const AdversarialVae& self, const MatrixXd& a, const MatrixXd& b, const VectorXd& y) {
            const Unlocked unlocked;
            return self.infer({a, b, y});
          },
          nb::arg("a"), nb::arg("b"), nb::arg("y"))
      .def(
          "decode",
          [](const AdversarialVae& self, const MatrixXd& z, const MatrixXd& b) {
            const Unlocked unlocked;
            return self.decode(z, b);
          },
          nb::arg("z"), nb::arg("b"))
      .def(
          "gap",
          [](const AdversarialVae& self, const nb::object& predict, const MatrixXd& a, const MatrixXd& b,
             const VectorXd& y, const MatrixXd& training_b, int draws, std::uint64_t seed) {
            const PythonContinuousMethod method(predict);
            const Unlocked unlocked;
            const VaeCounterfactuals world(self, {a, b, y});
            const ContinuousGap gap = continuous_gap(method, world, b, GapOptions::within(training_b, draws, seed));
            return std::pair(gap.absolute, gap.square);
          },
          nb::arg("predict"), nb::arg("a"), nb::arg("b"), nb::arg("y"), nb::arg("training_b"), nb::arg("draws"),
          nb::arg("seed"))
      .def("__getstate__", &AdversarialVae::to_json, Heavy())
      .def(
          "__setstate__",
          [](AdversarialVae& self, const std::string& text) {
            new (&self) AdversarialVae(AdversarialVae::from_json(text));
          },
          Heavy());
  nb::class_<AdversarialMethod, ContinuousMethod>(module, "AdversarialMethod")
      .def("__getstate__", &AdversarialMethod::to_json, Heavy())
      .def(
          "__setstate__",
          [](AdversarialMethod& self, const std::string& text) {
            new (&self) AdversarialMethod(AdversarialMethod::from_json(text));
          },
          Heavy());
  module.def(
      "fit_adversarial",
      [](const MatrixXd& a, const MatrixXd& b, const VectorXd& y, const AdversarialVae& generator,
         const AdversarialOptions& options, const nb::object& report) {
        const Unlocked unlocked;
        return std::const_pointer_cast<AdversarialMethod>(std::shared_ptr<const AdversarialMethod>(fit_adversarial(
            {a, b, y}, generator, options, [&report](const Epoch& epoch) { return tell(report, epoch.loss); })));
      },
      nb::arg("a"), nb::arg("b"), nb::arg("y"), nb::arg("generator"), nb::arg("options"),
      nb::arg("report") = nb::none());
}

}  // namespace plumbline::python
