#include "debias/learning_rows.h"

#include <fmt/format.h>

#include <cmath>

#include "base/finite.h"
#include "base/weights.h"
#include "debias/learn_values.h"

namespace plumbline {
namespace {

constexpr Index kLeastRows = 20;

}  // namespace

LearningRows::LearningRows(const Columns& all_a, const Columns& all_b, const std::vector<FeatureGroup>& groups,
                           std::span<const double> all_weights, int how_many)
    : threads(how_many) {
  std::vector<std::string> names, sensitive;
  for (const FeatureGroup& g : groups)
    for (Index k = 0; k < g.width; ++k) names.push_back(g.name);
  for (Index l = 0; l < all_b.cols(); ++l) sensitive.push_back(fmt::format("b{}", l));
  check_finite(all_a, names, 0, all_a.rows());
  check_finite(all_b, sensitive, 0, all_b.rows());
  check_some_weight(all_weights, all_a.rows());
  std::vector<Index> kept;
  double total = 0;
  for (Index i = 0; i < all_a.rows(); ++i) {
    const double w = all_weights.empty() ? 1 : all_weights[static_cast<std::size_t>(i)];
    if (!(w > 0)) continue;
    kept.push_back(i);
    weights.push_back(w);
    total += w;
  }
  const auto n = static_cast<Index>(kept.size());
  if (n < kLeastRows)
    throw Error(fmt::format("the law of the features is learned from {} or more rows, and there {} {}", kLeastRows,
                            n == 1 ? "is" : "are", n));
  for (double& w : weights) w *= static_cast<double>(n) / total;
  a.resize(n, all_a.cols());
  b.resize(n, all_b.cols());
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < a.cols(); ++j) a(i, j) = all_a(kept[static_cast<std::size_t>(i)], j);
    for (Index l = 0; l < b.cols(); ++l) b(i, l) = all_b(kept[static_cast<std::size_t>(i)], l);
  }
  x = RowMajor::Zero(n, static_cast<Index>(groups.size()));
}

void LearningRows::place_sensitive(DistributionParts& to, const PartitionOptions& options) {
  bool varies = false;
  to.features = a.cols();
  to.sensitive = b.cols();
  for (Index l = 0; l < b.cols(); ++l) {
    const NumberLook look = look_at(b.col(l), weights);
    to.centre_b.push_back(look.mean);
    to.sd_b.push_back(look.sd > 0 ? look.sd : 1);
    varies = varies || look.sd > 0;
    to.hinges_b.emplace_back();
  }
  if (!varies) throw Error("every sensitive column is constant, so that no feature can depend on them");
  to.partition = Partition::fit(b, options, weights);
  if (to.partition.regions() < 2)
    throw Error(fmt::format("{} rows are too few to tell values of the sensitive columns apart: least_rows is {}",
                            rows(), options.least_rows));
  parts = &to;
  RowState state;
  for (Index i = 0; i < rows(); ++i) {
    state.start(to, {a.row(i).data(), static_cast<std::size_t>(a.cols())},
                {b.row(i).data(), static_cast<std::size_t>(b.cols())});
    keys_.push_back(state.key);
    ranges_.push_back(state.b.range);
    offsets_.push_back(shares_.size());
    shares_.insert(shares_.end(), state.b.weights.begin(), state.b.weights.begin() + state.b.range.count);
  }
}

double LearningRows::place(Index i, Index group, int draw) const {
  RowState state;
  state.key = keys_[static_cast<std::size_t>(i)];
  return state.place(group, draw);
}

void LearningRows::place_terms() {
  const Index regions = parts->partition.regions(), terms = parts->terms_of_b();
  of_b = Eigen::MatrixXd::Zero(rows(), regions + terms);
  SensitivePlace place;
  for (Index i = 0; i < rows(); ++i) {
    const auto [range, shares] = regions_of(i);
    for (Index k = 0; k < range.count; ++k) of_b(i, range.first + k) = shares[k];
    place.set_terms(*parts, b.row(i).data());
    for (Index t = 0; t < terms; ++t) of_b(i, regions + t) = place.terms[static_cast<std::size_t>(t)];
  }
}

void LearningRows::load(Index i, RowState& state) const {
  const auto [range, shares] = regions_of(i);
  state.key = keys_[static_cast<std::size_t>(i)];
  state.b.range = range;
  state.b.weights.resize(static_cast<std::size_t>(parts->partition.regions()));
  std::copy_n(shares, range.count, state.b.weights.data());
  state.x.assign(x_of(i), x_of(i) + done);
  state.terms.clear();
  state.numbers.clear();
}

double LearningRows::explained(Index column, const FeatureGroup& group) const {
  const Index K = parts->partition.regions(), width = group.width;
  Eigen::MatrixXd y = a.middleCols(column, width).transpose();
  if (!group.is_category) y = number_targets(a.col(column), weights, false).topRows(1);
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(width, K);
  Eigen::VectorXd totals = Eigen::VectorXd::Zero(K), mean = Eigen::VectorXd::Zero(width);
  double squares = 0;
  for (Index i = 0; i < rows(); ++i) {
    mean += weight(i) * y.col(i);
    squares += weight(i) * y.col(i).squaredNorm();
    for_each_region(i, [&](Index k, double w) {
      sums.col(k) += w * y.col(i);
      totals[k] += w;
    });
  }
  const double level = mean.squaredNorm() / totals.sum(), all = squares - level;
  if (!(all > 1e-12 * squares)) return 0;
  double between = -level;
  for (Index k = 0; k < K; ++k)
    if (totals[k] > 0) between += sums.col(k).squaredNorm() / totals[k];
  return std::clamp(between / all, 0.0, 1.0);
}

}  // namespace plumbline
