#include "debias/choose_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/chi_square.h"
#include "base/names.h"
#include "debias/covariance.h"
#include "debias/linear_algebra.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;

constexpr double kLevel = 0.01;
constexpr double kNoDirection = 1e-10;  // of the variance of a column

using Places = std::vector<Index>;

Places consecutive(Index first, Index count) {
  Places out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), first);
  return out;
}

// The covariance of (φ(b), a), each of variance 1, beyond what has been swept out of it.
class Beyond {
 public:
  Beyond(const Covariance& c, double weight) : count_(weight - 1) {
    const Index p = c.bb.rows(), q = c.ba.cols();
    s_.resize(p + q, p + q);
    s_ << c.bb.cast<double>(), c.ba, c.ba.transpose(), *c.aa;
    features_ = consecutive(p, q);
  }

  void sweep(const Places& columns) {
    const PivotedCholesky own = pivoted_cholesky(s_(columns, columns), kNoDirection);
    Places pivots;
    for (const Index i : own.pivots) pivots.push_back(columns[static_cast<std::size_t>(i)]);
    if (pivots.empty()) return;
    MatrixXd rows = s_(pivots, Eigen::all);
    solve_lower(own.l, rows);
    s_ -= rows.transpose() * rows;
    for (const Index i : columns) {
      s_.row(i).setZero();
      s_.col(i).setZero();
    }
    count_ -= static_cast<double>(pivots.size());
    left_.reset();
  }

  void test(const Places& group, TermTest& out) {
    if (!left_) left_ = pivoted_cholesky(s_(features_, features_), kNoDirection);
    const PivotedCholesky own = pivoted_cholesky(s_(group, group), kNoDirection);
    out.directions = static_cast<Index>(own.pivots.size());
    out.features = static_cast<Index>(left_->pivots.size());
    out.statistic = 0;
    out.chance = 1;
    if (out.directions == 0 || out.features == 0 || !(count_ > 0)) return;
    Places directions, features;
    for (const Index i : own.pivots) directions.push_back(group[static_cast<std::size_t>(i)]);
    for (const Index i : left_->pivots) features.push_back(features_[static_cast<std::size_t>(i)]);
    MatrixXd c = s_(directions, features);
    solve_lower(own.l, c);
    MatrixXd by_feature = c.transpose();
    solve_lower(left_->l, by_feature);
    out.statistic = count_ * by_feature.squaredNorm();
    out.chance = chi_square_tail(out.statistic, static_cast<double>(out.directions * out.features));
  }

 private:
  MatrixXd s_;
  Places features_;
  double count_;                         // m
  std::optional<PivotedCholesky> left_;  // of the features, until the next sweep
};

// b itself.
Places line_of(const Expansion& phi) {
  Places out;
  for (const Expansion::Column& column : phi.columns())
    for (const Index i : consecutive(column.first, column.bases())) out.push_back(i);
  return out;
}

std::string name_of(const Expansion& phi, const Expansion::Group& group) {
  const std::string& one = phi.input_names()[static_cast<std::size_t>(group.one)];
  return group.other ? one + "*" + phi.input_names()[static_cast<std::size_t>(*group.other)] : one;
}

}  // namespace

double weight_of_row(std::span<const double> weights) {
  double sum = 0, squares = 0;
  bool whole = true;
  for (const double w : weights) {
    whole = whole && w == std::floor(w);
    sum += w;
  }
  if (whole || !(sum > 0)) return 1;
  for (const double w : weights) squares += w * (w / sum);
  return squares;
}

ChosenTerms choose_terms(const Moments& of_candidates, const Expansion& candidates, double row) {
  if (of_candidates.kind() == Moments::Kind::cross)
    throw Error("terms are chosen by a test of full moments; these are cross-only");
  if (of_candidates.sensitive_names() != candidates.names())
    throw Error("the sensitive columns of the moments are not the outputs of the expansion");
  const Covariance c = working_covariance(of_candidates, true);
  Beyond beyond(c, of_candidates.weight() / row);
  beyond.sweep(line_of(candidates));

  const std::vector<Expansion::Group> groups = candidates.groups();
  std::vector<TermTest> all;
  for (const Expansion::Group& group : groups) {
    all.push_back({.name = name_of(candidates, group)});
    beyond.test(consecutive(group.first, group.count), all.back());
  }
  std::vector<std::size_t> open;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (all[g].directions > 0) open.push_back(g);
  const std::vector<std::size_t> tested = open;
  const double level = kLevel / static_cast<double>(std::max<std::size_t>(tested.size(), 1));
  // Beyond the smallest double chances are alike, so the larger statistic for its degrees goes first then.
  const auto excess = [&](std::size_t g) {
    const auto degrees = static_cast<double>(all[g].directions * all[g].features);
    return (all[g].statistic - degrees) / std::sqrt(2 * degrees);
  };
  Places entered;
  while (!open.empty()) {
    const std::size_t next = *std::min_element(open.begin(), open.end(), [&](std::size_t g, std::size_t h) {
      return all[g].chance != all[h].chance ? all[g].chance < all[h].chance : excess(g) > excess(h);
    });
    if (!(all[next].chance <= level)) break;
    all[next].enters = true;
    entered.push_back(static_cast<Index>(next));
    std::erase(open, next);
    beyond.sweep(consecutive(groups[next].first, groups[next].count));
    for (const std::size_t g : open) {
      beyond.test(consecutive(groups[g].first, groups[g].count), all[g]);
      if (all[g].directions == 0) all[g].chance = 1;
    }
  }
  std::sort(entered.begin(), entered.end());

  const bool has_codes = std::any_of(candidates.columns().begin(), candidates.columns().end(),
                                     [](const Expansion::Column& column) { return column.is_code(); });
  ChosenTerms out;
  if (!entered.empty() || has_codes) out.expansion = candidates.with_groups(entered);
  out.moments = of_candidates.of_sensitive(out.expansion ? out.expansion->names() : candidates.input_names());
  for (const std::size_t g : tested) out.tests.push_back(std::move(all[g]));
  return out;
}

std::string ChosenTerms::note() const {
  if (tests.empty()) return "the sensitive columns have no terms beyond a line that could enter";
  std::vector<std::string> found;
  double least = 1;
  for (const TermTest& test : tests) {
    if (test.enters)
      found.push_back(fmt::format("{} (T = {:.4g}, chance {:.2g})", test.name, test.statistic, test.chance));
    if (!test.enters) least = std::min(least, test.chance);
  }
  const std::string tested = fmt::format("beyond a line in the sensitive columns {} {} tested", tests.size(),
                                         tests.size() == 1 ? "group of terms was" : "groups of terms were");
  if (found.empty()) return fmt::format("{}, and none enters: the least likely has a chance of {:.2g}", tested, least);
  return fmt::format("{}, and {} {}: {}", tested, found.size(), found.size() == 1 ? "enters" : "enter", listed(found));
}

}  // namespace plumbline
