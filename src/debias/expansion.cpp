#include "plumbline/expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/finite.h"
#include "base/weights.h"
#include "kernels/kernels.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using kernels::kTileRows;
using In = Eigen::Map<const Eigen::ArrayXd>;
using Out = Eigen::Map<Eigen::ArrayXd>;

constexpr int kMostTerms = 1000;
constexpr std::size_t kMostOutputs = 100000;
constexpr Index kMostUsual = 64;  // outputs of the usual candidates with interactions; moments are more exact up to it
constexpr double kKnotGap = 1e-9;
constexpr double kRounding = 1e-12;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void check_count(const char* field, int value, int least) {
  if (value != 0 && (value < least || value > kMostTerms))
    throw Error(fmt::format("{} is {}; it must be 0 or from {} to {}", field, value, least, kMostTerms));
}

// The values of a column in rows of positive weight, ascending, and what they and all below them weigh. Equal values
// are one, so that weights and repeated rows are the same sample.
struct Sample {
  std::vector<double> values, weights, cumulated;
  bool whole = true;  // all weights are whole numbers
  double row = 1;     // what one row weighs

  double total() const { return cumulated.back(); }
};

Sample sample_of(const Columns& b, Index column, const std::string& name, std::span<const double> weights) {
  std::vector<std::pair<double, double>> rows;
  rows.reserve(static_cast<std::size_t>(b.rows()));
  Sample s;
  for (Index i = 0; i < b.rows(); ++i) {
    const double x = b(i, column) + 0.0;  // −0 becomes 0, so that sorting leaves one order only
    if (!std::isfinite(x)) report_not_finite(i, name, x);
    const double w = weights.empty() ? 1 : weights[static_cast<std::size_t>(i)];
    if (w > 0) rows.emplace_back(x, w);
    s.whole = s.whole && w == std::floor(w);
  }
  if (rows.empty()) refuse_no_weight();
  std::sort(rows.begin(), rows.end());
  double total = 0;
  for (const auto& [x, w] : rows) {
    if (s.values.empty() || x != s.values.back()) {
      s.values.push_back(x);
      s.weights.push_back(0);
      s.cumulated.push_back(0);
    }
    s.weights.back() += w;
    s.cumulated.back() = total += w;
  }
  if (!s.whole) s.row = total / static_cast<double>(rows.size());
  return s;
}

// The mean of Q over one row from share · (W − row) on; for rows of weight 1, between sorted values.
double quantile(const Sample& s, double share) {
  double from = share * (s.total() - s.row), left = s.row;
  auto k =
      static_cast<std::size_t>(std::upper_bound(s.cumulated.begin(), s.cumulated.end(), from) - s.cumulated.begin());
  const double origin = s.values[k];
  double x = origin;
  for (; left > 0 && k < s.values.size(); ++k) {
    const double part = std::min(left, s.cumulated[k] - from);
    x += part / s.row * (s.values[k] - origin);
    left -= part;
    from = s.cumulated[k];
  }
  return x;
}

std::vector<double> knots_of(const Sample& s, double sd, int count) {
  std::vector<double> knots;
  for (int k = 0; k < count; ++k) {
    const double knot = quantile(s, 0.05 + 0.9 * k / (count - 1));
    if (knots.empty() || knot > knots.back() + kKnotGap * sd) knots.push_back(knot);
  }
  if (knots.size() < 3) knots.clear();
  return knots;
}

std::vector<double> edges_of(const Sample& s, int bins) {
  std::vector<double> edges;
  for (int k = 1; k < bins; ++k) {
    // Sums of whole weights are exact; of others, a share that is reached but for rounding is reached.
    const double least = k * s.total() * (s.whole ? 1 : 1 - kRounding);
    const auto at = std::partition_point(s.cumulated.begin(), s.cumulated.end(),
                                         [&](double weight) { return bins * weight < least; });
    const double edge = s.values[static_cast<std::size_t>(at - s.cumulated.begin())];
    if (edge < s.values.back() && (edges.empty() || edge > edges.back())) edges.push_back(edge);
  }
  return edges;
}

