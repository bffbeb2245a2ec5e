#include <nanobind/eigen/dense.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "plumbline/moments.h"

namespace plumbline::python {
namespace {

nb::bytes bytes_of(const Moments& moments) {
  std::string bytes;
  {
    const Unlocked unlocked;
    bytes = moments.to_bytes();
  }
  return nb::bytes(bytes.data(), bytes.size());
}

void set_bytes(Moments& moments, const nb::bytes& bytes) {
  const std::string_view view(bytes.c_str(), bytes.size());
  const Unlocked unlocked;
  new (&moments) Moments(Moments::from_bytes(view));
}

}  // namespace

void bind_moments(nb::module_& module) {
  using Names = std::vector<std::string>;
  nb::class_<Moments>(module, "Moments")
      .def(nb::init<>())
      .def(
          "__init__",
          [](Moments* self, Names features, Names sensitive, bool full) {
            new (self)
                Moments(std::move(features), std::move(sensitive), full ? Moments::Kind::full : Moments::Kind::cross);
          },
          nb::arg("features"), nb::arg("sensitive"), nb::arg("full") = true)
      .def(
          "update",
          [](Moments& self, const HeldColumns& a, const HeldColumns& b, const Weights& weights, int threads) {
            const Unlocked unlocked;
            self.update(a.view, b.view, {threads, span_of(weights)});
          },
          nb::arg("a"), nb::arg("b"), nb::arg("weights") = nb::none(), nb::arg("threads") = 0)
      .def("merge", &Moments::merge, nb::arg("other"), Heavy())
      .def(
          "copy", [](const Moments& self) { return Moments(self); }, Heavy())
      .def("widened", &Moments::widened, nb::arg("features"), nb::arg("sensitive"), Heavy())
      .def_prop_ro("full", [](const Moments& self) { return self.kind() == Moments::Kind::full; })
      .def_prop_ro("feature_names", &Moments::feature_names)
      .def_prop_ro("sensitive_names", &Moments::sensitive_names)
      .def_prop_ro("rows", &Moments::rows)
      .def_prop_ro("weight", &Moments::weight)
      .def_prop_ro("mean_a", &Moments::mean_a)
      .def_prop_ro("mean_b", &Moments::mean_b)
      .def_prop_ro("scatter_aa", &Moments::scatter_aa, Heavy())
      .def_prop_ro("scatter_ba", &Moments::scatter_ba, Heavy())
      .def_prop_ro("scatter_bb", &Moments::scatter_bb, Heavy())
      .def("save", &Moments::save, nb::arg("path"), Heavy(),
           nb::sig("def save(self, path: str | os.PathLike[str]) -> None"))
      .def_static("load", &Moments::load, nb::arg("path"), Heavy(),
                  nb::sig("def load(path: str | os.PathLike[str]) -> Moments"))
      .def("__getstate__", &bytes_of)
      .def("__setstate__", &set_bytes)
      .def(
          "__eq__", [](const Moments& self, const Moments& other) { return self == other; }, nb::is_operator(), Heavy(),
          nb::sig("def __eq__(self, other: object, /) -> bool"));
}

}  // namespace plumbline::python
