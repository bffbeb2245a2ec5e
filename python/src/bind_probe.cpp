#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "interruptible.h"
#include "plumbline/error.h"
#include "plumbline/fit.h"
#include "probe_options.h"
#include "tables/part_sample.h"
#include "tables/table_moments.h"
#include "tables/table_probe.h"

namespace plumbline::python {
namespace {

const char* name_of(ReadAs as) {
  switch (as) {
    case ReadAs::number:
      return "number";
    case ReadAs::level:
      return "level";
    case ReadAs::distance:
      return "distance";
  }
  return "";
}

// A function of Python as an attacker; it may be copied and let go of without the GIL.
Attacker attacker_of(std::string name, nb::object function) {
  const auto let_go = [](nb::object* one) {
    const nb::gil_scoped_acquire lock;
    delete one;
  };
  const std::shared_ptr<nb::object> held(new nb::object(std::move(function)), let_go);
  return {name, [held, name](const Eigen::MatrixXd& learned, const Eigen::MatrixXd& y, const Eigen::VectorXd& weights,
                             std::span<const ReadAs> as, const Eigen::MatrixXd& judged) {
            const nb::gil_scoped_acquire lock;
            nb::list read_as;
            for (const ReadAs one : as) read_as.append(name_of(one));
            const nb::object given_weights = weights.size() == 0 ? nb::object(nb::none()) : nb::cast(weights);
            Eigen::MatrixXd predicted;
            if (!nb::try_cast((*held)(learned, y, given_weights, read_as, judged), predicted))
              throw Error("attacker '" + name + "' predicts what is no array of numbers with two dimensions");
            return predicted;
          }};
}

struct MostExposed {
  ProbedColumn column;
  std::string attacker;
  double exposure;
};

std::optional<MostExposed> most_exposed(const Probe& probe, bool linear_only) {
  const Probe::Exposed found = probe.most_exposed(linear_only);
  if (found.column < 0) return std::nullopt;
  return MostExposed{probe.columns[static_cast<std::size_t>(found.column)],
                     probe.attackers[static_cast<std::size_t>(found.attacker)], found.exposure};
}

nb::object by_column(const Probe& probe) {
  nb::list name, as, attacker;
  std::vector<double> sides[2][3];
  for (const ProbedColumn& column : probe.columns)
    for (std::size_t k = 0; k < probe.attackers.size(); ++k) {
      name.append(column.name);
      as.append(name_of(column.read_as));
      attacker.append(probe.attackers[k]);
      for (const int side : {0, 1}) {
        const Reading& reading = (side == 0 ? column.before : column.after)[k];
        sides[side][0].push_back(reading.value);
        sides[side][1].push_back(reading.low);
        sides[side][2].push_back(reading.high);
      }
    }
  nb::dict columns;
  columns["name"] = name;
  columns["read_as"] = as;
  columns["attacker"] = attacker;
  for (const auto& [side, prefix] : {std::pair(0, "before"), std::pair(1, "after")})
    for (const auto& [part, suffix] : {std::pair(0, ""), std::pair(1, "_low"), std::pair(2, "_high")})
      columns[nb::str((std::string(prefix) + suffix).c_str())] = array_of(std::move(sides[side][part]));
  return nb::module_::import_("pandas").attr("DataFrame")(columns);
}

void bind_forms(nb::module_& module) {
  nb::class_<Reading>(module, "Reading", "How well a column is read back: AUC of a level, R² of a number.")
      .def_ro("value", &Reading::value)
      .def_ro("low", &Reading::low, "Lower end of the 95 % interval.")
      .def_ro("high", &Reading::high)
      .def(
          "__repr__",
          [](const Reading& self) {
            return nb::str("Reading(value={:.4g}, low={:.4g}, high={:.4g})")
                .attr("format")(self.value, self.low, self.high);
          },
          nb::sig("def __repr__(self) -> str"));

  nb::class_<ProbedColumn>(module, "ProbedColumn", "A sensitive column, and what each attacker reads back of it.")
      .def_ro("name", &ProbedColumn::name)
      .def_prop_ro(
          "read_as", [](const ProbedColumn& self) { return name_of(self.read_as); },
          "\"level\", judged by AUC; \"number\" or \"distance\", from its median, judged by R².")
      .def_ro("before", &ProbedColumn::before, "From the features as they were, a reading for each attacker.")
      .def_ro("after", &ProbedColumn::after, "From the features as the map gives them.");

  nb::class_<MostExposed>(module, "Exposed", "The column that is read back best, by whom and how much at least.")
      .def_ro("column", &MostExposed::column)
      .def_ro("attacker", &MostExposed::attacker)
      .def_ro("exposure", &MostExposed::exposure,
              "By the lower end of the interval, from 0, nothing, to 1, all: √R² or 2 AUC − 1.");

  nb::class_<Probe>(module, "Probe",
                    R"(How well each sensitive column can be read back from the features, before and after.

Attackers learn on some rows and are judged on others; neither they nor the map that is judged have seen the latter.

Examples
--------
>>> from plumbline import OrthogonalToBias
>>> from plumbline.datasets import make_insurance
>>> fair = OrthogonalToBias(sensitive_feature_ids="b").fit(make_insurance(1000))
>>> probe = fair.certificate_.probe
>>> probe.attackers
['linear', 'hinges']
>>> [(column.name, column.read_as) for column in probe.columns]
[('b', 'number'), ('b', 'distance')]
>>> probe.columns[0].before[0].low > 0.5 > probe.columns[0].after[0].high
True
>>> probe.by_column().columns.tolist()[:5]
['name', 'read_as', 'attacker', 'before', 'before_low'])")
      .def_ro("attackers", &Probe::attackers, "The first one is linear.")
      .def_ro("columns", &Probe::columns)
      .def_ro("not_estimable", &Probe::not_estimable, "What could not be measured, and why, a sentence each.")
      .def_ro("rows", &Probe::rows, "That were judged.")
      .def_ro("learned_rows", &Probe::learned_rows, "That an attacker learned from.")
      .def_ro("features", &Probe::features, "That it was shown.")
      .def("most_exposed", &most_exposed, nb::arg("linear_only") = false,
           "The column that is read back best after the map; None where none is.")
      .def("by_column", &by_column, R"(All readings, as a frame of pandas.

A row for each column and attacker: `before` and `after`, with `_low` and `_high`, the ends of their 95 % intervals.)",
           nb::sig("def by_column(self) -> typing.Any"));
}

}  // namespace