std::vector<double> levels_of(const Sample& s, const std::string& name) {
  if (s.values.size() > kMostTerms)
    throw Error(fmt::format("column '{}' has {} levels; a column of codes has at most {}, so leave it out of one_hot",
                            name, s.values.size(), kMostTerms));
  return s.values;
}

Expansion::Column number_of(const Sample& s, const std::string& name, const ExpansionOptions& options) {
  Expansion::Column column;
  column.mean = s.values[0];
  if (!options.automatic || s.values.size() > 2) column.powers = options.powers;
  if (s.values.size() == 1) return column;
  const auto count = static_cast<Index>(s.values.size());
  const In x(s.values.data(), count);
  const Eigen::ArrayXd share = In(s.weights.data(), count) / s.total();
  column.mean = (share * x).sum();
  column.mean += (share * (x - column.mean)).sum();
  const double variance = (share * (x - column.mean).square()).sum();
  if (!std::isfinite(variance) || variance < kSmallestSquare)
    throw Error(fmt::format("column '{}' has values from {} to {}, whose squares a double cannot hold; rescale it",
                            name, s.values.front(), s.values.back()));
  column.sd = std::sqrt(variance);
  column.knots = knots_of(s, column.sd, options.knots);
  column.edges = edges_of(s, options.bins);
  return column;
}

// The first row whose cell is not finite, or rows: x − x is 0 for a finite x and NaN for all others.
Index first_not_finite(const double* x, Index rows) {
  const In cells(x, rows);
  if ((cells - cells).sum() == 0) return rows;
  return std::find_if_not(x, x + rows, [](double cell) { return std::isfinite(cell); }) - x;
}

auto standardised(const In& x, const Expansion::Column& column) { return (x - column.mean) / column.sd; }

void put_powers(const In& x, const Expansion::Column& column, double* out, Index stride) {
  for (int d = 2; d <= column.powers; ++d, out += stride) {
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
    y = a * (y.min(1.0) - knot).max(0.0).cube() - b * (y.min(1.0) - before).max(0.0).cube() + slope * (y - y.min(1.0));
  }
}

