#include "debias/learn_location.h"

#include <algorithm>
#include <cmath>

#include "base/ordered.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kLocationTile = 2048;
constexpr double kRidge = 1;  // rows

}  // namespace

LocationLearner::LocationLearner(const DistributionParts& parts, const std::vector<double>& weights, Load load,
                                 int threads)
    : rows_(static_cast<Index>(weights.size())),
      regions_(parts.partition.regions()),
      sensitive_(parts.terms_of_b()),
      product_terms_(parts.product_terms),
      weights_(weights),
      load_(std::move(load)),
      threads_(threads) {
  for (Index k = 0; k < regions_; ++k) columns_.push_back({Part::region, k});
  for (Index l = 0; l < sensitive_; ++l) columns_.push_back({Part::sensitive, l});
}

// Products of the columns that are new with all, and of all with z, tile by tile.
VectorXd LocationLearner::extend(Index terms, Index numbers, const VectorXd& z) {
  for (Index t = terms_; t < terms; ++t) columns_.push_back({Part::term, t});
  for (Index m = numbers_; m < numbers; ++m)
    for (Index l = 0; l < product_terms_; ++l) columns_.push_back({Part::product, l, m});
  terms_ = terms;
  numbers_ = numbers;
  const auto all = static_cast<Index>(columns_.size()), old = factor_.rows(), added = all - old;
  MatrixXd products = MatrixXd::Zero(all, added);
  VectorXd moments = VectorXd::Zero(all);
  const Index tiles = (rows_ + kLocationTile - 1) / kLocationTile;
  const int threads = thread_count(threads_, tiles);
  struct Slot {
    MatrixXd design, products;
    VectorXd moments;
    RowState row;
  };
  std::vector<Slot> slots(static_cast<std::size_t>(threads));
  run_ordered(
      tiles, threads,
      [&](Index tile, int slot) {
        Slot& mine = slots[static_cast<std::size_t>(slot)];
        const Index first = tile * kLocationTile, count = std::min(kLocationTile, rows_ - first);
        mine.design.resize(all, count);
        for (Index i = 0; i < count; ++i) {
          load_(first + i, mine.row);
          double* const x = mine.design.col(i).data();
          std::fill_n(x, regions_, 0.0);
          const Partition::Range range = mine.row.b.range;
          std::copy_n(mine.row.b.weights.data(), range.count, x + range.first);
          std::copy_n(mine.row.b.terms.data(), sensitive_, x + regions_);
          for (Index c = regions_ + sensitive_; c < all; ++c) {
            const Column& column = columns_[static_cast<std::size_t>(c)];
            x[c] = column.part == Part::term ? mine.row.terms[static_cast<std::size_t>(column.at)]
                                             : mine.row.b.terms[static_cast<std::size_t>(column.at)] *
                                                   mine.row.numbers[static_cast<std::size_t>(column.number)];
          }
        }
        const auto w = Eigen::Map<const VectorXd>(weights_.data() + first, count);
        mine.moments = mine.design * w.cwiseProduct(z.segment(first, count));
        if (added > 0) mine.products = mine.design * (mine.design.bottomRows(added) * w.asDiagonal()).transpose();
      },
      [&](Index, int slot) {
        const Slot& mine = slots[static_cast<std::size_t>(slot)];
        moments += mine.moments;
        if (added > 0) products += mine.products;
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

void LocationLearner::learn(DistributionStep& step, const VectorXd& z) {
  RowState first;
  load_(0, first);
  VectorXd moments = extend(static_cast<Index>(first.terms.size()), static_cast<Index>(first.numbers.size()), z);
  factor_.triangularView<Eigen::Lower>().solveInPlace(moments);
  factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(moments);

  step.of_regions.assign(static_cast<std::size_t>(regions_), 0.0);
  step.of_sensitive.assign(static_cast<std::size_t>(sensitive_), 0.0);
  step.of_terms.assign(static_cast<std::size_t>(terms_), 0.0);
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
}

// The leading block of the factor is the factor of the leading columns.
void LocationLearner::learn_scale(DistributionStep& step, const VectorXd& sizes) {
  const Index count = regions_ + sensitive_;
  VectorXd moments = extend(terms_, numbers_, sizes).head(count);
  const auto factor = factor_.topLeftCorner(count, count).triangularView<Eigen::Lower>();
  factor.solveInPlace(moments);
  factor.transpose().solveInPlace(moments);
  step.scale.assign(moments.data(), moments.data() + regions_);
  step.scale_of_sensitive.assign(moments.data() + regions_, moments.data() + count);
}

}  // namespace plumbline
