#include "tables/row_batches.h"

#include <algorithm>
#include <limits>

#include "base/ordered.h"

namespace plumbline {
namespace {

constexpr Index kLeafRows = 4096;
constexpr Index kMostLeaves = 4;
constexpr Index kBatchCells = Index{2} << 20;  // 16 MB, unless one leaf is larger

}  // namespace

RowBatches::RowBatches(Index features, Index sensitive, Use use, Index extra)
    : features_(features),
      sensitive_(sensitive),
      extra_(extra),
      size_(kLeafRows * std::clamp<Index>(kBatchCells / (kLeafRows * (features + sensitive)), 1, kMostLeaves)),
      use_(std::move(use)) {}

void RowBatches::add(const EncodedRows& rows) {
  a_.resize(static_cast<std::size_t>(size_ * features_));
  b_.resize(static_cast<std::size_t>(size_ * sensitive_));
  extra_cells_.resize(static_cast<std::size_t>(size_ * extra_));
  for (Index first = 0; first < rows.rows;) {
    const Index count = std::min(size_ - rows_, rows.rows - first);
    const auto append = [&](std::vector<double>& to, const std::vector<double>& from, Index columns) {
      for (Index j = 0; j < columns; ++j)
        std::copy_n(from.data() + j * rows.lead + first, count, to.data() + j * size_ + rows_);
    };
    append(a_, rows.a, features_);
    append(b_, rows.b, sensitive_);
    append(extra_cells_, rows.extra, extra_);
    if (!rows.weights.empty()) {
      const auto begin = rows.weights.begin() + first;
      weights_.insert(weights_.end(), begin, begin + count);
    }
    rows_ += count;
    first += count;
    if (rows_ == size_) hand_on();
  }
}

void RowBatches::finish() {
  if (rows_ > 0) hand_on();
}

void RowBatches::hand_on() {
  use_({Columns(a_.data(), rows_, features_, 1, size_), Columns(b_.data(), rows_, sensitive_, 1, size_), weights_,
        Columns(extra_cells_.data(), rows_, extra_, 1, size_)});
  weights_.clear();
  rows_ = 0;
}

void LackingCells::add(const EncodedRows& rows) {
  if (rows.dropped == 0) return;
  cells_.resize(rows.lacking.size());
  for (std::size_t j = 0; j < cells_.size(); ++j) cells_[j] += rows.lacking[j];
}

std::string LackingCells::most(const ChunkSource& source) const {
  const auto at = std::max_element(cells_.begin(), cells_.end());
  return at == cells_.end() ? "" : source.names()[static_cast<std::size_t>(at - cells_.begin())];
}

void scan_encoded(ChunkSource& source, const RowEncoder& encoder, const ReadOptions& options,
                  const std::function<void(EncodedRows&)>& work,
                  const std::function<void(const EncodedRows&)>& commit) {
  const int threads = thread_count(options.threads, std::numeric_limits<Index>::max());
  std::vector<EncodedRows> rows(static_cast<std::size_t>(threads));
  source.scan(
      encoder.plan(), threads,
      [&](const Chunk& chunk, int slot) {
        encoder.encode(chunk, rows[static_cast<std::size_t>(slot)]);
        work(rows[static_cast<std::size_t>(slot)]);
      },
      [&](const Chunk& chunk, int slot) {
        const EncodedRows& encoded = rows[static_cast<std::size_t>(slot)];
        commit(encoded);
        if (encoded.problem) refuse(*encoded.problem, source, chunk, slot);
      },
      options.progress);
}

}  // namespace plumbline
