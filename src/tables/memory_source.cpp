#include "tables/memory_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ordered.h"
#include "base/printable.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr Index kPieceRows = 16'384;  // whole leaves of the moments

bool is_all_missing(const Cells& cells, Index rows) {
  for (Index row = 0; row < rows; ++row)
    if (!cells.is_missing(row)) return false;
  return true;
}

}  // namespace

MemorySource::MemorySource(std::string called, std::vector<std::string> names, Index first_row)
    : called_(std::move(called)),
      names_(std::move(names)),
      kinds_(names_.size()),
      doubts_(names_.size()),
      first_row_(first_row) {}

void MemorySource::add(Index rows, const std::vector<Column>& columns, std::shared_ptr<const void> owner) {
  if (columns.size() != names_.size())
    throw Error(fmt::format("a batch has {} columns; the table has {}", columns.size(), names_.size()));
  std::vector<std::optional<ColumnKind>> kinds = kinds_;
  Batch batch{rows, {}, std::move(owner)};
  for (std::size_t j = 0; j < columns.size(); ++j) {
    batch.columns.push_back(columns[j].cells);
    std::optional<ColumnKind>& kind = kinds[j];
    std::optional<ColumnKind> here = columns[j].kind;
    if (here && is_all_missing(columns[j].cells, rows)) here.reset();
    if (!kind || !here) {
      if (here) kind = here;
      continue;
    }
    if ((*kind == ColumnKind::category) != (*here == ColumnKind::category))
      throw Error(fmt::format("column '{}' is a number in one chunk and a category in another", names_[j]));
    if (*here == ColumnKind::number) kind = here;
  }
  kinds_ = std::move(kinds);
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (columns[j].doubt != Doubt::none) doubts_[j] = columns[j].doubt;
  rows_ += rows;
  batches_.push_back(std::move(batch));
}

std::vector<std::string_view> MemorySource::head(Index column, std::size_t most) const {
  std::vector<std::string_view> out;
  for (const Batch& batch : batches_) {
    const Cells& cells = batch.columns[static_cast<std::size_t>(column)];
    for (Index row = 0; row < batch.rows && out.size() < most; ++row)
      out.push_back(!cells.is_category() || cells.is_missing(row)
                        ? std::string_view()
                        : std::string_view(cells.levels()[static_cast<std::size_t>(cells.code(row))]));
  }
  return out;
}

// Chunks are pieces of batches.
void MemorySource::scan(const std::vector<CellPlan>& plan, int threads, const Step& work, const Step& commit,
                        const ScanProgress& progress) {
  if (plan.size() != names_.size())
    throw Error(fmt::format("the plan is for {} columns; the table has {}", plan.size(), names_.size()));
  threads = thread_count(threads, std::max<Index>((rows_ + kPieceRows - 1) / kPieceRows, 1));
  std::vector<Chunk> chunks(static_cast<std::size_t>(threads));
  const auto chunk_of = [&](int slot) -> Chunk& { return chunks[static_cast<std::size_t>(slot)]; };
  std::size_t batch = 0;
  Index at = 0, done = 0;  // in the batch, and in all
  const auto next = [&](int slot) {
    while (batch < batches_.size() && at == batches_[batch].rows) {
      ++batch;
      at = 0;
    }
    if (batch == batches_.size()) return false;
    Chunk& chunk = chunk_of(slot);
    chunk.rows = std::min(batches_[batch].rows - at, kPieceRows);
    chunk.first_row = done;
    chunk.columns.clear();
    for (const Cells& cells : batches_[batch].columns) chunk.columns.push_back(cells.from(at));
    at += chunk.rows;
    done += chunk.rows;
    return true;
  };
  run_stream(
      threads, next, [&](int slot) { work(chunk_of(slot), slot); },
      [&](int slot) {
        const Chunk& chunk = chunk_of(slot);
        commit(chunk, slot);
        if (progress)
          progress(static_cast<std::uint64_t>(chunk.first_row + chunk.rows), static_cast<std::uint64_t>(rows_));
      });
}

std::string MemorySource::place(const Chunk& chunk, int /*slot*/, Index row, Index column) const {
  return fmt::format("row {}, column '{}'", first_row_ + chunk.first_row + row,
                     printable(names_[static_cast<std::size_t>(column)]));
}

std::optional<Columns> MemorySource::matrix(const std::vector<Index>& columns) const {
  if (columns.empty() || batches_.size() != 1) return std::nullopt;
  const auto cells_of = [&](Index column) { return batches_[0].columns[static_cast<std::size_t>(column)]; };
  const Cells first = cells_of(columns.front());
  const auto view = [&]<class T>(const T*) -> std::optional<Columns> {
    std::vector<const T*> firsts;
    for (const Index column : columns) {
      const Cells cells = cells_of(column);
      if (cells.form() != first.form() || cells.stride() != first.stride()) return std::nullopt;
      firsts.push_back(static_cast<const T*>(cells.first()));
    }
    return Columns(firsts, rows_, first.stride());
  };
  if (first.form() == Cells::Form::float64) return view(static_cast<const double*>(nullptr));
  if (first.form() == Cells::Form::float32) return view(static_cast<const float*>(nullptr));
  return std::nullopt;
}

}  // namespace plumbline
