#include "debias/learn_step.h"

#include <algorithm>
#include <cmath>

#include "debias/learn_values.h"

namespace plumbline {
namespace {

using Eigen::VectorXd;

constexpr Index kMostInputs = 64;  // of a tree: the latest ones
constexpr Index kMostClasses = 64;
constexpr double kTableWhole = 65535;

// The weight of each region in each leaf, as a share of the leaf's.
std::vector<double> shares_of_regions(const LawCounts& counts) {
  std::vector<double> out(static_cast<std::size_t>(counts.leaves * counts.regions));
  for (Index f = 0; f < counts.leaves; ++f) {
    double total = 0;
    for (Index k = 0; k < counts.regions; ++k) {
      const auto cell = static_cast<std::size_t>(f * counts.regions + k);
      for (Index l = 0; l < counts.levels; ++l)
        out[cell] += counts.counts[cell * static_cast<std::size_t>(counts.levels) + static_cast<std::size_t>(l)];
      total += out[cell];
    }
    for (Index k = 0; k < counts.regions; ++k) out[static_cast<std::size_t>(f * counts.regions + k)] /= total;
  }
  return out;
}

}  // namespace

StepLearner::StepLearner(const LearningRows& rows, const DistributionOptions& options)
    : rows_(rows), options_(options), leaves_(static_cast<std::size_t>(rows.rows())) {}

Index StepLearner::level_in(const DistributionStep& step, Index i) const {
  return level_of(step, rows_.a.row(i).data() + step.column, rows_.place(i, step.group, kCellLevel));
}

TreeTarget StepLearner::target_of(const DistributionStep& step) const {
  TreeTarget out;
  if (step.kind == StepKind::category) {
    out.outputs = std::min(step.levels, kMostClasses);
    for (Index i = 0; i < rows_.rows(); ++i)
      out.classes.push_back(static_cast<std::uint16_t>(std::clamp<Index>(level_in(step, i), 0, out.outputs - 1)));
    return out;
  }
  const bool is_continuous = step.kind == StepKind::continuous;
  out.outputs = 2;
  out.values =
      number_targets(is_continuous ? residuals_ : VectorXd(rows_.a.col(step.column)), rows_.weights, is_continuous);
  return out;
}

void StepLearner::grow(DistributionStep& step, const std::vector<TreeInput>& all) {
  std::vector<const TreeInput*> inputs;
  for (const TreeInput& input : all)
    if (input.bins > 1) inputs.push_back(&input);
  if (static_cast<Index>(inputs.size()) > kMostInputs) inputs.erase(inputs.begin(), inputs.end() - kMostInputs);
  const auto by_rows = static_cast<Index>(std::sqrt(static_cast<double>(rows_.rows())) / 6);
  const Index wanted = options_.leaves > 0 ? options_.leaves : std::clamp<Index>(by_rows, 1, 64);
  const Index regions = rows_.parts->partition.regions();
  step.tree = RegressionTree::learn(inputs, target_of(step), rows_.weights,
                                    {.leaves = std::clamp<Index>(kMostTable / (step.levels * regions), 1, wanted),
                                     .least = static_cast<double>(options_.least_rows),
                                     .threads = rows_.threads});
  rows_.for_each_row([&](Index i) { leaves_[static_cast<std::size_t>(i)] = step.tree.leaf(rows_.x_of(i)); });
}

void StepLearner::learn(DistributionStep& step, const std::vector<TreeInput>& inputs) {
  if (step.kind == StepKind::continuous) take_out_location(step);
  grow(step, inputs);
  if (step.kind == StepKind::continuous) set_knots(step);
  const LawCounts counts = count(step);
  fill_table(step, counts);
  if (step.kind == StepKind::continuous)
    average_quantiles(step, shares_of_regions(counts));
  else
    average_table(step, shares_of_regions(counts));
}

double StepLearner::fair(const DistributionStep& step, Index i, const SensitivePlace& b) const {
  return fair_number(step, leaves_[static_cast<std::size_t>(i)], b, locations_.base[i], residuals_[i]);
}

void StepLearner::take_out_location(DistributionStep& step) {
  const Index n = rows_.rows();
  VectorXd z(n);
  rows_.for_each_row([&](Index i) {
    z[i] = (step.grid.jittered(rows_.a(i, step.column), rows_.place(i, step.group, kPlace)) - step.centre) / step.sd;
  });
  if (!location_) location_.emplace(rows_);
  locations_ = location_->learn(step, z);
  residuals_ = z - locations_.base - locations_.of_b;
  const VectorXd scales = location_->learn_scale(step, residuals_.cwiseAbs());
  residuals_ = residuals_.cwiseQuotient(scales);
  const auto w = Eigen::Map<const VectorXd>(rows_.weights.data(), n);
  step.average_location = w.dot(locations_.of_b) / w.sum();
  step.average_scale = w.dot(scales) / w.sum();
}

void StepLearner::set_knots(DistributionStep& step) const {
  step.shares = knot_shares(step.levels);
  std::vector<std::vector<std::pair<double, double>>> values(static_cast<std::size_t>(step.tree.leaves()));
  for (Index i = 0; i < rows_.rows(); ++i)
    values[static_cast<std::size_t>(leaves_[static_cast<std::size_t>(i)])].emplace_back(residuals_[i], rows_.weight(i));
  const std::size_t ends = step.shares.size();
  step.knots.resize(values.size() * ends);
  const auto leaves = static_cast<Index>(values.size());
  run_parallel(leaves, thread_count(rows_.threads, leaves), [&](Index leaf, int) {
    const auto f = static_cast<std::size_t>(leaf);
    const std::vector<double> knots = quantiles_of(std::move(values[f]), step.shares);
    std::copy(knots.begin(), knots.end(), step.knots.begin() + static_cast<std::ptrdiff_t>(f * ends));
  });
}

LawCounts StepLearner::count(const DistributionStep& step) const {
  const Index L = step.levels;
  const Index regions = rows_.parts->partition.regions();
  std::vector<Index> levels(static_cast<std::size_t>(rows_.rows()));
  rows_.for_each_row([&](Index i) {
    Index& level = levels[static_cast<std::size_t>(i)];
    if (step.kind == StepKind::category) {
      level = level_in(step, i);
    } else if (step.kind == StepKind::levels) {
      level = level_place(step, rows_.a(i, step.column), 0.5).level;
    } else {
      const double* const knots = step.knots.data() + leaves_[static_cast<std::size_t>(i)] * (L + 1);
      level = std::upper_bound(knots + 1, knots + L, residuals_[i]) - (knots + 1);
    }
  });
  // A thread has regions of its own, so that each count is summed in the order of the rows.
  LawCounts counts(step.tree.leaves(), regions, L);
  const int threads = thread_count(rows_.threads, regions);
  run_parallel(threads, threads, [&](Index part, int) {
    const Index first = regions * part / threads, end = regions * (part + 1) / threads;
    for (Index i = 0; i < rows_.rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      if (levels[row] < 0) continue;
      rows_.for_each_region(
          i, [&](Index k, double w) { counts.add(leaves_[row], k, levels[row], w); }, first, end);
    }
  });
  return counts;
}

void StepLearner::fill_table(DistributionStep& step, const LawCounts& counts) const {
  const std::vector<double> law = learn_law(counts, options_.prior);
  const Index K = counts.regions, L = counts.levels;
  step.table.assign(law.size(), 0);
  for (Index f = 0; f < counts.leaves; ++f)
    for (Index k = 0; k < K; ++k) {
      double sum = 0;
      for (Index l = 0; l < L; ++l) {
        const double p = law[static_cast<std::size_t>((f * K + k) * L + l)];
        sum += p;
        const double entry = step.kind == StepKind::category ? p : l + 1 == L ? 1.0 : sum;
        step.table[static_cast<std::size_t>((f * L + l) * K + k)] =
            static_cast<std::uint16_t>(std::round(kTableWhole * std::clamp(entry, 0.0, 1.0)));
      }
    }
}

// What is averaged is the table as it is stored: where all regions have one law, it is exactly the average.
void StepLearner::average_table(DistributionStep& step, const std::vector<double>& shares) const {
  const Index F = step.tree.leaves(), K = rows_.parts->partition.regions(), L = step.levels;
  step.average.assign(static_cast<std::size_t>(F * L), 0.0);
  for (Index f = 0; f < F; ++f)
    for (Index l = 0; l < L; ++l) {
      double& sum = step.average[static_cast<std::size_t>(f * L + l)];
      for (Index k = 0; k < K; ++k)
        sum += shares[static_cast<std::size_t>(f * K + k)] * step.table[static_cast<std::size_t>((f * L + l) * K + k)] /
               kTableWhole;
      if (step.kind == StepKind::levels && l + 1 == L) sum = 1;
    }
}

void StepLearner::average_quantiles(DistributionStep& step, const std::vector<double>& shares) const {
  const Index F = step.tree.leaves(), K = rows_.parts->partition.regions(), L = step.levels;
  step.average.assign(static_cast<std::size_t>(F * (L + 1)), 0.0);
  for (Index f = 0; f < F; ++f) {
    const double* const knots = step.knots.data() + f * (L + 1);
    double* const average = step.average.data() + f * (L + 1);
    for (Index k = 0; k < K; ++k) {
      const double weight = shares[static_cast<std::size_t>(f * K + k)];
      if (!(weight > 0)) continue;
      const auto end = [&](Index l) {
        return l < 0 ? 0 : step.table[static_cast<std::size_t>((f * L + l) * K + k)] / kTableWhole;
      };
      Index piece = 0;
      for (Index m = 0; m <= L; ++m) {
        const double v = step.shares[static_cast<std::size_t>(m)];
        while (piece + 1 < L && end(piece) < v) ++piece;
        const double low = end(piece - 1), high = end(piece);
        const double inside = high > low ? std::clamp((v - low) / (high - low), 0.0, 1.0) : 1.0;
        average[m] += weight * (knots[piece] + inside * (knots[piece + 1] - knots[piece]));
      }
    }
    for (Index m = 1; m <= L; ++m) average[m] = std::max(average[m], average[m - 1]);  // rounding can undo the order
  }
}

}  // namespace plumbline
