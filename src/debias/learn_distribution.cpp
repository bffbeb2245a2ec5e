#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/finite.h"
#include "base/ordered.h"
#include "base/weights.h"
#include "debias/conditional_law.h"
#include "debias/distribution_step.h"
#include "debias/learn_location.h"
#include "debias/learn_values.h"
#include "plumbline/distribution.h"

namespace plumbline {
namespace {

using Eigen::VectorXd;

constexpr Index kMostTerms = 256;    // of a location
constexpr Index kMostProducts = 8;   // sensitive columns whose products with features enter
constexpr Index kMostInputs = 64;    // of a tree
constexpr Index kMostTable = 1 << 17;
constexpr Index kPieces = 48, kFewPieces = 16;
constexpr Index kTile = 1024;
constexpr Index kMostClasses = 64;
constexpr Index kLeastRows = 20;
constexpr double kWhole = 65535;

std::vector<std::size_t> order_of(const std::vector<FeatureGroup>& groups, const std::vector<std::string>& wanted) {
  std::vector<std::size_t> out;
  for (const std::string& name : wanted) {
    const auto at = std::find_if(groups.begin(), groups.end(), [&](const FeatureGroup& g) { return g.name == name; });
    if (at == groups.end()) throw Error(fmt::format("order names '{}', which is no feature", name));
    const auto group = static_cast<std::size_t>(at - groups.begin());
    if (std::find(out.begin(), out.end(), group) != out.end())
      throw Error(fmt::format("order names '{}' twice", name));
    out.push_back(group);
  }
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (std::find(out.begin(), out.end(), g) == out.end()) out.push_back(g);
  return out;
}

}  // namespace

class DistributionLearner {
 public:
  DistributionLearner(const Columns& a, const Columns& b, const std::vector<FeatureGroup>& groups,
                      const DistributionOptions& options, std::span<const double> weights, int threads)
      : groups_(groups), options_(options), threads_(threads) {
    check(a, b, weights);
    load(a, b, weights);
    learn_sensitive();
  }

  Distribution learn() {
    Distribution out;
    out.groups_ = groups_;
    plan_terms();
    const Index n = rows();
    LocationLearner location(
        n, parts_->partition.regions(), parts_->sensitive, has_products_, weights_,
        [this](Index i, RowState& state) { load_state(i, state); }, threads_);
    std::vector<double> before;
    for (const std::size_t group : order_) {
      DistributionStep& step = parts_->steps.emplace_back();
      const FeatureGroup& g = groups_[group];
      step.group = static_cast<Index>(group);
      step.column = first_column_[group];
      step.width = g.width;
      describe(step, g);
      if (step.kind != StepKind::constant) {
        learn_tree(step);
        leaves_.resize(static_cast<std::size_t>(n));
        for (Index i = 0; i < n; ++i) leaves_[static_cast<std::size_t>(i)] = step.tree.leaf(x_of(i));
        if (step.kind == StepKind::continuous)
          learn_continuous(step, location);
        else
          learn_levels(step);
      }
      out.changes_.push_back(transform(step, g.name));
    }
    out.parts_ = parts_;
    return out;
  }

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Index rows() const { return a_.rows(); }
  const double* x_of(Index i) const { return x_.row(i).data(); }

  void check(const Columns& a, const Columns& b, std::span<const double> weights) const {
    options_.check();
    Index width = 0;
    std::vector<std::string> names;
    for (const FeatureGroup& group : groups_) {
      if (group.width < 1 || (!group.is_category && group.width != 1))
        throw Error(fmt::format("group '{}' has {} columns; a number has one and a category at least one", group.name,
                                group.width));
      width += group.width;
      names.push_back(group.name);
    }
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
      throw Error(fmt::format("there are two groups called '{}'; names must differ", *twice));
    if (a.cols() == 0) throw Error("there are no features; at least one is needed");
    if (width != a.cols())
      throw Error(fmt::format("the groups have {} columns and a has {}; they must be the same", width, a.cols()));
    if (b.cols() == 0) throw Error("there are no sensitive columns; at least one is needed");
    if (a.rows() != b.rows())
      throw Error(fmt::format("a has {} rows and b has {}; they must be the same", a.rows(), b.rows()));
    check_some_weight(weights, a.rows());
    for (Index j = 0; j < width; ++j)
      if (a.cols() > 0 && groups_.empty()) throw Error("there are no groups");
  }

