#include <fmt/format.h>
#include <nanobind/eigen/dense.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <memory>

#include "base/choices.h"
#include "bindings.h"
#include "interruptible.h"
#include "io/files.h"
#include "io/output_file.h"
#include "plumbline/error.h"
#include "probe_options.h"
#include "tables/array_transform.h"
#include "tables/learn_encoding.h"
#include "tables/memory_source.h"
#include "tables/part_sample.h"
#include "tables/row_sample.h"
#include "tables/table_fit.h"
#include "tables/unlearnable.h"

namespace plumbline::python {
namespace {

// What the cells of a batch live in; given back to Python with its lock held.
struct Owner {
  std::vector<nb::object> objects;
  std::deque<std::vector<std::string>> levels;
};

std::shared_ptr<Owner> new_owner() {
  return {new Owner(), [](Owner* owner) {
            const nb::gil_scoped_acquire lock;
            delete owner;
          }};
}

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::device::cpu>;

// Columns of a batch as Python hands them over: numbers are Columns, or a pair of them and "boolean" or
// "beyond_double"; categories are codes, levels and whether they are text that nobody has declared to be a category.
void add_batch(MemorySource& source, Index rows, const nb::list& parts) {
  const std::shared_ptr<Owner> owner = new_owner();
  std::vector<MemorySource::Column> columns;
  const auto add_numbers = [&](const HeldColumns& held, ColumnKind kind, MemorySource::Doubt doubt) {
    for (Index j = 0; j < held.view.cols(); ++j) {
      const void* first = held.view.data()[j];
      const Index stride = held.view.row_stride();
      const Cells cells = held.view.scalar() == Scalar::float64 ? Cells(static_cast<const double*>(first), stride)
                                                                : Cells(static_cast<const float*>(first), stride);
      columns.push_back({cells, kind, doubt});
    }
  };
  for (const nb::handle part : parts) {
    owner->objects.push_back(nb::borrow(part));
    if (nb::isinstance<HeldColumns>(part)) {
      add_numbers(nb::cast<const HeldColumns&>(part), ColumnKind::number, MemorySource::Doubt::none);
      continue;
    }
    const auto parts_of = nb::cast<nb::tuple>(part);
    if (nb::isinstance<HeldColumns>(parts_of[0])) {
      const bool is_boolean = nb::cast<std::string>(parts_of[1]) == "boolean";
      add_numbers(nb::cast<const HeldColumns&>(parts_of[0]), is_boolean ? ColumnKind::boolean : ColumnKind::number,
                  is_boolean ? MemorySource::Doubt::none : MemorySource::Doubt::beyond_double);
      continue;
    }
    const auto codes = nb::cast<Codes>(parts_of[0]);
    owner->objects.push_back(nb::cast(codes));
    owner->levels.push_back(nb::cast<std::vector<std::string>>(parts_of[1]));
    const std::vector<std::string>* const levels = &owner->levels.back();
    std::optional<ColumnKind> kind = ColumnKind::category;
    if (levels->empty()) kind.reset();
    columns.push_back({Cells(codes.data(), codes.stride(0), levels), kind,
                       nb::cast<bool>(parts_of[2]) ? MemorySource::Doubt::text : MemorySource::Doubt::none});
  }
  source.add(rows, columns, owner);
}

// The features come first in a table, then the sensitive columns, then the weights and the target if there are some.
struct Table {
  MemorySource source;
  Index features, sensitive;
  bool has_target;

