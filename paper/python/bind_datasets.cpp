#include <nanobind/eigen/dense.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "paper/datasets/datasets.h"
#include "paper/datasets/insurance.h"
#include "paper/datasets/loan.h"

namespace plumbline::python {
namespace {

std::vector<std::string> strings(std::span<const std::string_view> words) { return {words.begin(), words.end()}; }

}  // namespace

void bind_datasets(nb::module_& module) {
  nb::class_<InsuranceRows>(module, "InsuranceRows")
      .def_ro("b", &InsuranceRows::b)
      .def_ro("a", &InsuranceRows::a)
      .def_ro("y", &InsuranceRows::y);
  nb::class_<LoanRows>(module, "LoanRows")
      .def_ro("group", &LoanRows::group)
      .def_ro("education", &LoanRows::education)
      .def_ro("income", &LoanRows::income)
      .def_ro("probability", &LoanRows::probability)
      .def_ro("approved", &LoanRows::approved);
  module.def(
      "insurance", [](Index rows, std::uint64_t seed) { return InsuranceGenerator({.seed = seed}).rows(0, rows); },
      nb::arg("rows"), nb::arg("seed"), Heavy());
  module.def(
      "insurance_counterfactual",
      [](const InsuranceRows& rows, const Eigen::VectorXd& b) { return InsuranceGenerator().counterfactual(rows, b); },
      nb::arg("rows"), nb::arg("b"), Heavy());
  module.def(
      "loan", [](Index rows, std::uint64_t seed) { return LoanGenerator({.seed = seed}).rows(0, rows); },
      nb::arg("rows"), nb::arg("seed"), Heavy());
  module.def(
      "loan_counterfactual",
      [](const LoanRows& rows, const Eigen::VectorXi& group) { return LoanGenerator().counterfactual(rows, group); },
      nb::arg("rows"), nb::arg("group"), Heavy());
  module.def("loan_group_name", &LoanGenerator::group_name, nb::arg("group"));

  nb::class_<DatasetFile>(module, "DatasetFile")
      .def_prop_ro("name", [](const DatasetFile& self) { return std::string(self.name); })
      .def_prop_ro("url", [](const DatasetFile& self) { return std::string(self.url); })
      .def_prop_ro("sha256", [](const DatasetFile& self) { return std::string(self.sha256); })
      .def_prop_ro("crlf_as_lf", [](const DatasetFile& self) { return self.line_ends == LineEnds::crlf_as_lf; })
      .def_ro("rows", &DatasetFile::rows)
      .def_ro("lines_before_data", &DatasetFile::lines_before_data);
  nb::class_<Dataset>(module, "Dataset")
      .def_prop_ro("name", [](const Dataset& self) { return std::string(self.name); })
      .def_prop_ro("files",
                   [](const Dataset& self) { return std::vector<DatasetFile>(self.files.begin(), self.files.end()); })
      .def_prop_ro("columns", [](const Dataset& self) { return strings(self.columns); })
      .def_prop_ro("sensitive", [](const Dataset& self) { return strings(self.sensitive); })
      .def_prop_ro("target", [](const Dataset& self) { return std::string(self.target); });
  module.def(
      "find_dataset", [](const std::string& name) { return find_dataset(name); }, nb::arg("name"));
  module.def(
      "find_dataset_file",
      [](const std::string& name, const std::filesystem::path& folder) { return find_dataset_file(name, folder); },
      nb::arg("name"), nb::arg("folder"), Heavy(),
      nb::sig("def find_dataset_file(name: str, folder: str | os.PathLike[str]) -> pathlib.Path"));
  module.def("cache_directory", &cache_directory);
}

}  // namespace plumbline::python
