#include "tables/row_batches.h"

#include <algorithm>

namespace plumbline {
namespace {

constexpr Index kLeafRows = 4096;
constexpr Index kMostLeaves = 4;
constexpr Index kBatchCells = Index{2} << 20;  // 16 MB, unless one leaf is larger

}  // namespace

RowBatches::RowBatches(Index features, Index sensitive, Use use)
    : features_(features),
      sensitive_(sensitive),
      size_(kLeafRows * std::clamp<Index>(kBatchCells / (kLeafRows * (features + sensitive)), 1, kMostLeaves)),
      use_(std::move(use)) {}

void RowBatches::add(const EncodedRows& rows) {
  for (Index first = 0; first < rows.rows;) {
    const Index count = std::min(size_ - rows_, rows.rows - first);
    const auto append = [&](std::vector<double>& to, const std::vector<double>& from, Index width) {
      const auto begin = from.begin() + first * width;
      to.insert(to.end(), begin, begin + count * width);
    };
    append(a_, rows.a, features_);
    append(b_, rows.b, sensitive_);
    if (!rows.weights.empty()) append(weights_, rows.weights, 1);
    rows_ += count;
    first += count;
    if (rows_ == size_) hand_on();
  }
}

void RowBatches::finish() {
  if (rows_ > 0) hand_on();
}

void RowBatches::hand_on() {
  use_({Columns(a_.data(), rows_, features_, features_, 1), Columns(b_.data(), rows_, sensitive_, sensitive_, 1),
        weights_});
  a_.clear();
  b_.clear();
  weights_.clear();
  rows_ = 0;
}

}  // namespace plumbline
