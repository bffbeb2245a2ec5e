#include "tables/row_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random_stream.h"
#include "tables/learn_encoding.h"

namespace plumbline {

RowSample::RowSample(Index features, Index sensitive, Index size)
    : features_(features), sensitive_(sensitive), size_(size), most_(std::numeric_limits<std::uint64_t>::max()) {}

RowSample::RowSample(Index size, std::int64_t first, std::uint64_t most)
    : features_(-1), sensitive_(-1), size_(size), rows_(first), most_(most) {}

// Of so many rows hardly ever fewer than the sample's have a key up to it: to read cells that are dropped again takes
// longer than all keys.
std::uint64_t RowSample::bound_for(Index rows) const {
  const auto wanted = static_cast<double>(size_);
  const double share = (wanted + 8 * std::sqrt(wanted)) / static_cast<double>(rows);
  constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();
  if (rows_ > 0 || share > 0.5) return kAll;
  const auto bound = static_cast<std::uint64_t>(std::ldexp(share, 64));
  Index count = 0;
  for (Index i = 0; i < rows; ++i) count += mix(static_cast<std::uint64_t>(i)) <= bound ? 1 : 0;
  return count >= size_ ? bound : kAll;
}

void RowSample::add(const Columns& a, const Columns& b, std::span<const double> weights) {
  if (features_ < 0) {
    features_ = a.cols();
    sensitive_ = b.cols();
  }
  is_weighted_ = is_weighted_ || !weights.empty();
  most_ = std::min(most_, bound_for(a.rows()));
  for (Index i = 0; i < a.rows(); ++i) {
    const std::uint64_t key = mix(static_cast<std::uint64_t>(rows_++));
    if (key > most_) continue;
    keys_.emplace_back(key, static_cast<Index>(keys_.size()));
    for (Index j = 0; j < features_; ++j) cells_.push_back(a(i, j));
    for (Index l = 0; l < sensitive_; ++l) cells_.push_back(b(i, l));
    cells_.push_back(weights.empty() ? 1.0 : weights[static_cast<std::size_t>(i)]);
    if (static_cast<Index>(keys_.size()) == 2 * size_) drop_latest();
  }
}

// Keeps the rows of the least keys, in their order.
void RowSample::drop_latest() {
  if (static_cast<Index>(keys_.size()) <= size_) return;
  std::nth_element(keys_.begin(), keys_.begin() + size_ - 1, keys_.end());
  keys_.resize(static_cast<std::size_t>(size_));
  most_ = keys_.back().first;
  std::sort(keys_.begin(), keys_.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
  const Index width = features_ + sensitive_ + 1;
  for (Index i = 0; i < size_; ++i) {
    Index& place = keys_[static_cast<std::size_t>(i)].second;
    std::copy_n(cells_.begin() + place * width, width, cells_.begin() + i * width);
    place = i;
  }
  cells_.resize(static_cast<std::size_t>(size_ * width));
}

SampledRows RowSample::take() {
  drop_latest();
  const auto rows = static_cast<Index>(keys_.size());
  if (features_ < 0) return SampledRows{{}, {}, {}, rows_};
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor> cells(cells_.data(), rows, features_ + sensitive_ + 1);
  SampledRows out{cells.leftCols(features_), cells.middleCols(features_, sensitive_), {}, rows_};
  if (is_weighted_) {
    const Eigen::VectorXd weights = cells.col(features_ + sensitive_);
    out.weights.assign(weights.begin(), weights.end());
  }
  for (const auto& [key, place] : keys_) out.keys.push_back(key);
  return out;
}

SampledRows SampledRows::only(const std::vector<Index>& which) const {
  SampledRows out{a(which, Eigen::all), b(which, Eigen::all), {}, rows};
  for (const Index i : which) {
    if (!weights.empty()) out.weights.push_back(weights[static_cast<std::size_t>(i)]);
    out.keys.push_back(keys[static_cast<std::size_t>(i)]);
  }
  return out;
}

SampledRows sample_rows(ChunkSource& source, const Placement& placement, const Encoding& encoding, Index size,
                        const ReadOptions& options, Sampled columns) {
  const RowEncoder encoder(encoding, placement, source);
  const Index features = columns == Sampled::sensitive ? 0 : encoder.features();
  RowSample sample(features, encoder.sensitive(), size);
  LackingCells lacking;
  std::int64_t dropped = 0;
  scan_encoded(
      source, encoder, options, [](EncodedRows&) {},
      [&](const EncodedRows& rows) {
        sample.add(rows.features(), rows.sensitive(), rows.weights);
        lacking.add(rows);
        dropped += rows.dropped;
      });
  SampledRows out = sample.take();
  require_rows(source, out.rows, dropped, lacking.most(source));
  return out;
}

}  // namespace plumbline