  Schema schema() const {
    Schema out;
    auto columns = static_cast<Index>(source.names().size());
    if (has_target) out.target = --columns;
    out.is_priced = has_target;
    for (Index j = 0; j < features; ++j) out.features.push_back(j);
    for (Index j = features; j < features + sensitive; ++j) out.sensitive.push_back(j);
    if (columns > features + sensitive) out.weights = columns - 1;
    out.kinds = known_kinds(source);
    return out;
  }
};

Missing missing_from(const std::string& text) {
  return choice_of<Missing>("missing", text,
                            {{"error", Missing::error}, {"drop", Missing::drop}, {"mean", Missing::mean}});
}

ReadOptions read_options(const nb::object& progress) {
  ReadOptions out;
  if (progress.is_none()) return out;
  out.progress = [call = progress.ptr()](std::uint64_t done, std::optional<std::uint64_t>) {
    const nb::gil_scoped_acquire lock;
    nb::borrow(call)(done);
  };
  return out;
}

void tell_origin(Encoding& encoding, const std::vector<std::string>& columns, const std::vector<std::string>& unnamed) {
  encoding.weights.clear();  // they were given apart
  encoding.target.clear();
  encoding.columns = columns;
  encoding.unnamed = unnamed;
}

void bind_table(nb::module_& module) {
  nb::class_<Table>(module, "Table", "Rows of features, sensitive columns and weights, in batches.")
      .def(
          "__init__",
          [](Table* self, std::string called, std::vector<std::string> names, Index features, Index sensitive,
             Index first_row, bool has_target) {
            new (self)
                Table{MemorySource(std::move(called), std::move(names), first_row), features, sensitive, has_target};
          },
          nb::arg("called"), nb::arg("names"), nb::arg("features"), nb::arg("sensitive"), nb::arg("first_row") = 0,
          nb::arg("has_target") = false)
      .def(
          "add", [](Table& self, Index rows, const nb::list& columns) { add_batch(self.source, rows, columns); },
          nb::arg("n_rows"), nb::arg("columns"),
          nb::sig("def add(self, n_rows: int, columns: list[typing.Any]) -> None"))
      .def_prop_ro("n_rows", [](const Table& self) { return *self.source.rows(); });
}

TableMoments of_numbers(const Moments& moments) {
  TableMoments out{.moments = moments};
  for (const std::string& name : moments.feature_names()) out.encoding.features.push_back({name});
  for (const std::string& name : moments.sensitive_names()) out.encoding.sensitive.push_back({name});
  return out;
}

void bind_moments_of_tables(nb::module_& module) {
  nb::class_<TableFit>(module, "TableFit")
      .def_ro("fit", &TableFit::fit)
      .def_ro("dropped", &TableFit::dropped)
      .def_ro("filled", &TableFit::filled)
      .def_prop_ro("moments", [](const TableFit& self) { return self.moments; })
      .def(
          "take_sample", [](TableFit& self) { return std::exchange(self.sample, std::nullopt); },
          "The rows that were kept for a probe, once.");

  nb::class_<TableMoments>(module, "TableMoments", "The moments of tables, which merge whatever levels each has.")
      .def(nb::init<>())
      .def(
          "__init__", [](TableMoments* self, const Moments& moments) { new (self) TableMoments(of_numbers(moments)); },
          nb::arg("moments"), "Of a table of numbers, about which nothing else is known.")
      .def_prop_ro("rows", [](const TableMoments& self) { return self.moments.rows(); })
      .def_prop_ro("full", [](const TableMoments& self) { return self.moments.kind() == Moments::Kind::full; })
      .def_ro("dropped", &TableMoments::dropped)
      .def_ro("moments", &TableMoments::moments)
      .def_prop_ro("encoding", [](const TableMoments& self) { return self.encoding; })
      .def("merge", &TableMoments::merge, nb::arg("other"), Heavy())
      .def(
          "copy", [](const TableMoments& self) { return TableMoments(self); }, Heavy())
      .def(
          "settle",
          [](TableMoments& self, const FitOptions& options) {
            if (options.moments_for(self.moments.rows(), self.moments.features()) == Moments::Kind::cross)
              self.moments = self.moments.cross();
          },
          nb::arg("options"), "Gives up products of features with each other where they cost more than they are worth.",
          Heavy())
      .def(
          "fit",
          [](const TableMoments& self, const FitOptions& options, std::optional<std::int64_t> least_rows,
             const std::string& missing, const std::vector<std::string>& columns,
             const std::vector<std::string>& unnamed, PartSample* sample) {
            const Unlocked unlocked;
            TableMoments settled = self;
            settled.encoding.missing = missing_from(missing);
            TableFit out =
                fit_table_moments(settled, {.fit = options, .least_rows = least_rows, .solve = solve}, sample);
            if (out.fit.encoding) tell_origin(*out.fit.encoding, columns, unnamed);
            return out;
          },
          nb::arg("options"), nb::arg("least_rows").none(), nb::arg("missing"), nb::arg("columns"), nb::arg("unnamed"),
          nb::arg("sample").none() = nb::none())
      .def(
          "save",
          [](const TableMoments& self, const std::filesystem::path& path) {
            const Unlocked unlocked;
            if (self.encoding.features.empty()) return self.moments.save(path);
            OutputFile file(path.string(), {.force = true});
            file.write(self.to_bytes());
            file.commit();
          },
          nb::arg("path"), nb::sig("def save(self, path: str | os.PathLike[str]) -> None"))
      .def_static(
          "load",
          [](const std::filesystem::path& path) {
            const Unlocked unlocked;
            try {
              return TableMoments::from_bytes(read_file(path));
            } catch (const Error& error) {
              throw Error(fmt::format("{}: {}", path.string(), error.what()));
            }
          },
          nb::arg("path"), nb::sig("def load(path: str | os.PathLike[str]) -> TableMoments"))
      .def("__getstate__",
           [](const TableMoments& self) {
             std::string bytes;
             {
               const Unlocked unlocked;
               bytes = self.to_bytes();
             }
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__setstate__", [](TableMoments& self, const nb::bytes& bytes) {
        const std::string_view view(bytes.c_str(), bytes.size());
        const Unlocked unlocked;
        new (&self) TableMoments(TableMoments::from_bytes(view));
      });
}

void bind_fit_of_tables(nb::module_& module) {
  module.def(
      "fit_table",
      [](Table& table, const FitOptions& options, const std::optional<ExpansionOptions>& expand,
         const std::string& missing, std::optional<std::int64_t> least_rows, Index probe_rows,
         const std::vector<std::string>& columns, const std::vector<std::string>& unnamed,
         const std::vector<std::string>& target_levels, const nb::object& progress) {
        const TableFitOptions how{.fit = options,
                                  .expand = expand,
                                  .missing = missing_from(missing),
                                  .least_rows = least_rows,
                                  .read = read_options(progress),
                                  .probe_rows = probe_rows,
                                  .solve = solve};
        const Unlocked unlocked;
        const Schema schema = table.schema();
        require_learnable(table.source, schema, how.read);
        TableFit out = fit_table(table.source, schema, how);
        tell_origin(*out.fit.encoding, columns, unnamed);
        if (std::optional<Price>& price = out.fit.certificate.price) price->levels = target_levels;
        if (out.moments) {  // later chunks come without a target
          out.moments->target.reset();
          out.moments->encoding.target.clear();
        }
        return out;
      },
      nb::arg("table"), nb::arg("options"), nb::arg("expand").none(), nb::arg("missing"), nb::arg("least_rows").none(),
      nb::arg("probe_rows"), nb::arg("columns"), nb::arg("unnamed"), nb::arg("target_levels"),
      nb::arg("progress").none(), "The target is numbers; where it had two levels these are 0 and 1.");
  module.attr("LARGEST_EXACT") = kLargestExact;
  module.def(
      "refuse_dates", [](const std::string& column, const std::string& cell) { refuse_dates("X", {column}, cell); },
      nb::arg("column"), nb::arg("cell"), "Raises, with what helps.",
      nb::sig("def refuse_dates(column: str, cell: str) -> typing.NoReturn"));
  module.def(
      "collect",
      [](Table& table, const std::string& missing, bool full, bool first, const nb::object& progress,
         PartSample* sample) {
        const ReadOptions read = read_options(progress);
        const Missing rule = missing_from(missing);
        const Unlocked unlocked;
        const Schema schema = table.schema();
        if (first) require_learnable(table.source, schema, read);  // later a few rows may happen to be all different
        TableMoments out =
            collect_part(table.source, schema, rule,
                         {.kind = full ? Moments::Kind::full : Moments::Kind::cross,
                          .read = read,
                          .samples = sample ? std::vector<RowSample*>{&sample->next()} : std::vector<RowSample*>()});
        out.encoding.weights.clear();
        return out;
      },
      nb::arg("table"), nb::arg("missing"), nb::arg("full"), nb::arg("first"), nb::arg("progress").none(),
      nb::arg("sample").none() = nb::none());
}

// The rules of later rows may be others than those of the fit.
Fit with_rules(const Fit& fit, const std::string& missing, const std::string& unknown) {
  Fit out = fit;
  out.encoding->missing = missing_from(missing);
  out.encoding->unknown = choice_of<Unknown>(
      "unknown", unknown, {{"merge", Unknown::merge}, {"error", Unknown::error}, {"ignore", Unknown::ignore}});
  return out;
}

// All of the rows, as the fit encodes them.
SampledRows encoded_rows(const Fit& fit, Table& table) {
  return sample_rows(table.source, table.schema().placement(), *fit.encoding, *table.source.rows(), {});
}

// A certificate of tables that come one after the other.
class Check {
 public:
  Check(Fit fit, CheckProbe probe) : fit_(std::make_shared<const Fit>(std::move(fit))), probe_(std::move(probe)) {}

