#include <nanobind/eigen/dense.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "base/choices.h"
#include "base/names.h"
#include "base/refusals.h"
#include "base/weights.h"
#include "bindings.h"
#include "plumbline/encoding.h"

namespace plumbline::python {

void bind_encoding(nb::module_& module) {
  const auto kind_of = [](const std::string& text) {
    return choice_of<ColumnKind>(
        "kind", text,
        {{"number", ColumnKind::number}, {"boolean", ColumnKind::boolean}, {"category", ColumnKind::category}});
  };
  nb::class_<TableColumn>(module, "TableColumn",
                          "A column of a table: its name, its kind and the levels of a category.")
      .def(
          "__init__",
          [kind_of](TableColumn* self, std::string name, const std::string& kind, std::vector<std::string> levels) {
            new (self) TableColumn{std::move(name), kind_of(kind), std::move(levels)};
          },
          nb::arg("name"), nb::arg("kind") = "number", nb::arg("levels") = std::vector<std::string>())
      .def_ro("name", &TableColumn::name)
      .def_prop_ro("kind", [](const TableColumn& self) { return name_of(self.kind); })
      .def_ro("levels", &TableColumn::levels)
      .def_ro("merged", &TableColumn::merged)
      .def_ro("other", &TableColumn::other)
      .def_ro("held", &TableColumn::held)
      .def_prop_ro("width", &TableColumn::width)
      .def("__getstate__",
           [](const TableColumn& self) { return std::tuple(self.name, std::string(name_of(self.kind)), self.levels); })
      .def("__setstate__",
           [kind_of](TableColumn& self, const std::tuple<std::string, std::string, std::vector<std::string>>& state) {
             const auto& [name, kind, levels] = state;
             new (&self) TableColumn{name, kind_of(kind), levels};
           });

  module.def(
      "refuse_column",
      [](const std::string& flag, const std::string& name, const std::vector<std::string>& columns) {
        refuse_column(flag, name, columns);
      },
      nb::arg("flag"), nb::arg("name"), nb::arg("columns"), "Raises, with the nearest name there is.",
      nb::sig("def refuse_column(flag: str, name: str, columns: Sequence[str]) -> typing.NoReturn"));
  module.def("check_distinct", &check_distinct, nb::arg("where"), nb::arg("names"), "Raises if a name comes twice.");
  module.def(
      "check_present",
      [](const std::string& where, const std::vector<std::string>& lacking,
         const std::vector<std::string>& lacking_sensitive, const std::vector<std::string>& others,
         const std::string& needed) { check_present(where, lacking, lacking_sensitive, others, needed); },
      nb::arg("where"), nb::arg("lacking"), nb::arg("lacking_sensitive"), nb::arg("others"), nb::arg("needed"),
      "Raises if columns are lacking.");
  module.def(
      "check_weights",
      [](const Weights& weights, bool some) {
        const std::span<const double> given = span_of(weights);
        (some ? check_some_weight : check_weights)(given, static_cast<Index>(given.size()));
      },
      nb::arg("weights"), nb::arg("some") = false, "Raises if a weight is negative or, where some must not be, zero.");

  nb::class_<Encoding>(module, "Encoding", "How the columns of a table become the matrices A and B.")
      .def(
          "__init__",
          [](Encoding* self, std::vector<TableColumn> features, std::vector<TableColumn> sensitive,
             const std::string& missing, std::optional<Eigen::VectorXd> fill_a, std::optional<Eigen::VectorXd> fill_b,
             std::vector<std::string> columns, std::vector<std::string> unnamed) {
            Encoding encoding{std::move(features), std::move(sensitive)};
            encoding.missing = choice_of<Missing>(
                "missing", missing, {{"error", Missing::error}, {"drop", Missing::drop}, {"mean", Missing::mean}});
            if (fill_a) encoding.fill_a = *std::move(fill_a);
            if (fill_b) encoding.fill_b = *std::move(fill_b);
            encoding.columns = std::move(columns);
            encoding.unnamed = std::move(unnamed);
            encoding.check();
            new (self) Encoding(std::move(encoding));
          },
          nb::arg("features"), nb::arg("sensitive"), nb::arg("missing") = "error", nb::arg("fill_a") = nb::none(),
          nb::arg("fill_b") = nb::none(), nb::arg("columns") = std::vector<std::string>(),
          nb::arg("unnamed") = std::vector<std::string>())
      .def_ro("features", &Encoding::features)
      .def_ro("sensitive", &Encoding::sensitive)
      .def_prop_ro("missing", [](const Encoding& self) { return name_of(self.missing); })
      .def_ro("fill_a", &Encoding::fill_a)
      .def_ro("fill_b", &Encoding::fill_b)
      .def_ro("columns", &Encoding::columns)
      .def_ro("unnamed", &Encoding::unnamed)
      .def_prop_ro("has_categories",
                   [](const Encoding& self) {
                     const auto is_category = [](const TableColumn& one) { return one.kind == ColumnKind::category; };
                     return std::ranges::any_of(self.features, is_category) ||
                            std::ranges::any_of(self.sensitive, is_category);
                   })
      .def("feature_names", &Encoding::feature_names)
      .def("sensitive_names", &Encoding::sensitive_names);
}

}  // namespace plumbline::python
