// The rows that a Distribution is learned from, with the groups that are done.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ordered.h"
#include "debias/conditional_law.h"
#include "debias/distribution_step.h"
#include "plumbline/distribution.h"

namespace plumbline {

class LearningRows {
 public:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  // Rows of positive weight; weights are scaled to a mean of 1. Throws Error for cells that are not finite, and for
  // fewer rows than laws can be learned from.
  LearningRows(const Columns& a, const Columns& b, const std::vector<FeatureGroup>& groups,
               std::span<const double> weights, int threads);

  // Sets the sensitive side of `parts`. Throws Error if b is constant.
  void place_sensitive(DistributionParts& parts, const PartitionOptions& options);

  Index rows() const { return a.rows(); }
  double weight(Index i) const { return weights[static_cast<std::size_t>(i)]; }
  const double* x_of(Index i) const { return x.row(i).data(); }
  double place(Index i, Index group, int draw) const;

  // Sets of_b, when `parts` knows the terms of b.
  void place_terms();
  std::pair<Partition::Range, const double*> regions_of(Index i) const {
    const auto row = static_cast<std::size_t>(i);
    return {ranges_[row], shares_.data() + offsets_[row]};
  }

  // The key of a row, its regions, and x of the groups that are done; no terms.
  void load(Index i, RowState& state) const;

  // Calls work(i, state) for all rows, in parallel.
  template <class Work>
  void for_each(const Work& work) const;

  // Calls work(i) for all rows, in parallel.
  template <class Work>
  void for_each_row(const Work& work) const;

  // Calls count(k, w) with the share of the row's weight that belongs to region k, for regions from `first` to `end`.
  template <class Count>
  void for_each_region(Index i, const Count& count, Index first = 0, Index end = kAllRegions) const {
    const auto [range, shares] = regions_of(i);
    for (Index k = std::max(first, range.first); k < std::min(end, range.first + range.count); ++k)
      if (const double w = weight(i) * shares[k - range.first]; w > 0) count(k, w);
  }

  // How much of a group regions explain, 0 to 1: of the variance of a number's ranks, or of the indicators of a
  // category.
  double explained(Index column, const FeatureGroup& group) const;

  RowMajor a, b;
  Eigen::MatrixXd of_b;  // w(b) and t(b)
  RowMajor x;            // of the groups that are done
  Index done = 0;        // so many
  std::vector<double> weights;
  const DistributionParts* parts = nullptr;
  int threads;

 private:
  static constexpr Index kRowsOfTile = 1024, kAllRegions = std::numeric_limits<Index>::max();

  std::vector<std::uint64_t> keys_;
  std::vector<Partition::Range> ranges_;
  std::vector<std::size_t> offsets_;
  std::vector<double> shares_;
};

template <class Work>
void LearningRows::for_each_row(const Work& work) const {
  const Index tiles = (rows() + kRowsOfTile - 1) / kRowsOfTile;
  run_parallel(tiles, thread_count(threads, tiles), [&](Index tile, int) {
    for (Index i = tile * kRowsOfTile; i < std::min(rows(), (tile + 1) * kRowsOfTile); ++i) work(i);
  });
}

template <class Work>
void LearningRows::for_each(const Work& work) const {
  const Index tiles = (rows() + kRowsOfTile - 1) / kRowsOfTile;
  const int count = thread_count(threads, tiles);
  std::vector<RowState> states(static_cast<std::size_t>(count));
  run_parallel(tiles, count, [&](Index tile, int slot) {
    RowState& state = states[static_cast<std::size_t>(slot)];
    for (Index i = tile * kRowsOfTile; i < std::min(rows(), (tile + 1) * kRowsOfTile); ++i) {
      load(i, state);
      work(i, state);
    }
  });
}

}  // namespace plumbline
