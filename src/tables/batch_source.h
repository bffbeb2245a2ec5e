// Tables that lie in memory, or come in batches that do: arrays, frames and streams of other programs.
//
// A table may have further columns beside it, row by row, that come from elsewhere: sensitive columns that are given
// apart, or weights. Their names stand after its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tables/chunk_source.h"

namespace plumbline {

// Some rows, with what keeps their cells alive.
struct Batch {
  Index rows = 0;
  std::vector<Cells> columns;
  std::shared_ptr<const void> owner;
};

class BatchSource : public ChunkSource {
 public:
  // `first_row` is the number of its first row, in sentences.
  BatchSource(std::string called, std::vector<std::string> names, Index first_row = 0);

  // Throws Error if the two have a name in common. It must not be a stream that can be read once only.
  void put_beside(std::shared_ptr<BatchSource> other);

  const std::vector<std::string>& names() const final { return names_; }
  std::string called() const final { return called_; }
  std::optional<ColumnKind> kind(Index column) const final;
  std::optional<Index> rows() const override = 0;
  void allow_rereading() override = 0;
  void scan(const std::vector<CellPlan>& plan, int threads, const Step& work, const Step& commit,
            const ScanProgress& progress) final;
  std::string place(const Chunk& chunk, int slot, Index row, Index column) const final;
  std::optional<Columns> matrix(const std::vector<Index>& columns) const final;

 protected:
  virtual std::optional<ColumnKind> own_kind(Index column) const = 0;

  // Batch by batch from the first on, each with the cells of its own columns that are planned; nothing at the end.
  using Next = std::function<std::optional<Batch>()>;
  virtual Next start(const std::vector<CellPlan>& plan) = 0;

  // The one batch of a table that has one; nothing else lies in memory as a matrix.
  virtual const Batch* only_batch() const { return nullptr; }

  Index own_columns() const { return own_; }

 private:
  class Cutter;

  std::string called_;
  std::vector<std::string> names_;
  Index own_ = 0, first_row_ = 0;
  std::shared_ptr<BatchSource> beside_;
};

// Arrays, and columns of numbers and codes.
class MemorySource final : public BatchSource {
 public:
  struct Column {
    Cells cells;
    std::optional<ColumnKind> kind = ColumnKind::number;  // none: of whatever kind is wanted
  };

  using BatchSource::BatchSource;

  // Columns of nothing but missing cells are of no kind. Throws Error if a column is a category in one batch and a
  // number in another.
  void add(Index rows, const std::vector<Column>& columns, std::shared_ptr<const void> owner);

  std::optional<Index> rows() const override { return rows_; }
  void allow_rereading() override {}

 protected:
  std::optional<ColumnKind> own_kind(Index column) const override {
    return kinds_.empty() ? std::nullopt : kinds_[static_cast<std::size_t>(column)];
  }
  Next start(const std::vector<CellPlan>& plan) override;
  const Batch* only_batch() const override { return batches_.size() == 1 ? batches_.data() : nullptr; }

 private:
  Index rows_ = 0;
  std::vector<std::optional<ColumnKind>> kinds_;
  std::vector<Batch> batches_;
};

}  // namespace plumbline
