// The compiled half of the Python package: plumbline._core.
#include <nanobind/stl/string.h>

#include <exception>
#include <string>

#include "base/printable.h"
#include "bindings.h"
#include "plumbline/error.h"
#include "remedies.h"

namespace plumbline::python {
namespace {

// Text of Python may hold halves of pairs, which are no UTF-8 and are shown as bytes.
nb::str printed(const nb::handle& text) {
  const auto bytes = nb::cast<nb::bytes>(nb::str(text).attr("encode")("utf-8", "surrogatepass"));
  const std::string shown = printable_line({bytes.c_str(), bytes.size()});
  return nb::str(shown.data(), shown.size());
}

// As plumbline.Error, with what a caller may want to know beside the sentence.
void raise_with_remedy(const std::exception_ptr& thrown, void* type) {
  try {
    std::rethrow_exception(thrown);
  } catch (const RemediableError& problem) {
    const nb::object error = nb::borrow(static_cast<PyObject*>(type))(worded(problem));
    error.attr("remedy") = name_of(problem.remedy());
    error.attr("column") = problem.column();
    error.attr("cell") = problem.cell();
    PyErr_SetObject(static_cast<PyObject*>(type), error.ptr());
  }
}

}  // namespace
}  // namespace plumbline::python

NB_MODULE(_core, module) {
  using namespace plumbline::python;
  nb::set_leak_warnings(false);  // a thread that is alive at the end keeps what it uses
  module.doc() = "The C++ engine of Plumbline.";
  nb::exception<plumbline::Error> error(module, "Error", PyExc_ValueError);
  // Registered last, it is asked first.
  nb::register_exception_translator(&raise_with_remedy, error.ptr());
  // Sentences that Python raises have names of columns in them too.
  error.attr("__init__") = nb::cpp_function(
      [](const nb::object& self, const nb::args& given) {
        nb::list shown;
        for (const nb::handle one : given)
          shown.append(nb::isinstance<nb::str>(one) ? nb::object(printed(one)) : nb::borrow(one));
        nb::handle(PyExc_ValueError).attr("__init__")(self, *nb::tuple(shown));
      },
      nb::is_method(), nb::sig("def __init__(self, *args: object) -> None"));
  module.def("printable", &printed, nb::arg("text"), nb::sig("def printable(text: str) -> str"),
             "The text as it may stand in a sentence, in one line.");
  error.attr("__doc__") =
      R"(Bad input or misuse: one sentence that names the argument, the value and the constraint.

Examples
--------
>>> import plumbline
>>> try:
...     plumbline.OrthogonalToBias(sensitive_feature_ids=[3]).fit([[0.0, 1.0], [1.0, 3.0]])
... except plumbline.Error as error:
...     print(error)
sensitive_feature_ids has 3; X has columns 0 to 1)";
  bind_columns(module);
  bind_arrow(module);
  bind_moments(module);
  bind_probe(module);
  bind_certificate(module);
  bind_encoding(module);
  bind_expansion(module);
  bind_fit(module);
  bind_tables(module);
  bind_methods(module);
  bind_adversarial(module);
  bind_metrics(module);
  bind_datasets(module);
}
