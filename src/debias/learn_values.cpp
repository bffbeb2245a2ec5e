#include "debias/learn_values.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Column = Eigen::Ref<const VectorXd, 0, Eigen::InnerStride<>>;

constexpr double kLargeAtom = 0.2;
constexpr std::size_t kFewValues = 16;      // below it a number has ordered levels
constexpr std::size_t kListedValues = 256;  // up to it they are listed
constexpr double kUnits[] = {1, 10, 100, 1000, 1e4, 1e5, 1e6};
constexpr Index kBins = 64;

// Values in ascending order with their weight.
std::vector<std::pair<double, double>> values_of(const Column& x, std::span<const double> weights) {
  const bool is_weighted = std::any_of(weights.begin(), weights.end(), [&](double w) { return w != weights[0]; });
  std::vector<std::pair<double, double>> all(static_cast<std::size_t>(x.size()));
  if (is_weighted) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = {x[static_cast<Index>(i)] + 0.0, weights[i]};
    std::sort(all.begin(), all.end());
  } else {  // half as many bytes to move
    VectorXd values = x.array() + 0.0;
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = {values[static_cast<Index>(i)], weights[i]};
  }
  std::vector<std::pair<double, double>> out;
  for (const auto& [value, weight] : all)
    if (!out.empty() && out.back().first == value)
      out.back().second += weight;
    else
      out.emplace_back(value, weight);
  return out;
}

double total_of(const std::vector<std::pair<double, double>>& values) {
  double total = 0;
  for (const auto& [value, weight] : values) total += weight;
  return total;
}

double unit_of(const std::vector<std::pair<double, double>>& values) {
  for (const double unit : kUnits) {
    const bool fits = std::all_of(values.begin(), values.end(), [&](const auto& v) {
      const double scaled = v.first * unit;
      return std::abs(scaled) < 0x1p52 && std::round(scaled) / unit == v.first;
    });
    if (fits) return unit;
  }
  return 0;
}

// Values of a large share are levels of their own; what lies between them is cut into pieces of such a share.
void set_levels(DistributionStep& step, const std::vector<std::pair<double, double>>& values, Index most) {
  std::vector<double> lower, upper;
  const auto count = static_cast<Index>(values.size());
  const double share = total_of(values) / static_cast<double>(std::max<Index>(1, most / 2));
  double piece = 0;
  bool is_open = false;
  for (const auto& [value, weight] : values) {
    if (count <= most || weight >= share) {
      lower.push_back(value);
      upper.push_back(value);
      is_open = false;
      continue;
    }
    if (!is_open || piece + weight > share) {
      lower.push_back(value);
      upper.push_back(value);
      is_open = true;
      piece = 0;
    }
    upper.back() = value;
    piece += weight;
  }
  step.levels = static_cast<Index>(lower.size());
  step.knots = std::move(lower);
  step.knots.insert(step.knots.end(), upper.begin(), upper.end());
}

}  // namespace

NumberLook look_at(const Column& x, std::span<const double> weights) {
  double total = 0, sum = 0, squares = 0;
  for (Index i = 0; i < x.size(); ++i) {
    const double w = weights[static_cast<std::size_t>(i)];
    total += w;
    sum += w * (x[i] - x[0]);
  }
  const double shift = sum / total;
  for (Index i = 0; i < x.size(); ++i) {
    const double d = (x[i] - x[0]) - shift;
    squares += weights[static_cast<std::size_t>(i)] * d * d;
  }
  return {x[0] + shift, std::sqrt(squares / total)};
}

void describe_number(DistributionStep& step, const Column& x, std::span<const double> weights, Index most) {
  const std::vector<std::pair<double, double>> values = values_of(x, weights);
  const NumberLook look = look_at(x, weights);
  step.centre = look.mean;
  step.sd = look.sd;
  if (values.size() < 2) return;
  step.grid.least = values.front().first;
  step.grid.most = values.back().first;
  step.grid.per_unit = unit_of(values);
  if (values.size() <= kListedValues) {
    step.grid.per_unit = 0;
    for (const auto& [value, weight] : values) step.grid.values.push_back(value);
  }
  const double total = total_of(values);
  const bool has_atom =
      std::any_of(values.begin(), values.end(), [&](const auto& v) { return v.second > kLargeAtom * total; });
  step.kind = has_atom || values.size() < kFewValues ? StepKind::levels : StepKind::continuous;
  if (step.kind == StepKind::levels) set_levels(step, values, most);
}

