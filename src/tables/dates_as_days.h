// A source in which one column of text is numbers: the days of its dates, counted from 1970, and missing cells where
// there is no date (tables/iso_date.h).
#pragma once

#include <string>
#include <vector>

#include "tables/chunk_source.h"

namespace plumbline {

class DatesAsDays final : public ChunkSource {
 public:
  // The source must outlive this.
  DatesAsDays(ChunkSource& source, Index column) : source_(source), column_(static_cast<std::size_t>(column)) {}

  const std::vector<std::string>& names() const override { return source_.names(); }
  std::string called() const override { return source_.called(); }
  std::optional<ColumnKind> kind(Index column) const override;
  std::optional<Index> rows() const override { return source_.rows(); }
  void allow_rereading() override { source_.allow_rereading(); }
  void scan(const std::vector<CellPlan>& plan, int threads, const Step& work, const Step& commit,
            const ScanProgress& progress) override;
  std::string place(const Chunk& chunk, int slot, Index row, Index column) const override {
    return source_.place(chunk, slot, row, column);
  }

 private:
  ChunkSource& source_;
  std::size_t column_;
};

}  // namespace plumbline
