#include "debias/learn_location.h"

#include <algorithm>
#include <cmath>

#include "base/ordered.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kLocationTile = 256;
constexpr double kRidge = 1;          // rows
constexpr double kLeastScale = 1e-3;  // of the mean one
constexpr double kLeastSize = 1e-12;

}  // namespace

LocationLearner::LocationLearner(const LearningRows& rows)
    : rows_(rows),
      regions_(rows.parts->partition.regions()),
      sensitive_(rows.parts->terms_of_b()),
      product_terms_(rows.parts->product_terms),
      weights_of_regions_(rows.of_b.leftCols(regions_).transpose() *
                          Eigen::Map<const VectorXd>(rows.weights.data(), rows.rows())) {
  for (Index k = 0; k < regions_; ++k) columns_.push_back({Part::region, k});
  for (Index l = 0; l < sensitive_; ++l) columns_.push_back({Part::sensitive, l});
}

// Those that are done.
void LocationLearner::enter_groups() {
  const Index before = numbers_;
  for (; groups_ < rows_.done; ++groups_) {
    const DistributionStep& step = rows_.parts->steps[static_cast<std::size_t>(groups_)];
    for (Index t = 0; t < step.terms; ++t) {
      const auto term = static_cast<Index>(columns_of_terms_.size());
      columns_of_terms_.push_back(static_cast<Index>(columns_.size()));
      columns_.push_back({Part::term, term});
    }
    numbers_ += numbers_of(*rows_.parts, step);
  }
  for (Index m = before; m < numbers_; ++m)
    for (Index l = 0; l < product_terms_; ++l) columns_.push_back({Part::product, l, m});
}

void LocationLearner::fill(Index first, Tile& tile) const {
  MatrixXd& x = tile.design;
  const Index count = x.rows();
  x.leftCols(regions_ + sensitive_) = rows_.of_b.middleRows(first, count);
  if (x.cols() == regions_ + sensitive_) return;
  const DistributionParts& parts = *rows_.parts;
  tile.numbers.resize(count, numbers_ + 1);
  Index number = 0;
  auto column = columns_of_terms_.begin();
  for (Index s = 0; s < groups_; ++s) {
    const DistributionStep& step = parts.steps[static_cast<std::size_t>(s)];
    const auto values = rows_.x.col(s).segment(first, count).array();
    if (step.kind == StepKind::category)
      for (Index l = 0; l < step.terms; ++l)
        x.col(*column++) = (values == static_cast<double>(l)).template cast<double>().matrix();
    if (!step.is_number()) continue;
    auto z = tile.numbers.col(number++);
    z = (values - step.centre) / step.sd;
    if (step.terms == 0) continue;
    x.col(*column++) = z;
    for (const double hinge : step.hinges) {
      auto term = x.col(*column++);
      term = (z.array() - hinge).max(0.0).matrix();
      if (parts.has_hinge_products) tile.numbers.col(number++) = term;
    }
  }
  for (std::size_t c = 0; product_terms_ > 0 && c < columns_.size(); ++c)
    if (columns_[c].part == Part::product)
      x.col(static_cast<Index>(c)) =
          x.col(regions_ + columns_[c].at).cwiseProduct(tile.numbers.col(columns_[c].number));
}

// Calls work(first row, tile) for tiles of rows with their leading columns, and sum(tile) in their order.
template <class Work, class Sum>
void LocationLearner::for_each_tile(Index columns, const Work& work, const Sum& sum) const {
  const Index tiles = (rows_.rows() + kLocationTile - 1) / kLocationTile;
  const int threads = thread_count(rows_.threads, tiles);
  std::vector<Tile> slots(static_cast<std::size_t>(threads));
  run_ordered(
      tiles, threads,
      [&](Index at, int slot) {
        Tile& tile = slots[static_cast<std::size_t>(slot)];
        const Index first = at * kLocationTile;
        tile.design.resize(std::min(kLocationTile, rows_.rows() - first), columns);
        fill(first, tile);
        work(first, tile);
      },
      [&](Index, int slot) { sum(slots[static_cast<std::size_t>(slot)]); });
}

// Products of the columns that are new with all, and of all with z.
VectorXd LocationLearner::extend(const VectorXd& z) {
  enter_groups();
  const auto all = static_cast<Index>(columns_.size()), added = all - factor_.rows();
  MatrixXd products = MatrixXd::Zero(all, added);
  VectorXd moments = VectorXd::Zero(all);
  for_each_tile(
      all,
      [&](Index first, Tile& tile) {
        const Index count = tile.design.rows();
        const auto w = Eigen::Map<const VectorXd>(rows_.weights.data() + first, count);
        tile.moments = tile.design.transpose() * w.cwiseProduct(z.segment(first, count));
        if (added > 0) tile.products = tile.design.transpose() * (w.asDiagonal() * tile.design.rightCols(added));
      },
      [&](const Tile& tile) {
        moments += tile.moments;
        if (added > 0) products += tile.products;
      });
  if (added > 0) factor(products);
  return moments;
}

