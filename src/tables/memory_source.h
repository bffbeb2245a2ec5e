// Tables that lie in memory, batch by batch: arrays, frames, and what other programs hand over.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tables/chunk_source.h"

namespace plumbline {

class MemorySource final : public ChunkSource {
 public:
  // What a column may be that its kind does not tell: text is a category, unless it is a name or a date; integers may
  // be more than doubles can tell apart.
  enum class Doubt { none, text, beyond_double };

  struct Column {
    Cells cells;
    std::optional<ColumnKind> kind = ColumnKind::number;  // none: of whatever kind is wanted
    Doubt doubt = Doubt::none;
  };

  // `first_row` is the number of its first row, in sentences.
  MemorySource(std::string called, std::vector<std::string> names, Index first_row = 0);

  // The owner keeps the cells alive. Columns of nothing but missing cells are of no kind. Throws Error if a column is a
  // category in one batch and a number in another.
  void add(Index rows, const std::vector<Column>& columns, std::shared_ptr<const void> owner);

  const std::vector<std::string>& names() const override { return names_; }
  std::string called() const override { return called_; }
  std::optional<ColumnKind> kind(Index column) const override { return kinds_[static_cast<std::size_t>(column)]; }
  std::optional<Index> rows() const override { return rows_; }
  Doubt doubt(Index column) const { return doubts_[static_cast<std::size_t>(column)]; }

  // The first texts of a category, `most` or as many as there are; empty where a cell is missing.
  std::vector<std::string_view> head(Index column, std::size_t most) const;
  void allow_rereading() override {}
  void scan(const std::vector<CellPlan>& plan, int threads, const Step& work, const Step& commit,
            const ScanProgress& progress) override;
  std::string place(const Chunk& chunk, int slot, Index row, Index column) const override;
  std::optional<Columns> matrix(const std::vector<Index>& columns) const override;

 private:
  struct Batch {
    Index rows = 0;
    std::vector<Cells> columns;
    std::shared_ptr<const void> owner;
  };

  std::string called_;
  std::vector<std::string> names_;
  std::vector<std::optional<ColumnKind>> kinds_;
  std::vector<Doubt> doubts_;
  Index first_row_ = 0, rows_ = 0;
  std::vector<Batch> batches_;
};

}  // namespace plumbline
