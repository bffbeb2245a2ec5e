#include <nanobind/eigen/dense.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <map>

#include "base/choices.h"
#include "bindings.h"
#include "interruptible.h"
#include "io/files.h"
#include "plumbline/error.h"
#include "plumbline/fit.h"
#include "tables/array_transform.h"

namespace plumbline::python {
namespace {

// None is all, a whole number so many components, any other a share of the variance.
Rank rank_of(const nb::object& n_components) {
  if (n_components.is_none()) return Rank::all();
  if (PyIndex_Check(n_components.ptr()) != 0) return Rank::count(nb::cast<Index>(nb::int_(n_components)));
  return Rank::share(nb::cast<double>(n_components));
}

nb::object n_components_of(const Rank& rank) {
  if (rank.is_all()) return nb::none();
  return rank.count() > 0 ? nb::object(nb::int_(rank.count())) : nb::object(nb::float_(rank.share()));
}

// Of what is removed: a model file tells no other.
const PartitionOptions& partition_of(const FitOptions& options) {
  return options.remove == Remove::distribution ? options.distribution.partition : options.spread.partition;
}

using Row = nb::ndarray<nb::ro, nb::shape<1, -1>, nb::c_contig, nb::device::cpu>;
using MutableRow = nb::ndarray<nb::shape<1, -1>, nb::c_contig, nb::device::cpu>;

void gather(const Row& x, const Indices& from, std::vector<double>& to) {
  const bool is_double = x.dtype() == nb::dtype<double>();
  if (!is_double && x.dtype() != nb::dtype<float>()) throw nb::type_error("a row is of neither float64 nor float32");
  to.resize(from.size());
  for (std::size_t j = 0; j < from.size(); ++j) {
    const auto at = static_cast<std::size_t>(from.data()[j]);
    if (at >= x.shape(1)) throw nb::index_error("a column is past the last");
    to[j] = is_double ? static_cast<const double*>(x.data())[at] : static_cast<const float*>(x.data())[at];
  }
}

// In a service every microsecond counts: no view is made, nothing is allocated after the first row.
void apply_row(const Fit& self, const Row& x, const Indices& features, const Row& from_b, const Indices& sensitive,
               const MutableRow& out) {
  thread_local std::vector<double> a, b, result;
  gather(x, features, a);
  gather(from_b, sensitive, b);
  if (out.dtype() == nb::dtype<double>()) {
    self.apply_row(a, b, {static_cast<double*>(out.data()), out.shape(1)});
    return;
  }
  if (out.dtype() != nb::dtype<float>()) throw nb::type_error("out is of neither float64 nor float32");
  result.resize(out.shape(1));
  self.apply_row(a, b, result);
  for (std::size_t j = 0; j < result.size(); ++j) {
    const auto cell = static_cast<float>(result[j]);
    if (!std::isfinite(cell)) throw Error("the result leaves the range of float32");
    static_cast<float*>(out.data())[j] = cell;
  }
}

Fit fit_moments(const Moments& moments, const FitOptions& options, const std::optional<Expansion>& expansion = {}) {
  if (!takes_long(moments.features(), moments.sensitive(), moments.kind())) return fit(moments, options, expansion);
  return interruptible([moments, options, expansion] { return fit(moments, options, expansion); });
}

// By the names and values of the parameters of estimators.
void bind_options(nb::module_& module) {
  nb::class_<FitOptions>(module, "FitOptions")
      .def(
          "__init__",
          [](FitOptions* self, const std::string& method, const std::string& basis, const std::string& mode,
             const nb::object& n_components, double alpha, const nb::object& standardize,
             std::optional<double> l1_bound, double tol, int max_iter, int random_starts, std::uint64_t seed,
             const std::optional<std::map<std::string, double>>& noise_b, const std::string& remove,
             const std::string& spread, std::optional<int> regions,
             const std::optional<std::vector<std::string>>& order) {
            FitOptions out;
            out.method = choice_of<Method>("method", method, {{"ob", Method::ob}, {"sob", Method::sob}});
            out.basis = choice_of<Basis>("basis", basis, {{"optimal", Basis::optimal}, {"paper", Basis::paper}});
            out.mode = choice_of<Mode>("mode", mode, {{"aware", Mode::aware}, {"blind", Mode::blind}});
            out.rank = rank_of(n_components);
            out.alpha = alpha;
            out.standardize = nb::cast<bool>(nb::bool_(standardize));
            out.sob = {.l1_bound = l1_bound.value_or(0),
                       .tolerance = tol,
                       .max_iterations = max_iter,
                       .random_starts = random_starts,
                       .seed = seed};
            if (noise_b) out.reliability.assign(noise_b->begin(), noise_b->end());
            out.remove = choice_of<Remove>(
                "remove", remove,
                {{"mean", Remove::mean}, {"spread", Remove::spread}, {"distribution", Remove::distribution}});
            out.spread.diagonal = choice_of<bool>("spread", spread, {{"full", false}, {"diagonal", true}});
            out.spread.partition.regions = out.distribution.partition.regions = regions.value_or(0);
            out.distribution.order = order.value_or(std::vector<std::string>());
            out.distribution.seed = seed;
            new (self) FitOptions(out);
          },
          nb::kw_only(), nb::arg("method") = "ob", nb::arg("basis") = "optimal", nb::arg("mode") = "aware",
          nb::arg("n_components") = nb::none(), nb::arg("alpha") = 1.0, nb::arg("standardize") = true,
          nb::arg("l1_bound") = nb::none(), nb::arg("tol") = 1e-6, nb::arg("max_iter") = 1000,
          nb::arg("random_starts") = 0, nb::arg("seed") = 0, nb::arg("noise_b") = nb::none(),
          nb::arg("remove") = "mean", nb::arg("spread") = "full", nb::arg("regions") = nb::none(),
          nb::arg("order") = nb::none())
      .def_prop_ro("method", [](const FitOptions& self) { return self.method == Method::sob ? "sob" : "ob"; })
      .def_prop_ro("basis", [](const FitOptions& self) { return self.basis == Basis::paper ? "paper" : "optimal"; })
      .def_prop_ro("mode", [](const FitOptions& self) { return self.mode == Mode::blind ? "blind" : "aware"; })
      .def_prop_ro(
          "n_components", [](const FitOptions& self) { return n_components_of(self.rank); },
          nb::sig("def n_components(self) -> int | float | None"))
      .def_ro("alpha", &FitOptions::alpha)
      .def_ro("standardize", &FitOptions::standardize)
      .def_prop_ro("l1_bound",
                   [](const FitOptions& self) {
                     return self.sob.l1_bound == 0 ? std::nullopt : std::optional(self.sob.l1_bound);
                   })
      .def_prop_ro("tol", [](const FitOptions& self) { return self.sob.tolerance; })
      .def_prop_ro("max_iter", [](const FitOptions& self) { return self.sob.max_iterations; })
      .def_prop_ro("random_starts", [](const FitOptions& self) { return self.sob.random_starts; })
      .def_prop_ro("seed",
                   [](const FitOptions& self) {
                     return self.remove == Remove::distribution ? self.distribution.seed : self.sob.seed;
                   })
      .def_prop_ro("remove", [](const FitOptions& self) { return name_of(self.remove); })
      .def_prop_ro("spread", [](const FitOptions& self) { return self.spread.diagonal ? "diagonal" : "full"; })
      .def_prop_ro("regions",
                   [](const FitOptions& self) {
                     const int regions = partition_of(self).regions;
                     return regions == 0 ? std::nullopt : std::optional(regions);
                   })
      .def_prop_ro("order",
                   [](const FitOptions& self) {
                     const auto& order = self.distribution.order;
                     return order.empty() ? std::nullopt : std::optional(order);
                   })
      .def_prop_ro("noise_b",
                   [](const FitOptions& self) {
                     using Reliability = std::map<std::string, double>;
                     const auto& of = self.reliability;
                     return of.empty() ? std::nullopt : std::optional(Reliability(of.begin(), of.end()));
                   })
      .def_prop_ro("needs_full_moments",
                   [](const FitOptions& self) { return self.moments_needed() == Moments::Kind::full; });
}

}  // namespace

const Distribution& laws_of(const Fit& fit) {
  if (!fit.distribution) throw Error("the model knows no laws of features; fit it with remove='distribution'");
  return *fit.distribution;
}

void bind_fit(nb::module_& module) {
  bind_options(module);

  nb::class_<Fit>(module, "Fit")
      .def_ro("options", &Fit::options)
      .def_ro("certificate", &Fit::certificate)
      .def(
          "with_probe",
          [](const Fit& self, const Probe& probe) {
            Fit out = self;
            out.certificate.probe = probe;
            return out;
          },
          nb::arg("probe"), "A copy, whose certificate says what models can read back.", Heavy())
      .def_prop_rw(
          "encoding", [](const Fit& self) { return self.encoding ? &*self.encoding : nullptr; },
          [](Fit& self, const Encoding& encoding) { self.encoding = with_fills(encoding, self.model); },
          nb::rv_policy::reference_internal, nb::for_getter(nb::sig("def encoding(self, /) -> Encoding | None")))
      .def_ro("sob_iterations", &Fit::sob_iterations)
      .def_prop_ro("warning", [](const Fit& self) { return warning_of(self.sob_status); })
      .def_prop_ro("features", [](const Fit& self) { return self.features(); })
      .def_prop_ro("scores", [](const Fit& self) { return self.scores(); })
      .def_prop_ro("rank", [](const Fit& self) { return self.model.rank(); })
      .def_prop_ro("needs_sensitive", [](const Fit& self) { return self.needs_sensitive(); })
      .def_prop_ro("needs_held_values", &needs_held_values)
      .def_prop_ro("feature_names", [](const Fit& self) { return self.model.parts().feature_names; })
      .def_prop_ro("sensitive_names", [](const Fit& self) { return self.model.parts().sensitive_names; })
      .def_prop_ro("sensitive_inputs",
                   [](const Fit& self) {
                     const AffineParts& parts = self.model.parts();
                     return parts.expansion ? parts.expansion->input_names() : parts.sensitive_names;
                   })
      .def_prop_ro("output", [](const Fit& self) { return self.model.parts().output; })
      .def_prop_ro(
          "dense_a", [](const Fit& self) { return self.model.dense_a(); }, Heavy())
      .def_prop_ro(
          "dense_b", [](const Fit& self) { return self.model.dense_b(); }, Heavy())
      .def_prop_ro(
          "constant", [](const Fit& self) { return self.model.constant(); }, Heavy())
      .def(
          "apply",
          [](const Fit& self, const HeldColumns& a, const HeldColumns& b, const Output& out, int threads) {
            const MutableColumns to = columns_of(out);
            const Unlocked unlocked;
            self.apply(a.view, b.view, to, {threads});
          },
          nb::arg("a"), nb::arg("b"), nb::arg("out").noconvert(), nb::arg("threads") = 0,
          nb::sig("def apply(self, a: Columns, b: Columns, out: NDArray[typing.Any], threads: int = 0) -> None"))
      .def(
          "apply_row", &apply_row, nb::arg("x").noconvert(), nb::arg("features"), nb::arg("b").noconvert(),
          nb::arg("sensitive"), nb::arg("out").noconvert(),
          "One row: these columns of x are features, and those of b, which may be x, are sensitive.",
          nb::sig("def apply_row(self, x: NDArray[typing.Any], features: NDArray[numpy.int64], b: NDArray[typing.Any], "
                  "sensitive: NDArray[numpy.int64], out: NDArray[typing.Any]) -> None"))
      .def(
          "apply_scores",
          [](const Fit& self, const HeldColumns& a, const HeldColumns& b, const Output& out, int threads) {
            const MutableColumns to = columns_of(out);
            const Unlocked unlocked;
            self.apply_scores(a.view, b.view, to, {threads});
          },
          nb::arg("a"), nb::arg("b"), nb::arg("out").noconvert(), nb::arg("threads") = 0,
          nb::sig("def apply_scores(self, a: Columns, b: Columns, out: NDArray[typing.Any], threads: int = 0) -> None"))
      .def("to_json", &Fit::to_json, Heavy())
      .def_static("from_json", &Fit::from_json, nb::arg("text"), Heavy())
      .def("__getstate__", &Fit::to_json, Heavy())
      .def(
          "__setstate__", [](Fit& self, const std::string& text) { new (&self) Fit(Fit::from_json(text)); }, Heavy());

  module.def(
      "read_file",
      [](const std::filesystem::path& path) {
        const std::string bytes = [&path] {
          const Unlocked unlocked;
          return read_file(path);
        }();
        return nb::bytes(bytes.data(), bytes.size());
      },
      nb::arg("path"), "A whole file, plain or as .gz or .zst.",
      nb::sig("def read_file(path: str | os.PathLike[str]) -> bytes"));
  module.def(
      "fit",
      [](const Moments& moments, const FitOptions& options, const std::optional<Expansion>& expansion) {
        const Unlocked unlocked;
        return fit_moments(moments, options, expansion);
      },
      nb::arg("moments"), nb::arg("options"), nb::arg("expansion") = nb::none());
  module.def(
      "fit",
      [](const HeldColumns& a, const HeldColumns& b, const FitOptions& options, std::vector<std::string> feature_names,
         std::vector<std::string> sensitive_names, const std::optional<ExpansionOptions>& expand,
         const Weights& weights, int threads) {
        const TableOptions table{.feature_names = std::move(feature_names),
                                 .sensitive_names = std::move(sensitive_names),
                                 .expand = expand,
                                 .weights = span_of(weights),
                                 .threads = threads};
        const Unlocked unlocked;
        return fit(a.view, b.view, options, table);
      },
      nb::arg("a"), nb::arg("b"), nb::arg("options"), nb::arg("feature_names"), nb::arg("sensitive_names"),
      nb::arg("expand") = nb::none(), nb::arg("weights") = nb::none(), nb::arg("threads") = 0);
}

}  // namespace plumbline::python
