#include <fmt/format.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "plumbline/error.h"

namespace plumbline::python {
namespace {

[[noreturn]] void refuse_type() { throw Error("cells are of a type other than float64 and float32"); }

Columns view_of(const nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>& x) {
  const auto view = [&]<class T>(const T* data) {
    return Columns(data, static_cast<Index>(x.shape(0)), static_cast<Index>(x.shape(1)), x.stride(0), x.stride(1));
  };
  if (x.dtype() == nb::dtype<double>()) return view(static_cast<const double*>(x.data()));
  if (x.dtype() == nb::dtype<float>()) return view(static_cast<const float*>(x.data()));
  refuse_type();
}

// Of arrays that have one stride and one type.
template <class T>
Columns view_of(const std::vector<nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>>& columns) {
  std::vector<const T*> data;
  for (const auto& column : columns) data.push_back(static_cast<const T*>(column.data()));
  return Columns(data, static_cast<Index>(columns.front().shape(0)), columns.front().stride(0));
}

}  // namespace

Unlocked::Unlocked()
    : poll_([] {
        const nb::gil_scoped_acquire lock;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      }) {}

std::span<const double> span_of(const Weights& weights) {
  return weights ? std::span<const double>(weights->data(), weights->size()) : std::span<const double>();
}

MutableColumns columns_of(const Output& out) {
  const auto view = [&]<class T>(T* data) {
    return MutableColumns(data, static_cast<Index>(out.shape(0)), static_cast<Index>(out.shape(1)), out.stride(0),
                          out.stride(1));
  };
  if (out.dtype() == nb::dtype<double>()) return view(static_cast<double*>(out.data()));
  if (out.dtype() == nb::dtype<float>()) return view(static_cast<float*>(out.data()));
  refuse_type();
}

nb::ndarray<nb::numpy, double> array_of(std::vector<double> cells) {
  auto* const owned = new std::vector<double>(std::move(cells));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return {owned->data(), {owned->size()}, owner};
}

void bind_columns(nb::module_& module) {
  nb::class_<HeldColumns>(module, "Columns", "A view of the columns of a table: n rows, one type, one stride.")
      .def(
          "__init__",
          [](HeldColumns* self, const nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>& x, const Indices& indices) {
            std::vector<Index> chosen(indices.data(), indices.data() + indices.size());
            new (self) HeldColumns{view_of(x).select(chosen), {nb::cast(x)}};
          },
          nb::arg("x").noconvert(), nb::arg("indices"),
          nb::sig("def __init__(self, x: NDArray[typing.Any], indices: NDArray[numpy.int64]) -> None"))
      .def(
          "__init__",
          [](HeldColumns* self, const nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>& x) {
            new (self) HeldColumns{view_of(x), {nb::cast(x)}};
          },
          nb::arg("x").noconvert(), nb::sig("def __init__(self, x: NDArray[typing.Any]) -> None"))
      .def(
          "__init__",
          [](HeldColumns* self, const std::vector<nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>>& columns) {
            if (columns.empty()) {
              new (self) HeldColumns();
              return;
            }
            const auto& first = columns.front();
            for (const auto& column : columns)
              if (column.dtype() != first.dtype() || column.shape(0) != first.shape(0) ||
                  (column.stride(0) != first.stride(0) && column.shape(0) > 1))
                throw Error("columns of a table must have one type, one length and one stride");
            HeldColumns table;
            if (first.dtype() == nb::dtype<double>())
              table.view = view_of<double>(columns);
            else if (first.dtype() == nb::dtype<float>())
              table.view = view_of<float>(columns);
            else
              refuse_type();
            for (const auto& column : columns) table.owners.push_back(nb::cast(column));
            new (self) HeldColumns(std::move(table));
          },
          nb::arg("columns"), nb::sig("def __init__(self, columns: Sequence[NDArray[typing.Any]]) -> None"))
      .def(
          "rows",
          [](const HeldColumns& self, Index first, Index count) {
            return HeldColumns{self.view.middle_rows(first, count), self.owners};
          },
          nb::arg("first"), nb::arg("count"), "The rows [first, first + count).")
      .def_prop_ro("n_rows", [](const HeldColumns& self) { return self.view.rows(); })
      .def_prop_ro("n_columns", [](const HeldColumns& self) { return self.view.cols(); });
}

}  // namespace plumbline::python