TableProbeOptions probe_options(const Attackers& further, const nb::object& progress) {
  TableProbeOptions out;
  for (const auto& [name, function] : further) out.further.push_back(attacker_of(name, function));
  if (!progress.is_none())
    out.progress = [call = progress.ptr()](std::uint64_t done, std::uint64_t all) {
      const nb::gil_scoped_acquire lock;
      nb::borrow(call)(done, all);
    };
  out.solve = solve;
  return out;
}

Fit solve(const Moments& moments, const FitOptions& options, const std::optional<Expansion>& expansion) {
  if (!takes_long(moments.features(), moments.sensitive(), moments.kind())) return fit(moments, options, expansion);
  return interruptible([moments, options, expansion] { return fit(moments, options, expansion); });
}

void bind_probe(nb::module_& module) {
  bind_forms(module);
  module.attr("QUICK_PROBE_ROWS") = kQuickProbeRows;
  module.attr("FULL_PROBE_ROWS") = kFullProbeRows;
  nb::class_<ProbeSample>(module, "ProbeSample", "Rows of a fit that are kept for its probe.")
      .def_prop_ro("n_rows", [](const ProbeSample& self) { return self.rows.a.rows(); });
  nb::class_<PartSample>(module, "PartSample", "Rows of tables that come one after the other, kept for a probe.")
      .def(nb::init<Index>(), nb::arg("size"))
      .def(
          "add",
          [](PartSample& self, const TableMoments& part, const TableMoments& all) {
            self.add(part.encoding, all.encoding);
          },
          nb::arg("part"), nb::arg("all"), "After `collect`: the part, and all parts so far.", Heavy(),
          nb::sig("def add(self, part: TableMoments, all: TableMoments) -> None"));
  module.def(
      "probe_fit",
      [](const Fit& fit, const ProbeSample& sample, const Attackers& further, const nb::object& progress) {
        const TableProbeOptions options = probe_options(further, progress);
        const Unlocked unlocked;
        return probe_fit(fit, sample, options);
      },
      nb::arg("fit"), nb::arg("sample"), nb::arg("further"), nb::arg("progress").none(),
      nb::sig("def probe_fit(fit: Fit, sample: ProbeSample, further: list[tuple[str, typing.Any]], "
              "progress: object | None) -> Probe"));
}

}  // namespace plumbline::python