void put_bins(const double* x, Index rows, const std::vector<double>& edges, double* out, Index stride) {
  for (std::size_t k = 0; k <= edges.size(); ++k, out += stride) {
    double low = -kInfinity, high = kInfinity;
    if (k > 0) low = edges[k - 1];
    if (k < edges.size()) high = edges[k];
    for (Index i = 0; i < rows; ++i) out[i] = low < x[i] && x[i] <= high ? 1.0 : 0.0;
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

Expansion Expansion::fit(const Columns& b, std::vector<std::string> names, const ExpansionOptions& options,
                         std::span<const double> weights) {
  if (b.cols() == 0) throw Error("there are no sensitive columns; at least one is needed");
  if (static_cast<Index>(names.size()) != b.cols())
    throw Error(fmt::format("there are {} names for {} columns; give one name a column", names.size(), b.cols()));
  if (b.rows() == 0) throw Error("b has 0 rows; at least one is needed");
  options.check(b.cols());
  check_weights(weights, b.rows());
  const bool is_usual =
      options.automatic && options.powers == 1 && options.knots == 0 && options.bins == 0 && !options.interactions;
  ExpansionOptions wanted = options;
  if (is_usual) wanted.knots = 5;
  Expansion result;
  result.ignore_unknown_ = options.ignore_unknown;
  if (options.automatic)
    result.candidates_ = Candidates{options.powers, options.knots, options.bins, options.interactions};
  result.columns_.resize(names.size());
  for (Index j = 0; j < b.cols(); ++j) {
    const Sample sample = sample_of(b, j, names[j], weights);
    if (std::find(options.one_hot.begin(), options.one_hot.end(), j) != options.one_hot.end())
      result.columns_[j].levels = levels_of(sample, names[j]);
    else
      result.columns_[j] = number_of(sample, names[j], wanted);
  }
  result.input_names_ = std::move(names);
  Index outputs = 0;
  for (const Column& column : result.columns_) outputs += column.bases() + column.terms();
  for (Index i = 0; i < b.cols(); ++i)
    for (Index j = i + 1; j < b.cols() && (wanted.interactions || is_usual); ++j) {
      result.pairs_.emplace_back(i, j);
      outputs += result.columns_[i].bases() * result.columns_[j].bases();
      if (outputs > static_cast<Index>(kMostOutputs)) break;  // lay_out refuses it
    }
  if (is_usual && outputs > kMostUsual) result.pairs_.clear();
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
    for (int d = 2; d <= column.powers; ++d) add(fmt::format("{}^{}", name, d));
    for (std::size_t k = 1; k + 1 < column.knots.size(); ++k) add(fmt::format("{}:spline{}", name, k));
    for (std::size_t k = 0; k < column.edges.size(); ++k) add(fmt::format("{}:bin{}", name, k + 1));
    if (!column.edges.empty()) add(fmt::format("{}:bin{}", name, column.edges.size() + 1));
  }
  for (const auto& [i, j] : pairs_)
    for (Index k = 0; k < columns_[i].bases(); ++k)
      for (Index l = 0; l < columns_[j].bases(); ++l)
        add(fmt::format("{}*{}", names_[columns_[i].first + k], names_[columns_[j].first + l]));
}

Eigen::MatrixXd Expansion::transform(const Columns& b, std::span<const double> weights, Index first_row) const {
  if (b.cols() != inputs())
    throw Error(fmt::format("b has {} columns; the expansion was fitted to {}", b.cols(), inputs()));
  check_weights(weights, b.rows());
  const auto is_ignored = [&](Index row) { return !weights.empty() && weights[static_cast<std::size_t>(row)] == 0; };
  Eigen::MatrixXd out(b.rows(), outputs()), tile(kTileRows, inputs());
  for (Index first = 0; first < b.rows(); first += kTileRows) {
    const Index rows = std::min(kTileRows, b.rows() - first);
    for (Index j = 0; j < inputs(); ++j)
      for (Index i = 0; i < rows; ++i) {
        tile(i, j) = b(first + i, j);
        if (is_ignored(first + i) && std::isfinite(tile(i, j)))
          tile(i, j) = columns_[j].is_code() ? columns_[j].levels[0] : columns_[j].mean;
      }
    evaluate(tile.data(), kTileRows, rows, out.data() + first, out.rows(), first_row + first);
    for (Index i = first; i < first + rows; ++i)
      if (is_ignored(i)) out.row(i).setZero();
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
    if (bad < rows) report_not_finite(first_row + bad, input_names_[j], x[bad]);
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
    put_powers(In(x, rows), column, y, out_stride);
    y += (column.powers - 1) * out_stride;
    if (!column.knots.empty()) {
      put_spline(In(x, rows), column.knots, y, out_stride);
      y += (static_cast<Index>(column.knots.size()) - 2) * out_stride;
    }
    if (!column.edges.empty()) put_bins(x, rows, column.edges, y, out_stride);
  }
  if (!pairs_.empty()) evaluate_interactions(in, in_stride, rows, out, out_stride);
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
  for (const auto& [i, j] : pairs_) count += columns_[i].bases() * columns_[j].bases();
  double* y = out + (outputs() - count) * out_stride;
  for (const auto& [i, j] : pairs_)
    for (Index k = 0; k < columns_[i].bases(); ++k)
      for (Index l = 0; l < columns_[j].bases(); ++l, y += out_stride) {
        put_base(i, k, [&](const auto& base) { Out(y, rows) = base; });
        put_base(j, l, [&](const auto& base) { Out(y, rows) *= base; });
      }
}

}  // namespace plumbline