  // Rows of positive weight, and the weights at a mean of 1.
  void load(const Columns& a, const Columns& b, std::span<const double> weights) {
    std::vector<std::string> names, sensitive;
    for (const FeatureGroup& g : groups_)
      for (Index k = 0; k < g.width; ++k) names.push_back(g.is_category ? fmt::format("{} ({})", g.name, k) : g.name);
    for (Index l = 0; l < b.cols(); ++l) sensitive.push_back(fmt::format("b{}", l));
    check_finite(a, names, 0, a.rows());
    check_finite(b, sensitive, 0, b.rows());
    std::vector<Index> kept;
    double total = 0;
    for (Index i = 0; i < a.rows(); ++i) {
      const double w = weights.empty() ? 1 : weights[static_cast<std::size_t>(i)];
      if (!(w > 0)) continue;
      kept.push_back(i);
      weights_.push_back(w);
      total += w;
    }
    const auto n = static_cast<Index>(kept.size());
    if (n < kLeastRows)
      throw Error(fmt::format("{} rows are too few to learn laws from; at least {} are needed", n, kLeastRows));
    for (double& w : weights_) w *= static_cast<double>(n) / total;
    a_.resize(n, a.cols());
    b_.resize(n, b.cols());
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < a.cols(); ++j) a_(i, j) = a(kept[static_cast<std::size_t>(i)], j);
      for (Index l = 0; l < b.cols(); ++l) b_(i, l) = b(kept[static_cast<std::size_t>(i)], l);
    }
    Index column = 0;
    for (const FeatureGroup& g : groups_) {
      first_column_.push_back(column);
      column += g.width;
    }
    order_ = order_of(groups_, options_.order);
  }

  void learn_sensitive() {
    parts_->features = a_.cols();
    parts_->sensitive = b_.cols();
    parts_->seed = options_.seed;
    for (Index l = 0; l < b_.cols(); ++l) {
      const NumberLook look = look_at(b_.col(l), weights_);
      parts_->centre_b.push_back(look.mean);
      parts_->sd_b.push_back(look.sd > 0 ? look.sd : 1);
      if (look.sd > 0) varies_ = true;
    }
    if (!varies_) throw Error("every sensitive column is constant; there is nothing to be independent of");
    parts_->partition = Partition::fit(b_, options_.partition, weights_);
    const Index n = rows();
    for (Index first = 0; first < n; first += kTile) {
      RowState state;
      for (Index i = first; i < std::min(n, first + kTile); ++i) {
        state.start(*parts_, {a_.row(i).data(), static_cast<std::size_t>(a_.cols())},
                    {b_.row(i).data(), static_cast<std::size_t>(b_.cols())});
        keys_.push_back(state.key);
        ranges_.push_back(state.b.range);
        offsets_.push_back(shares_.size());
        shares_.insert(shares_.end(), state.b.weights.begin(), state.b.weights.begin() + state.b.range.count);
      }
    }
    x_ = RowMajor::Zero(n, static_cast<Index>(groups_.size()));
  }

  // Everything of a row but a: the steps that are done.
  void load_state(Index i, RowState& state) const {
    const auto row = static_cast<std::size_t>(i);
    state.key = keys_[row];
    state.b.range = ranges_[row];
    state.b.weights.resize(static_cast<std::size_t>(parts_->partition.regions()));
    std::copy_n(shares_.data() + offsets_[row], ranges_[row].count, state.b.weights.data());
    state.b.scaled.resize(static_cast<std::size_t>(b_.cols()));
    for (std::size_t l = 0; l < state.b.scaled.size(); ++l)
      state.b.scaled[l] = (b_(i, static_cast<Index>(l)) - parts_->centre_b[l]) / parts_->sd_b[l];
    state.x.assign(x_of(i), x_of(i) + done_);
    state.terms.clear();
    state.numbers.clear();
    for (Index s = 0; s < done_; ++s) append_terms(parts_->steps[static_cast<std::size_t>(s)], x_(i, s), state);
  }

  // Which terms of features locations can afford: those of all, or without products, or without hinges.
  void plan_terms() {
    const Index budget = std::min<Index>(kMostTerms, rows() / 20);
    Index numbers = 0, indicators = 0;
    for (const FeatureGroup& g : groups_)
      if (g.is_category)
        indicators += g.width;
      else
        ++numbers;
    const Index products = numbers * b_.cols();
    has_products_ = b_.cols() <= kMostProducts && numbers + indicators + products <= budget;
    has_hinges_ = numbers * 4 + indicators + (has_products_ ? products : 0) <= budget;
    terms_left_ = budget;
  }

  void describe(DistributionStep& step, const FeatureGroup& group) {
    if (group.is_category) {
      step.kind = StepKind::category;
      step.levels = group.width;
      VectorXd shares = VectorXd::Zero(group.width);
      for (Index i = 0; i < rows(); ++i)
        shares += weights_[static_cast<std::size_t>(i)] * a_.row(i).segment(step.column, group.width).transpose();
      if ((shares.array() > 0).count() < 2) step.kind = StepKind::constant;
      if (step.kind == StepKind::category && terms_left_ >= group.width) step.terms = group.width;
    } else {
      describe_number(step, a_.col(step.column), weights_, std::max<Index>(2, std::min<Index>(256, kMostTable / parts_->partition.regions())));
      if (step.is_number() && terms_left_ > 0) {
        step.terms = 1;
        if (has_hinges_ && terms_left_ >= 4) {
          step.hinges = hinges_of(a_.col(step.column), weights_, step);
          step.terms += static_cast<Index>(step.hinges.size());
        }
      }
    }
    if (step.kind == StepKind::continuous) step.levels = parts_->partition.regions() * kPieces > kMostTable ? kFewPieces : kPieces;
    if (step.kind == StepKind::constant) step.terms = 0;
    terms_left_ -= step.terms;
  }

  TreeTarget target_of(const DistributionStep& step) const {
    TreeTarget out;
    const Index n = rows();
    if (step.kind == StepKind::category) {
      out.outputs = std::min(step.levels, kMostClasses);
      out.classes.resize(static_cast<std::size_t>(n));
      for (Index i = 0; i < n; ++i) {
        const Index level = level_in(step, i);
        out.classes[static_cast<std::size_t>(i)] =
            static_cast<std::uint16_t>(std::clamp<Index>(level, 0, out.outputs - 1));
      }
      return out;
    }
    const VectorXd y = step.kind == StepKind::continuous ? residuals_ : VectorXd(a_.col(step.column));
    out.outputs = 2;
    out.values = number_targets(y, weights_, step.kind == StepKind::continuous);
    return out;
  }

  Index level_in(const DistributionStep& step, Index i) const {
    RowState state;
    state.key = keys_[static_cast<std::size_t>(i)];
    return level_of(step, a_.row(i).data() + step.column, state.place(step.group, 2));
  }

  Index most_leaves(Index levels) const {
    const double n = static_cast<double>(rows());
    const Index wanted =
        options_.leaves > 0 ? options_.leaves : std::clamp<Index>(static_cast<Index>(std::sqrt(n) / 6), 1, 64);
    return std::clamp<Index>(kMostTable / (levels * parts_->partition.regions()), 1, wanted);
  }

  void learn_tree(DistributionStep& step) {
    if (step.kind == StepKind::continuous) return;  // it has to wait for the residuals
    grow(step);
  }

  void grow(DistributionStep& step) {
    std::vector<const TreeInput*> inputs;
    for (const TreeInput& input : inputs_)
      if (input.bins > 1) inputs.push_back(&input);
    if (inputs.size() > kMostInputs) inputs.erase(inputs.begin(), inputs.end() - kMostInputs);
    step.tree = RegressionTree::learn(
        inputs, target_of(step), weights_,
        {.leaves = most_leaves(step.levels), .least = static_cast<double>(options_.least_rows), .threads = threads_});
  }

  void learn_levels(DistributionStep& step) {
    const Index n = rows(), F = step.tree.leaves(), K = parts_->partition.regions(), L = step.levels;
    LawCounts counts(F, K, L);
    for (Index i = 0; i < n; ++i) {
      const auto row = static_cast<std::size_t>(i);
      Index level = 0;
      if (step.kind == StepKind::category) {
        level = level_in(step, i);
        if (level < 0) continue;
      } else {
        level = level_place(step, a_(i, step.column), 0.5).level;
      }
      count(counts, i, leaves_[row], level);
    }
    fill_table(step, counts);
    // What is averaged is the table that is stored, so that equal laws have an equal average.
    const std::vector<double> share = shares_of_regions(counts);
    step.average.assign(static_cast<std::size_t>(F * L), 0.0);
    for (Index f = 0; f < F; ++f)
      for (Index l = 0; l < L; ++l)
        for (Index k = 0; k < K; ++k)
          step.average[static_cast<std::size_t>(f * L + l)] +=
              share[static_cast<std::size_t>(f * K + k)] *
              step.table[static_cast<std::size_t>((f * L + l) * K + k)] / kWhole;
    if (step.kind == StepKind::levels)
      for (Index f = 0; f < F; ++f) step.average[static_cast<std::size_t>((f + 1) * L - 1)] = 1;
  }

  void count(LawCounts& counts, Index i, Index leaf, Index level) const {
    const auto row = static_cast<std::size_t>(i);
    for (Index k = 0; k < ranges_[row].count; ++k) {
      const double w = weights_[row] * shares_[offsets_[row] + static_cast<std::size_t>(k)];
      if (w > 0) counts.add(leaf, ranges_[row].first + k, level, w);
    }
  }

  // Of each leaf; all rows count for those that have none in it.
  std::vector<double> shares_of_regions(const LawCounts& counts) const {
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

  void fill_table(DistributionStep& step, const LawCounts& counts) const {
    const std::vector<double> law = learn_law(counts, options_.prior);
    const Index F = counts.leaves, K = counts.regions, L = counts.levels;
    step.table.assign(law.size(), 0);
    for (Index f = 0; f < F; ++f)
      for (Index k = 0; k < K; ++k) {
        double sum = 0;
        for (Index l = 0; l < L; ++l) {
          const double p = law[static_cast<std::size_t>((f * K + k) * L + l)];
          sum += p;
          const double entry = step.kind == StepKind::category ? p : l + 1 == L ? 1.0 : sum;
          step.table[static_cast<std::size_t>((f * L + l) * K + k)] =
              static_cast<std::uint16_t>(std::round(kWhole * std::clamp(entry, 0.0, 1.0)));
        }
      }
  }

  void learn_continuous(DistributionStep& step, LocationLearner& location) {
    const Index n = rows(), K = parts_->partition.regions(), L = step.levels;
    VectorXd z(n);
    for (Index i = 0; i < n; ++i) {
      RowState state;
      state.key = keys_[static_cast<std::size_t>(i)];
      z[i] = (step.grid.jittered(a_(i, step.column), state.place(step.group, 0)) - step.centre) / step.sd;
    }
    location.learn(step, z);
    residuals_.resize(n);
    VectorXd of_b(n);
    for_each_row([&](Index i, RowState& state) {
      of_b[i] = location_of(step, state, state.b);
      residuals_[i] = z[i] - base_of(step, state) - of_b[i];
    });
    learn_scale(step, of_b);
    for_each_row([&](Index i, RowState& state) { residuals_[i] /= scale_of(step, state.b); });
    grow(step);
    for (Index i = 0; i < n; ++i) leaves_[static_cast<std::size_t>(i)] = step.tree.leaf(x_of(i));

    const Index F = step.tree.leaves();
    step.shares = knot_shares(L);
    step.knots.resize(static_cast<std::size_t>(F * (L + 1)));
    for (Index f = 0; f < F; ++f) {
      std::vector<std::pair<double, double>> values;
      for (Index i = 0; i < n; ++i)
        if (leaves_[static_cast<std::size_t>(i)] == f)
          values.emplace_back(residuals_[i], weights_[static_cast<std::size_t>(i)]);
      const std::vector<double> knots = quantiles_of(std::move(values), step.shares);
      std::copy(knots.begin(), knots.end(), step.knots.begin() + f * (L + 1));
    }
    LawCounts counts(F, K, L);
    for (Index i = 0; i < n; ++i) {
      const Index f = leaves_[static_cast<std::size_t>(i)];
      const double* const knots = step.knots.data() + f * (L + 1);
      count(counts, i, f, std::upper_bound(knots + 1, knots + L, residuals_[i]) - (knots + 1));
    }
    fill_table(step, counts);
    average_quantiles(step, shares_of_regions(counts));
  }

  // Mean |r| of each region, drawn to that of all by as much as ten rows of it.
  void learn_scale(DistributionStep& step, const VectorXd& of_b) const {
    const Index K = parts_->partition.regions();
    VectorXd sums = VectorXd::Zero(K), totals = VectorXd::Zero(K);
    double all = 0, location = 0;
    for (Index i = 0; i < rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      all += weights_[row] * std::abs(residuals_[i]);
      location += weights_[row] * of_b[i];
      for (Index k = 0; k < ranges_[row].count; ++k) {
        const double w = weights_[row] * shares_[offsets_[row] + static_cast<std::size_t>(k)];
        sums[ranges_[row].first + k] += w * std::abs(residuals_[i]);
        totals[ranges_[row].first + k] += w;
      }
    }
    const auto n = static_cast<double>(rows());
    all = std::max(all / n, 1e-12);
    step.average_location = location / n;
    step.average_scale = 0;
    for (Index k = 0; k < K; ++k) {
      step.scale.push_back(std::max((sums[k] + 10 * all) / (totals[k] + 10), 1e-3 * all));
      step.average_scale += step.scale.back() * totals[k] / n;
    }
  }

  void average_quantiles(DistributionStep& step, const std::vector<double>& share) const {
    const Index F = step.tree.leaves(), K = parts_->partition.regions(), L = step.levels;
    step.average.assign(static_cast<std::size_t>(F * (L + 1)), 0.0);
    for (Index f = 0; f < F; ++f)
      for (Index k = 0; k < K; ++k) {
        const double weight = share[static_cast<std::size_t>(f * K + k)];
        if (!(weight > 0)) continue;
        const double* const knots = step.knots.data() + f * (L + 1);
        const auto end = [&](Index l) {
          return l < 0 ? 0 : step.table[static_cast<std::size_t>((f * L + l) * K + k)] / kWhole;
        };
        Index piece = 0;
        for (Index m = 0; m <= L; ++m) {
          const double v = step.shares[static_cast<std::size_t>(m)];
          while (piece + 1 < L && end(piece) < v) ++piece;
          const double low = end(piece - 1), high = end(piece);
          const double inside = high > low ? std::clamp((v - low) / (high - low), 0.0, 1.0) : 1.0;
          step.average[static_cast<std::size_t>(f * (L + 1) + m)] +=
              weight * (knots[piece] + inside * (knots[piece + 1] - knots[piece]));
        }
      }
    for (Index f = 0; f < F; ++f)  // rounding alone can undo the order
      for (Index m = 1; m <= L; ++m) {
        double& q = step.average[static_cast<std::size_t>(f * (L + 1) + m)];
        q = std::max(q, step.average[static_cast<std::size_t>(f * (L + 1) + m - 1)]);
      }
  }

  template <class Work>
  void for_each_row(const Work& work) const {
    const Index tiles = (rows() + kTile - 1) / kTile;
    const int threads = thread_count(threads_, tiles);
    std::vector<RowState> states(static_cast<std::size_t>(threads));
    run_parallel(tiles, threads, [&](Index tile, int slot) {
      RowState& state = states[static_cast<std::size_t>(slot)];
      for (Index i = tile * kTile; i < std::min(rows(), (tile + 1) * kTile); ++i) {
        load_state(i, state);
        work(i, state);
      }
    });
  }

  // The step on the rows of the fit: what later groups see of it.
  GroupChange transform(const DistributionStep& step, const std::string& name) {
    GroupChange out{name};
    const Index n = rows();
    VectorXd changed(n), moved(n);
    RowMajor result(n, step.width);
    for_each_row([&](Index i, RowState& state) {
      thread_local std::vector<double> to;
      to.resize(static_cast<std::size_t>(a_.cols()));
      take_step(step, state, a_.row(i).data(), to.data());
      const auto cells = Eigen::Map<const VectorXd>(to.data() + step.column, step.width);
      result.row(i) = cells.transpose();
      const auto original = a_.row(i).segment(step.column, step.width).transpose();
      changed[i] = cells == original ? 0 : 1;
      moved[i] = step.is_number() ? std::abs(cells[0] - original[0]) / step.sd : changed[i];
      x_(i, done_) = state.x.back();
    });
    double total = 0;
    for (Index i = 0; i < n; ++i) {
      const double w = weights_[static_cast<std::size_t>(i)];
      out.changed += w * changed[i];
      out.moved += w * moved[i];
      total += w;
    }
    out.changed /= total;
    out.moved /= total;
    inputs_.push_back(tree_input(step, x_.col(done_), weights_, done_));
    ++done_;
    return out;
  }

  const std::vector<FeatureGroup>& groups_;
  const DistributionOptions& options_;
  int threads_;
  RowMajor a_, b_;
  RowMajor x_;  // of the steps that are done
  std::vector<double> weights_;
  std::vector<Index> first_column_;
  std::vector<std::size_t> order_;
  std::shared_ptr<DistributionParts> parts_ = std::make_shared<DistributionParts>();
  bool varies_ = false, has_products_ = false, has_hinges_ = false;
  Index terms_left_ = 0, done_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<Partition::Range> ranges_;
  std::vector<std::size_t> offsets_;
  std::vector<double> shares_;
  std::vector<TreeInput> inputs_;
  std::vector<Index> leaves_;
  VectorXd residuals_;
};

Distribution Distribution::fit(const Columns& a, const Columns& b, const std::vector<FeatureGroup>& groups,
                               const DistributionOptions& options, std::span<const double> weights, int threads) {
  return DistributionLearner(a, b, groups, options, weights, threads).learn();
}

}  // namespace plumbline