std::vector<double> quantiles_of(std::vector<std::pair<double, double>> values, const std::vector<double>& shares) {
  std::sort(values.begin(), values.end());
  const double total = total_of(values);
  std::vector<double> out;
  std::size_t at = 0;
  double below = 0;
  for (const double share : shares) {
    while (at + 1 < values.size() && below + values[at].second < share * total) below += values[at++].second;
    out.push_back(values[at].first);
  }
  out.front() = values.front().first;
  out.back() = values.back().first;
  return out;
}

std::vector<double> hinges_of(const Column& x, std::span<const double> weights, double centre, double sd, Index count) {
  std::vector<std::pair<double, double>> values;
  for (Index i = 0; i < x.size(); ++i) values.emplace_back((x[i] - centre) / sd, weights[static_cast<std::size_t>(i)]);
  std::vector<double> shares;
  for (Index k = 0; k <= count + 1; ++k) shares.push_back(static_cast<double>(k) / static_cast<double>(count + 1));
  const std::vector<double> ends = quantiles_of(std::move(values), shares);
  std::vector<double> out;
  for (std::size_t k = 1; k + 1 < ends.size(); ++k)
    if (ends[k] > ends.front() && ends[k] < ends.back() && (out.empty() || ends[k] > out.back()))
      out.push_back(ends[k]);
  return out;
}

MatrixXd number_targets(const VectorXd& y, std::span<const double> weights, bool are_residuals) {
  MatrixXd out(2, y.size());
  if (are_residuals) {
    out.row(0) = y.transpose();
    out.row(1) = y.cwiseAbs().transpose();
  } else {
    const std::vector<std::pair<double, double>> values = values_of(y, weights);
    std::vector<double> rank;
    double below = 0;
    for (const auto& [value, weight] : values) {
      rank.push_back(below + weight / 2);
      below += weight;
    }
    const auto largest = std::max_element(values.begin(), values.end(),
                                          [](const auto& u, const auto& v) { return u.second < v.second; });
    for (Index i = 0; i < y.size(); ++i) {
      const auto at = std::lower_bound(values.begin(), values.end(), y[i],
                                       [](const auto& v, double value) { return v.first < value; });
      out(0, i) = rank[static_cast<std::size_t>(at - values.begin())];
      out(1, i) = at == largest ? 1 : 0;
    }
  }
  for (Index d = 0; d < 2; ++d) {
    const NumberLook look = look_at(out.row(d).transpose(), weights);
    out.row(d) = (out.row(d).array() - look.mean) / (look.sd > 0 ? look.sd : 1);
  }
  return out;
}

TreeInput tree_input(const DistributionStep& step, const Column& x, std::span<const double> weights, Index input) {
  TreeInput out;
  out.input = input;
  out.codes.resize(static_cast<std::size_t>(x.size()));
  if (step.kind == StepKind::constant) return out;
  if (step.kind == StepKind::category) {
    out.bins = step.levels;  // a row without a level goes with the last
    for (Index i = 0; i < x.size(); ++i)
      out.codes[static_cast<std::size_t>(i)] =
          static_cast<std::uint16_t>(x[i] < 0 ? step.levels - 1 : static_cast<Index>(x[i]));
    return out;
  }
  const std::vector<std::pair<double, double>> values = values_of(x, weights);
  const double share = total_of(values) / static_cast<double>(kBins);
  double piece = 0;
  for (std::size_t v = 0; v + 1 < values.size(); ++v) {
    piece += values[v].second;
    if (static_cast<Index>(values.size()) > kBins && piece < share) continue;
    const double middle = values[v].first + (values[v + 1].first - values[v].first) / 2;
    out.cuts.push_back(middle < values[v + 1].first ? middle : values[v].first);
    piece = 0;
  }
  out.bins = static_cast<Index>(out.cuts.size()) + 1;
  for (Index i = 0; i < x.size(); ++i)
    out.codes[static_cast<std::size_t>(i)] =
        static_cast<std::uint16_t>(std::lower_bound(out.cuts.begin(), out.cuts.end(), x[i]) - out.cuts.begin());
  return out;
}

}  // namespace plumbline