  void add(Table& table, bool narrow, const ReadOptions& read) {
    const RowEncoder encoder(*fit_->encoding, table.schema().placement(), table.source);
    if (!check_) check_ = std::make_shared<RowCheck>(*fit_, encoder, ReadOptions(), probe_);
    check_->set_narrow(narrow);
    scan_encoded(
        table.source, encoder, read, [](EncodedRows&) {}, [&](const EncodedRows& rows) { check_->add(rows); });
  }

  Certificate finish() const {
    if (!check_) throw Error("there are no rows");
    // A thread that is left behind would call attackers of Python.
    if (!probe_.options.further.empty() || probe_.options.progress ||
        !takes_long(fit_->model.features(), fit_->model.parts().mean_b.size(), Moments::Kind::full))
      return check_->finish("X");
    return interruptible([fit = fit_, check = check_] { return check->finish("X"); });
  }

 private:
  std::shared_ptr<const Fit> fit_;
  CheckProbe probe_;
  std::shared_ptr<RowCheck> check_;
};

void bind_map(nb::module_& module) {
  module.def(
      "transform_table",
      [](const Fit& fit, Table& table, bool scores, const std::string& missing, const std::string& unknown,
         const Output& out, const nb::object& progress) {
        const MutableColumns to = columns_of(out);
        const ReadOptions read = read_options(progress);
        const Unlocked unlocked;
        const MapOptions how{.scores = scores, .read = read};
        return transform_rows(table.source, with_rules(fit, missing, unknown), table.schema().placement(), how, to)
            .dropped;
      },
      nb::arg("fit"), nb::arg("table"), nb::arg("scores"), nb::arg("missing"), nb::arg("unknown"),
      nb::arg("out").noconvert(), nb::arg("progress").none(),
      nb::sig("def transform_table(fit: Fit, table: Table, scores: bool, missing: str, "
              "unknown: str, out: NDArray[typing.Any], progress: object | None) -> int"),
      "Writes the rows to out, and returns how many are NaN for want of a cell.");

  module.def(
      "counterfactual_table",
      [](const Fit& fit, Table& table, Table& there, const Output& out) {
        const MutableColumns to = columns_of(out);
        const Unlocked unlocked;
        const SampledRows here = encoded_rows(fit, table), other = encoded_rows(fit, there);
        laws_of(fit).counterfactual(here.a, here.b, other.b, to);
      },
      nb::arg("fit"), nb::arg("table"), nb::arg("there"), nb::arg("out").noconvert(),
      nb::sig("def counterfactual_table(fit: Fit, table: Table, there: Table, out: NDArray[typing.Any]) -> None"),
      "Writes to out what the rows would be, had their sensitive columns been those of `there`.");

  nb::class_<Check>(module, "Check", "A certificate of tables that come one after the other.")
      .def(
          "__init__",
          [](Check* self, const Fit& fit, const std::string& missing, const std::string& unknown, Index probe_rows,
             const Attackers& further, const nb::object& progress) {
            new (self) Check(with_rules(fit, missing, unknown), {probe_rows, probe_options(further, progress)});
          },
          nb::arg("fit"), nb::arg("missing"), nb::arg("unknown"), nb::arg("probe_rows") = 0,
          nb::arg("further") = Attackers(), nb::arg("progress") = nb::none(), nb::keep_alive<1, 7>(),
          nb::sig("def __init__(self, fit: Fit, missing: str, unknown: str, probe_rows: int = 0, "
                  "further: list[tuple[str, typing.Any]] = [], progress: object | None = None) -> None"))
      .def(
          "add",
          [](Check& self, Table& table, bool narrow, const nb::object& progress) {
            const ReadOptions read = read_options(progress);
            const Unlocked unlocked;
            self.add(table, narrow, read);
          },
          nb::arg("table"), nb::arg("narrow"), nb::arg("progress").none())
      .def("certificate", &Check::finish, Heavy());
}

}  // namespace

void bind_tables(nb::module_& module) {
  bind_table(module);
  bind_moments_of_tables(module);
  bind_fit_of_tables(module);
  bind_map(module);
}

}  // namespace plumbline::python