// Appends rows to the Cholesky factor. A column that is all but spanned by others gets no coefficient to speak of.
void LocationLearner::factor(const MatrixXd& products) {
  const Index old = factor_.rows(), all = products.rows();
  MatrixXd grown = MatrixXd::Zero(all, all);
  grown.topLeftCorner(old, old) = factor_;
  for (Index i = old; i < all; ++i) {
    VectorXd row = products.col(i - old).head(i + 1);
    const double diagonal = row[i] + kRidge;
    if (i > 0) {
      VectorXd part = row.head(i);
      grown.topLeftCorner(i, i).triangularView<Eigen::Lower>().solveInPlace(part);
      grown.row(i).head(i) = part.transpose();
    }
    grown(i, i) = std::sqrt(std::max(diagonal - grown.row(i).head(i).squaredNorm(), kRidge / 2));
  }
  factor_ = std::move(grown);
}

LocationLearner::Locations LocationLearner::learn(DistributionStep& step, const VectorXd& z) {
  VectorXd moments = extend(z);
  factor_.triangularView<Eigen::Lower>().solveInPlace(moments);
  factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(moments);

  step.of_regions.assign(static_cast<std::size_t>(regions_), 0.0);
  step.of_sensitive.assign(static_cast<std::size_t>(sensitive_), 0.0);
  step.of_terms.assign(columns_of_terms_.size(), 0.0);
  step.of_products.assign(static_cast<std::size_t>(product_terms_ * numbers_), 0.0);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    std::vector<double>& to = column.part == Part::region      ? step.of_regions
                              : column.part == Part::sensitive ? step.of_sensitive
                              : column.part == Part::term      ? step.of_terms
                                                               : step.of_products;
    const Index at = column.part == Part::product ? column.at * numbers_ + column.number : column.at;
    to[static_cast<std::size_t>(at)] = moments[static_cast<Index>(c)];
  }

  VectorXd of_terms = VectorXd::Zero(moments.size());
  for (const Index c : columns_of_terms_) std::swap(of_terms[c], moments[c]);
  Locations out{VectorXd(rows_.rows()), VectorXd(rows_.rows())};
  for_each_tile(
      moments.size(),
      [&](Index first, Tile& tile) {
        out.base.segment(first, tile.design.rows()) = tile.design * of_terms;
        out.of_b.segment(first, tile.design.rows()) = tile.design * moments;
      },
      [](const Tile&) {});
  return out;
}

// The leading block of the factor is the factor of the leading columns.
VectorXd LocationLearner::learn_scale(DistributionStep& step, const VectorXd& sizes) {
  const Index count = regions_ + sensitive_;
  const auto weights = Eigen::Map<const VectorXd>(rows_.weights.data(), rows_.rows());
  VectorXd moments = VectorXd::Zero(count);
  for_each_tile(
      count,
      [&](Index first, Tile& tile) {
        const Index rows = tile.design.rows();
        tile.moments = tile.design.transpose() * weights.segment(first, rows).cwiseProduct(sizes.segment(first, rows));
      },
      [&](const Tile& tile) { moments += tile.moments; });
  const double size = std::max(weights.dot(sizes) / weights.sum(), kLeastSize);
  const VectorXd of_regions =
      ((moments.head(regions_).array() + size) / (weights_of_regions_.array() + 1)).max(kLeastScale * size);
  step.sizes.assign(of_regions.begin(), of_regions.end());
  const auto factor = factor_.topLeftCorner(count, count).triangularView<Eigen::Lower>();
  factor.solveInPlace(moments);
  factor.transpose().solveInPlace(moments);
  step.scale.assign(moments.data(), moments.data() + regions_);
  step.scale_of_sensitive.assign(moments.data() + regions_, moments.data() + count);

  VectorXd out(rows_.rows());
  for_each_tile(
      count,
      [&](Index first, Tile& tile) {
        const VectorXd least = tile.design.leftCols(regions_) * (of_regions / 2);
        out.segment(first, least.size()) = (tile.design * moments).cwiseMax(least).cwiseMin(4 * least);
      },
      [](const Tile&) {});
  return out;
}

}  // namespace plumbline
