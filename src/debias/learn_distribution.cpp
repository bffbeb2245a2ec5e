#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/names.h"
#include "debias/learn_step.h"
#include "debias/learn_values.h"
#include "debias/learning_rows.h"
#include "plumbline/distribution.h"

namespace plumbline {
namespace {

constexpr Index kMostTerms = 256;   // of a location
constexpr Index kMostProducts = 8;  // sensitive columns whose products with features enter
constexpr Index kHinges = 3;        // of a number
constexpr Index kFewestPieces = 16, kMostPieces = 256, kUsualLeaves = 32;
constexpr Index kMostLevelsOfNumber = 256;
constexpr double kLeastSpread = 1e-140;

void check_groups(const Columns& a, const Columns& b, const std::vector<FeatureGroup>& groups) {
  if (a.cols() == 0 || groups.empty()) throw Error("there are no features; at least one is needed");
  if (b.cols() == 0) throw Error("there are no sensitive columns; at least one is needed");
  if (a.rows() != b.rows())
    throw Error(fmt::format("a has {} rows and b has {}; they must be the same", a.rows(), b.rows()));
  Index width = 0;
  std::vector<std::string> names;
  for (const FeatureGroup& group : groups) {
    if (group.width < 1 || group.width > a.cols() || (!group.is_category && group.width != 1))
      throw Error(fmt::format("group '{}' has {} columns; a number has one, and a category one a level", group.name,
                              group.width));
    width += group.width;
    names.push_back(group.name);
  }
  if (width != a.cols())
    throw Error(fmt::format("the groups have {} columns and a has {}; they must be the same", width, a.cols()));
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
    throw Error(fmt::format("there are two groups called '{}'; names must differ", *twice));
}

}  // namespace

class DistributionLearner {
 public:
  DistributionLearner(const Columns& a, const Columns& b, const std::vector<FeatureGroup>& groups,
                      const DistributionOptions& options, std::span<const double> weights, int threads)
      : groups_(groups), options_(options), rows_(a, b, groups, weights, threads) {
    Index column = 0;
    for (const FeatureGroup& group : groups_) {
      first_column_.push_back(column);
      column += group.width;
    }
    parts_->seed = options.seed;
    rows_.place_sensitive(*parts_, options.partition);
    plan_terms();
    rows_.place_terms();
    look_at_numbers();
  }

  Distribution learn() {
    Distribution out;
    out.groups_ = groups_;
    StepLearner learner(rows_, options_);
    for (const std::size_t group : order()) {
      DistributionStep& step = parts_->steps.emplace_back();
      step.group = static_cast<Index>(group);
      step.column = first_column_[group];
      step.width = groups_[group].width;
      describe(step, groups_[group]);
      if (step.kind == StepKind::constant)
        step = {.group = step.group, .column = step.column, .width = step.width};
      else
        learner.learn(step, inputs_);
      out.changes_.push_back(transform(step, groups_[group].name, learner));
    }
    out.parts_ = parts_;
    return out;
  }

 private:
  struct Number {
    DistributionStep step;
    std::vector<double> hinges;
  };

  std::vector<std::size_t> order() const {
    std::vector<std::size_t> out, rest;
    std::vector<std::string> names;
    for (const FeatureGroup& group : groups_) names.push_back(group.name);
    for (const std::string& name : options_.order) {
      const auto at =
          std::find_if(groups_.begin(), groups_.end(), [&](const FeatureGroup& g) { return g.name == name; });
      if (at == groups_.end())
        throw Error(fmt::format("order names '{}', which is no feature{}", name, did_you_mean(name, names)));
      const auto group = static_cast<std::size_t>(at - groups_.begin());
      if (std::find(out.begin(), out.end(), group) != out.end())
        throw Error(fmt::format("order names '{}' twice", name));
      out.push_back(group);
    }
    std::vector<double> explained(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (std::find(out.begin(), out.end(), g) != out.end()) continue;
      rest.push_back(g);
    }
    const auto count = static_cast<Index>(rest.size());
    run_parallel(count, thread_count(rows_.threads, count), [&](Index i, int) {
      const std::size_t g = rest[static_cast<std::size_t>(i)];
      explained[g] = rows_.explained(first_column_[g], groups_[g]);
    });
    std::stable_sort(rest.begin(), rest.end(), [&](std::size_t x, std::size_t y) {
      if (groups_[x].is_category != groups_[y].is_category) return groups_[y].is_category;
      return explained[x] > explained[y];
    });
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  }

  // Which terms locations can afford, from the richest choice down.
  void plan_terms() {
    DistributionParts& parts = *parts_;
    const Index p = rows_.b.cols(), budget = std::min<Index>(kMostTerms, rows_.rows() / 20);
    const auto knots = static_cast<Index>(std::sqrt(std::sqrt(static_cast<double>(rows_.rows()))) / 2);
    if (p <= kMostProducts && budget > 8 * p) {
      for (Index l = 0; l < p; ++l)
        parts.hinges_b[static_cast<std::size_t>(l)] =
            hinges_of(rows_.b.col(l), rows_.weights, parts.centre_b[static_cast<std::size_t>(l)],
                      parts.sd_b[static_cast<std::size_t>(l)], std::clamp<Index>(knots, 1, 7));
      parts.has_pairs = true;
    }
    centre_terms();
    Index numbers = 0, indicators = 0;
    for (const FeatureGroup& g : groups_) (g.is_category ? indicators : numbers) += g.width;
    const Index all = parts.terms_of_b(), with_hinges = numbers * (1 + kHinges);
    const auto choose = [&](Index products, bool hinge_products, bool hinges) {
      const Index columns =
          indicators + (hinges ? with_hinges : numbers) + products * (hinge_products ? with_hinges : numbers);
      if (columns > budget) return false;
      parts.product_terms = products;
      parts.has_hinge_products = hinge_products;
      has_hinges_ = hinges;
      return true;
    };
    terms_left_ = budget;
    const Index some = p <= kMostProducts ? p : 0;
    if (some > 0 && (choose(all, true, true) || choose(all, false, true) || choose(p, false, true))) return;
    if (choose(0, false, true)) return;
    choose(0, false, false);
  }

