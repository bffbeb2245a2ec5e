#include "debias/choose_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/chi_square.h"
#include "base/names.h"
#include "base/random_stream.h"
#include "debias/covariance.h"
#include "debias/linear_algebra.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;

constexpr double kLevel = 0.01;
constexpr double kNoDirection = 1e-10;  // of the variance of a column

constexpr double kNoSpread = 1e-6;  // of W

using Eigen::VectorXd;
using Places = std::vector<Index>;

Places consecutive(Index first, Index count) {
  Places out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), first);
  return out;
}

bool are_whole(std::span<const double> weights) {
  return std::all_of(weights.begin(), weights.end(), [](double w) { return w == std::floor(w); });
}

// The covariance of (φ(b), a), each of variance 1, beyond what has been swept out of it.
class Beyond {
 public:
  Beyond(const Covariance& c, double weight, const Expansion& phi, const TermRows& rows) : count_(weight - 1) {
    const Index p = c.bb.rows(), q = c.ba.cols();
    s_.resize(p + q, p + q);
    s_ << c.bb.cast<double>(), c.ba, c.ba.transpose(), *c.aa;
    set_rows(c, phi, rows);
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
    MatrixXd z = rows_(Eigen::all, pivots).transpose();
    solve_lower(own.l, z);
    rows_ -= z.transpose() * rows;
    for (const Index i : columns) {
      s_.row(i).setZero();
      s_.col(i).setZero();
      rows_.col(i).setZero();
    }
    count_ -= static_cast<double>(pivots.size());
    left_.reset();
  }

  void test(const Places& group, TermTest& out) {
    if (!left_) set_left();
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
    out.statistic = count_ * std::min(by_feature.squaredNorm(), with_spread(directions, own.l, by_feature));
    out.chance = chi_square_tail(out.statistic, static_cast<double>(out.directions * out.features));
  }

 private:
  void set_rows(const Covariance& c, const Expansion& phi, const TermRows& rows) {
    const Index p = c.bb.rows();
    rows_.resize(rows.a.rows(), s_.cols());
    if (rows.a.rows() == 0) return;
    rows_ << phi.transform(rows.b, rows.weights), rows.a;
    const auto set_units = [&](const Units& units, Index first) {
      for (Index j = 0; j < units.mean.size(); ++j)
        rows_.col(first + j) = (rows_.col(first + j).array() - units.mean[j]) / units.scale[j];
      for (const Index j : units.constant) rows_.col(first + j).setZero();
    };
    set_units(c.b, 0);
    set_units(c.a, p);
    weights_ = VectorXd::Ones(rows_.rows());
    if (rows.weights.empty()) return;
    // Whole weights count rows; of others the variance of a weighted mean has the squares.
    const bool whole = are_whole(rows.weights);
    for (Index i = 0; i < weights_.size(); ++i) {
      const double weight = rows.weights[static_cast<std::size_t>(i)];
      weights_[i] = whole ? weight : weight * weight;
      if (weight == 0) rows_.row(i).setZero();  // whatever it holds
    }
  }

  void set_left() {
    left_ = pivoted_cholesky(s_(features_, features_), kNoDirection);
    Places features;
    for (const Index i : left_->pivots) features.push_back(features_[static_cast<std::size_t>(i)]);
    MatrixXd r = rows_(Eigen::all, features).transpose();
    solve_lower(left_->l, r);
    spread_ = r.colwise().squaredNorm().transpose() / static_cast<double>(std::max<Index>(r.rows(), 1));
  }

  // T' over m; infinite without rows.
  double with_spread(const Places& directions, const MatrixXd& l, const MatrixXd& by_feature) const {
    const double sum = weights_.sum();
    if (!(sum > 0)) return HUGE_VAL;
    MatrixXd psi = rows_(Eigen::all, directions).transpose();
    solve_lower(l, psi);
    const MatrixXd w = psi * weights_.cwiseProduct(spread_ / sum).asDiagonal() * psi.transpose();
    const PivotedCholesky own = pivoted_cholesky(w, kNoSpread);
    MatrixXd c = by_feature.transpose()(own.pivots, Eigen::all);
    solve_lower(own.l, c);
    return c.squaredNorm();
  }

  MatrixXd s_;
  MatrixXd rows_;              // a sample of (φ(b), a), in the same units and beyond the same
  VectorXd weights_, spread_;  // of each of them: its weight, and rᵀ Σ_r⁺ r / q'
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
  for (const double w : weights) sum += w;
  if (are_whole(weights) || !(sum > 0)) return 1;
  for (const double w : weights) squares += w * (w / sum);
  return squares;
}

TermRows term_rows(const Columns& a, const Columns& b, std::span<const double> weights) {
  std::vector<std::pair<std::uint64_t, Index>> keys;
  for (Index i = 0; i < a.rows(); ++i) keys.emplace_back(mix(static_cast<std::uint64_t>(i)), i);
  const Index count = std::min(a.rows(), kTermRows);
  std::nth_element(keys.begin(), keys.begin() + count, keys.end());
  Places rows;
  for (Index i = 0; i < count; ++i) rows.push_back(keys[static_cast<std::size_t>(i)].second);
  std::sort(rows.begin(), rows.end());
  TermRows out{MatrixXd(count, a.cols()), MatrixXd(count, b.cols())};
  for (Index i = 0; i < count; ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    for (Index j = 0; j < a.cols(); ++j) out.a(i, j) = a(row, j);
    for (Index j = 0; j < b.cols(); ++j) out.b(i, j) = b(row, j);
    if (!weights.empty()) out.weights.push_back(weights[static_cast<std::size_t>(row)]);
  }
  return out;
}

ChosenTerms choose_terms(const Moments& of_candidates, const Expansion& candidates, double row, const TermRows& rows) {
  if (of_candidates.kind() == Moments::Kind::cross)
    throw Error("terms are chosen by a test of full moments; these are cross-only");
  if (of_candidates.sensitive_names() != candidates.names())
    throw Error("the sensitive columns of the moments are not the outputs of the expansion");
  const Covariance c = working_covariance(of_candidates, true);
  Beyond beyond(c, of_candidates.weight() / row, candidates, rows);
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

  ChosenTerms out{candidates.with_groups(entered), {}, {}};
  out.moments = of_candidates.of_sensitive(out.expansion.names());
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
