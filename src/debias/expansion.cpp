#include "plumbline/expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumbline/error.h"

namespace plumbline {
namespace {

using In = Eigen::Map<const Eigen::ArrayXd>;
using Out = Eigen::Map<Eigen::ArrayXd>;

constexpr int kMostTerms = 1000;
constexpr std::size_t kMostOutputs = 100000;
constexpr Index kTileRows = 512;
constexpr double kKnotGap = 1e-9;
constexpr double kSmallestScatter = 1e-290;  // below it squares lose their precision
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void check_count(const char* field, int value, int least) {
  if (value != 0 && (value < least || value > kMostTerms))
    throw Error(fmt::format("{} is {}; it must be 0 or from {} to {}", field, value, least, kMostTerms));
}

Eigen::VectorXd sorted_cells(const Columns& b, Index column, const std::string& name) {
  Eigen::VectorXd x(b.rows());
  for (Index i = 0; i < b.rows(); ++i) {
    x[i] = b(i, column) + 0.0;  // −0 becomes 0, so that sorting leaves one order only
    if (!std::isfinite(x[i]))
      throw Error(fmt::format("row {}, column '{}' is {}; every cell must be finite", i, name, x[i]));
  }
  std::sort(x.begin(), x.end());
  return x;
}

double quantile(const Eigen::VectorXd& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<Index>(at);
  const Index high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

std::vector<double> knots_of(const Eigen::VectorXd& sorted, double sd, int count) {
  std::vector<double> knots;
  for (int k = 0; k < count; ++k) {
    const double knot = quantile(sorted, 0.05 + 0.9 * k / (count - 1));
    if (knots.empty() || knot > knots.back() + kKnotGap * sd) knots.push_back(knot);
  }
  if (knots.size() < 3) knots.clear();
  return knots;
}

std::vector<double> edges_of(const Eigen::VectorXd& sorted, int bins) {
  const Index n = sorted.size();
  std::vector<double> edges;
  for (Index k = 1; k < bins; ++k) {
    const double edge = sorted[(k * n + bins - 1) / bins - 1];
    if (edge < sorted[n - 1] && (edges.empty() || edge > edges.back())) edges.push_back(edge);
  }
  return edges;
}

std::vector<double> levels_of(const Eigen::VectorXd& sorted, const std::string& name) {
  std::vector<double> levels;
  std::unique_copy(sorted.begin(), sorted.end(), std::back_inserter(levels));
  if (levels.size() > kMostTerms)
    throw Error(fmt::format("column '{}' has {} levels; a column of codes has at most {}, so leave it out of one_hot",
                            name, levels.size(), kMostTerms));
  return levels;
}

Expansion::Column number_of(const Eigen::VectorXd& sorted, const std::string& name, const ExpansionOptions& options) {
  const Index n = sorted.size();
  Expansion::Column column;
  column.mean = sorted[0];
  if (sorted[0] == sorted[n - 1]) return column;
  column.mean = sorted.mean();
  column.mean += (sorted.array() - column.mean).mean();
  const double scatter = (sorted.array() - column.mean).square().sum();
  if (!std::isfinite(scatter) || scatter < kSmallestScatter)
    throw Error(fmt::format("column '{}' has values from {} to {}, whose squares a double cannot hold; rescale it",
                            name, sorted[0], sorted[n - 1]));
  column.sd = std::sqrt(scatter / static_cast<double>(n));
  column.knots = knots_of(sorted, column.sd, options.knots);
  column.edges = edges_of(sorted, options.bins);
  return column;
}

Index bases_of(const Expansion::Column& column) {
  return column.is_code() ? static_cast<Index>(column.levels.size()) : 1;
}

// The first row whose cell is not finite, or rows: x − x is 0 for a finite x and NaN for all others.
Index first_not_finite(const double* x, Index rows) {
  const In cells(x, rows);
  if ((cells - cells).sum() == 0) return rows;
  return std::find_if_not(x, x + rows, [](double cell) { return std::isfinite(cell); }) - x;
}

auto standardised(const In& x, const Expansion::Column& column) { return (x - column.mean) / column.sd; }

void put_powers(const In& x, const Expansion::Column& column, int powers, double* out, Index stride) {
  for (int d = 2; d <= powers; ++d, out += stride) {
    Out y(out, x.size());
    if (d == 2)
      y = standardised(x, column).square();
    else
      y = In(out - stride, x.size()) * standardised(x, column);
  }
}

// Beyond κ_K the cubes of N_k cancel to N_k(κ_K) + 3 (κ_{K−1} − κ_k) (s − κ_K), which is how they are written here:
// the cubes end at s = 1, and what lies beyond is added as a line.
void put_spline(const In& x, const std::vector<double>& knots, double* out, Index stride) {
  const std::size_t last = knots.size() - 1;
  const double origin = knots[0], width = knots[last] - origin;
  const double before = (knots[last - 1] - origin) / width;
  for (std::size_t k = 0; k + 1 < last; ++k, out += stride) {
    const double knot = (knots[k] - origin) / width;
    const double a = 1 / (1 - knot), b = 1 / (1 - before), slope = 3 * (before - knot);
    Out y(out, x.size());
    y = (x - origin) / width;
    y = a * (y.min(1) - knot).max(0).cube() - b * (y.min(1) - before).max(0).cube() + slope * (y - y.min(1));
  }
}

void put_bins(const double* x, Index rows, const std::vector<double>& edges, double* out, Index stride) {
  for (std::size_t k = 0; k <= edges.size(); ++k, out += stride) {
    const double low = k == 0 ? -kInfinity : edges[k - 1], high = k == edges.size() ? kInfinity : edges[k];
    for (Index i = 0; i < rows; ++i) out[i] = (low < x[i]) & (x[i] <= high) ? 1.0 : 0.0;
  }
}

void put_levels(const double* x, Index rows, const std::vector<double>& levels, double* out, Index stride) {
  for (std::size_t k = 0; k < levels.size(); ++k, out += stride) {
    const double level = levels[k];
    for (Index i = 0; i < rows; ++i) out[i] = x[i] == level ? 1.0 : 0.0;
  }
}

}  // namespace

void ExpansionOptions::check(Index columns) const {
  if (powers < 1 || powers > kMostTerms)
    throw Error(fmt::format("powers is {}; it must be from 1 to {}", powers, kMostTerms));
  check_count("knots", knots, 3);
  check_count("bins", bins, 2);
  for (std::size_t i = 0; i < one_hot.size(); ++i) {
    if (one_hot[i] < 0 || one_hot[i] >= columns)
      throw Error(fmt::format("one_hot names column {}; there are {} sensitive columns", one_hot[i], columns));
    if (std::find(one_hot.begin(), one_hot.begin() + static_cast<Index>(i), one_hot[i]) !=
        one_hot.begin() + static_cast<Index>(i))
      throw Error(fmt::format("one_hot names column {} twice; name each column once", one_hot[i]));
  }
}

Expansion Expansion::fit(const Columns& b, std::vector<std::string> names, const ExpansionOptions& options) {
  if (b.cols() == 0) throw Error("there are no sensitive columns; at least one is needed");
  if (static_cast<Index>(names.size()) != b.cols())
    throw Error(fmt::format("there are {} names for {} columns; give one name a column", names.size(), b.cols()));
  if (b.rows() == 0) throw Error("b has 0 rows; at least one is needed");
  options.check(b.cols());
  Expansion result;
  result.powers_ = options.powers;
  result.interactions_ = options.interactions;
  result.ignore_unknown_ = options.ignore_unknown;
  result.columns_.resize(names.size());
  for (Index j = 0; j < b.cols(); ++j) {
    const Eigen::VectorXd sorted = sorted_cells(b, j, names[j]);
    if (std::find(options.one_hot.begin(), options.one_hot.end(), j) != options.one_hot.end())
      result.columns_[j].levels = levels_of(sorted, names[j]);
    else
      result.columns_[j] = number_of(sorted, names[j], options);
  }
  result.input_names_ = std::move(names);
  result.lay_out();
  return result;
}

void Expansion::lay_out() {
  names_.clear();
  const auto add = [&](std::string name) {
    if (names_.size() == kMostOutputs)
      throw Error(fmt::format("the expansion has over {} outputs; ask for fewer terms or fewer columns", kMostOutputs));
    names_.push_back(std::move(name));
  };
  for (Index j = 0; j < inputs(); ++j) {
    Column& column = columns_[j];
    const std::string& name = input_names_[j];
    column.first = outputs();
    for (const double level : column.levels) add(fmt::format("{}={}", name, level));
    if (column.is_code()) continue;
    add(name);
    for (int d = 2; d <= powers_; ++d) add(fmt::format("{}^{}", name, d));
    for (std::size_t k = 1; k + 1 < column.knots.size(); ++k) add(fmt::format("{}:spline{}", name, k));
    for (std::size_t k = 0; k < column.edges.size(); ++k) add(fmt::format("{}:bin{}", name, k + 1));
    if (!column.edges.empty()) add(fmt::format("{}:bin{}", name, column.edges.size() + 1));
  }
  if (!interactions_) return;
  for (Index i = 0; i < inputs(); ++i)
    for (Index j = i + 1; j < inputs(); ++j)
      for (Index k = 0; k < bases_of(columns_[i]); ++k)
        for (Index l = 0; l < bases_of(columns_[j]); ++l)
          add(fmt::format("{}*{}", names_[columns_[i].first + k], names_[columns_[j].first + l]));
}

Eigen::MatrixXd Expansion::transform(const Columns& b) const {
  if (b.cols() != inputs())
    throw Error(fmt::format("b has {} columns; the expansion was fitted to {}", b.cols(), inputs()));
  Eigen::MatrixXd out(b.rows(), outputs()), tile(kTileRows, inputs());
  for (Index first = 0; first < b.rows(); first += kTileRows) {
    const Index rows = std::min(kTileRows, b.rows() - first);
    for (Index j = 0; j < inputs(); ++j)
      for (Index i = 0; i < rows; ++i) tile(i, j) = b(first + i, j);
    evaluate(tile.data(), kTileRows, rows, out.data() + first, out.rows(), first);
  }
  return out;
}

void Expansion::evaluate(const double* in, Index in_stride, Index rows, double* out, Index out_stride,
                         Index first_row) const {
  if (rows < 0) throw Error(fmt::format("rows is {}; it must not be negative", rows));
  if (out_stride < rows && outputs() > 1)
    throw Error(fmt::format("out_stride is {}; it must be at least the {} rows", out_stride, rows));
  for (Index j = 0; j < inputs(); ++j) {
    const double* x = in + j * in_stride;
    const Column& column = columns_[j];
    const Index bad = first_not_finite(x, rows);
    if (bad < rows)
      throw Error(fmt::format("row {}, column '{}' is {}; every cell must be finite", first_row + bad, input_names_[j],
                              x[bad]));
    double* y = out + column.first * out_stride;
    if (column.is_code()) {
      put_levels(x, rows, column.levels, y, out_stride);
      if (ignore_unknown_) continue;
      for (Index i = 0; i < rows; ++i)
        if (!std::binary_search(column.levels.begin(), column.levels.end(), x[i]))
          throw Error(
              fmt::format("row {}, column '{}' is {}, a code not seen in fit; fit to rows that have it, or set "
                          "ignore_unknown",
                          first_row + i, input_names_[j], x[i]));
      continue;
    }
    std::copy(x, x + rows, y);
    y += out_stride;
    put_powers(In(x, rows), column, powers_, y, out_stride);
    y += (powers_ - 1) * out_stride;
    if (!column.knots.empty()) {
      put_spline(In(x, rows), column.knots, y, out_stride);
      y += (static_cast<Index>(column.knots.size()) - 2) * out_stride;
    }
    if (!column.edges.empty()) put_bins(x, rows, column.edges, y, out_stride);
  }
  if (interactions_) evaluate_interactions(in, in_stride, rows, out, out_stride);
  for (Index j = 0; j < outputs(); ++j) {
    const Index bad = first_not_finite(out + j * out_stride, rows);
    if (bad < rows)
      throw Error(
          fmt::format("row {}, output '{}' leaves the range of a double; clip the sensitive columns or ask for "
                      "lower powers",
                      first_row + bad, names_[j]));
  }
}

void Expansion::evaluate_interactions(const double* in, Index in_stride, Index rows, double* out,
                                      Index out_stride) const {
  const auto put_base = [&](Index j, Index k, const auto& put) {
    const Column& column = columns_[j];
    if (column.is_code())
      put(In(out + (column.first + k) * out_stride, rows));
    else
      put(standardised(In(in + j * in_stride, rows), column));
  };
  Index count = 0;
  for (Index i = 0; i < inputs(); ++i)
    for (Index j = i + 1; j < inputs(); ++j) count += bases_of(columns_[i]) * bases_of(columns_[j]);
  double* y = out + (outputs() - count) * out_stride;
  for (Index i = 0; i < inputs(); ++i)
    for (Index j = i + 1; j < inputs(); ++j)
      for (Index k = 0; k < bases_of(columns_[i]); ++k)
        for (Index l = 0; l < bases_of(columns_[j]); ++l, y += out_stride) {
          put_base(i, k, [&](const auto& base) { Out(y, rows) = base; });
          put_base(j, l, [&](const auto& base) { Out(y, rows) *= base; });
        }
}

}  // namespace plumbline