  void centre_terms() {
    SensitivePlace place;
    std::vector<double> sums(static_cast<std::size_t>(parts_->terms_of_b()));
    double total = 0;
    for (Index i = 0; i < rows_.rows(); ++i) {
      place.set_terms(*parts_, rows_.b.row(i).data());
      for (std::size_t t = 0; t < sums.size(); ++t) sums[t] += rows_.weight(i) * place.terms[t];
      total += rows_.weight(i);
    }
    for (double& sum : sums) sum /= total;
    parts_->mean_terms = std::move(sums);
  }

  // What describes a number takes sorting.
  void look_at_numbers() {
    numbers_.resize(groups_.size());
    const Index most = std::clamp<Index>(kMostTable / parts_->partition.regions(), 2, kMostLevelsOfNumber),
                count = static_cast<Index>(groups_.size());
    run_parallel(count, thread_count(rows_.threads, count), [&](Index i, int) {
      const auto group = static_cast<std::size_t>(i);
      if (groups_[group].is_category) return;
      const auto column = rows_.a.col(first_column_[group]);
      auto& [step, hinges] = numbers_[group];
      step.group = i;
      step.column = first_column_[group];
      describe_number(step, column, rows_.weights, most);
      if (step.is_number() && has_hinges_ && std::isfinite(step.sd) && step.sd > kLeastSpread)
        hinges = hinges_of(column, rows_.weights, step.centre, step.sd, kHinges);
    });
  }

  void describe(DistributionStep& step, const FeatureGroup& group) {
    const Index regions = parts_->partition.regions();
    if (group.is_category) {
      step.levels = group.width;
      const auto cells = rows_.a.middleCols(step.column, group.width);
      const bool varies = (cells.array() > 0).colwise().any().count() > 1;
      step.kind = varies ? StepKind::category : StepKind::constant;
      if (varies && terms_left_ >= group.width) step.terms = group.width;
    } else {
      Number& number = numbers_[static_cast<std::size_t>(step.group)];
      step = std::move(number.step);
      if (step.is_number() && !(std::isfinite(step.sd) && step.sd > kLeastSpread))
        throw Error(fmt::format("feature '{}' varies by {}, which squares of doubles cannot hold; rescale it",
                                group.name, step.grid.most - step.grid.least));
      if (step.kind == StepKind::continuous) {
        const Index most = kMostTable / regions / (inputs_.empty() ? 1 : kUsualLeaves);
        step.levels = std::clamp(most, kFewestPieces, kMostPieces);
      }
      if (step.is_number() && terms_left_ > 0) step.terms = 1;
      if (step.is_number() && has_hinges_ && terms_left_ > kHinges) {
        step.hinges = std::move(number.hinges);
        step.terms += static_cast<Index>(step.hinges.size());
      }
    }
    terms_left_ -= step.terms;
  }

  // The step on the rows of the fit: what later groups see of it.
  GroupChange transform(const DistributionStep& step, const std::string& name, const StepLearner& learner) {
    GroupChange out{name};
    const Index n = rows_.rows(), width = step.width;
    Eigen::VectorXd changed(n), moved(n);
    rows_.for_each([&](Index i, RowState& state) {
      thread_local std::vector<double> to;
      to.resize(static_cast<std::size_t>(rows_.a.cols()));
      const double* const from = rows_.a.row(i).data();
      if (step.kind == StepKind::continuous)
        state.x.push_back(to[static_cast<std::size_t>(step.column)] = learner.fair(step, i, state.b));
      else
        take_step(*parts_, step, state, from, to.data());
      changed[i] = std::equal(to.begin() + step.column, to.begin() + step.column + width, from + step.column) ? 0 : 1;
      moved[i] = step.is_number() ? std::abs(to[static_cast<std::size_t>(step.column)] - from[step.column]) / step.sd
                                  : changed[i];
      rows_.x(i, rows_.done) = state.x.back();
    });
    double total = 0;
    for (Index i = 0; i < n; ++i) {
      out.changed += rows_.weight(i) * changed[i];
      out.moved += rows_.weight(i) * moved[i];
      total += rows_.weight(i);
    }
    out.changed /= total;
    out.moved /= total;
    inputs_.push_back(tree_input(step, rows_.x.col(rows_.done), rows_.weights, rows_.done));
    ++rows_.done;
    return out;
  }

  const std::vector<FeatureGroup>& groups_;
  const DistributionOptions& options_;
  LearningRows rows_;
  std::vector<Index> first_column_;
  std::shared_ptr<DistributionParts> parts_ = std::make_shared<DistributionParts>();
  bool has_hinges_ = false;
  Index terms_left_ = 0;
  std::vector<TreeInput> inputs_;
  std::vector<Number> numbers_;  // one a group
};

Distribution Distribution::fit(const Columns& a, const Columns& b, const std::vector<FeatureGroup>& groups,
                               const DistributionOptions& options, std::span<const double> weights, int threads) {
  options.check();
  check_groups(a, b, groups);
  return DistributionLearner(a, b, groups, options, weights, threads).learn();
}

}  // namespace plumbline
