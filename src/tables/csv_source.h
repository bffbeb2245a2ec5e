// The rows of CSV files (csv/csv_table.h) as chunks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "csv/csv_table.h"
#include "tables/chunk_source.h"

namespace plumbline {

class CsvSource final : public ChunkSource {
 public:
  explicit CsvSource(CsvTable table);

  const CsvTable& table() const { return table_; }
  const CsvDialect& dialect() const { return table_.dialect(); }

  const std::vector<std::string>& names() const override { return table_.names(); }
  std::string called() const override;
  std::optional<ColumnKind> kind(Index /*column*/) const override { return std::nullopt; }
  void allow_rereading() override { table_.allow_rereading(); }
  void scan(const std::vector<CellPlan>& plan, int threads, const Step& work, const Step& commit,
            const ScanProgress& progress) override;
  std::string place(const Chunk& chunk, int slot, Index row, Index column) const override;

 private:
  CsvTable table_;
  std::vector<const TableChunk*> parsed_;  // of each slot
};

}  // namespace plumbline
