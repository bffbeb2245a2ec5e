#include "paper/datasets/crime_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "paper/datasets/dataset_columns.h"
#include "paper/datasets/training_units.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kNotFeatures = 5;  // the first columns say where, and in which fold

ContinuousSample rows_of(const ContinuousSample& all, const std::vector<Index>& rows) {
  return {all.a(rows, Eigen::all), all.b(rows, Eigen::all), all.y(rows)};
}

// To [0, 1] over the training part.
void scale_to_unit(MatrixXd& training, MatrixXd& test) {
  for (Index j = 0; j < training.cols(); ++j) {
    const double low = training.col(j).minCoeff(), width = training.col(j).maxCoeff() - low;
    for (MatrixXd* part : {&training, &test})
      part->col(j) =
          width > 0 ? VectorXd(((part->col(j).array() - low) / width).max(0.0).min(1.0)) : VectorXd::Zero(part->rows());
  }
}

}  // namespace

CrimeData read_crime(const DataSource& source) {
  std::vector<std::string> names = {"fold", "racepctblack", "ViolentCrimesPerPop"};
  for (const std::string_view name : std::span(kCrimeColumns).subspan(kNotFeatures))
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  const PublishedTable table("communities.data", names, {}, source, {"?"});
  const MatrixXd numbers = table.numbers().unaryExpr([](double x) { return std::isnan(x) ? 0.0 : x; });
  CrimeData out{
      {numbers.rightCols(numbers.cols() - 3), numbers.col(1), numbers.col(2)}, numbers.col(0).cast<int>(), {}};
  if (!table.warning().empty()) out.warnings.push_back(table.warning());
  out.rows.check();
  return out;
}

ContinuousParts split_crime(const CrimeData& data, int fold) {
  std::vector<Index> training, test;
  for (Index i = 0; i < data.fold.size(); ++i) (data.fold[i] == fold ? test : training).push_back(i);
  if (test.empty() || training.empty())
    throw Error(fmt::format("fold {} has {} rows of {}", fold, test.size(), data.fold.size()));
  ContinuousParts out{rows_of(data.rows, training), rows_of(data.rows, test)};
  scale_to_unit(out.training.a, out.test.a);
  const OutcomeUnits units(out.training.y);
  for (ContinuousSample* part : {&out.training, &out.test}) part->y = units.of(part->y);
  out.outside = rows_outside(out.training.b.col(0), out.test.b.col(0));
  return out;
}

}  // namespace plumbline
