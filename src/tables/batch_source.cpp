#include "tables/batch_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/names.h"
#include "base/ordered.h"
#include "base/printable.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr Index kPieceRows = 16'384;  // whole leaves of the moments

[[noreturn]] void refuse_lengths(Index rows, Index beside) {
  throw Error(fmt::format("Found input variables with inconsistent numbers of samples: [{}, {}]", rows, beside));
}

bool is_all_missing(const Cells& cells, Index rows) {
  for (Index row = 0; row < rows; ++row)
    if (!cells.is_missing(row)) return false;
  return true;
}

}  // namespace

// Hands out pieces of batches: no longer than a piece, and within one batch of the table and one of what is beside it.
class BatchSource::Cutter {
 public:
  Cutter(BatchSource& source, const std::vector<CellPlan>& plan) : own_columns_(static_cast<std::size_t>(source.own_)) {
    const auto middle = plan.begin() + source.own_;
    own_.next = source.start({plan.begin(), middle});
    if (source.beside_) beside_.emplace(Reading{source.beside_->start({middle, plan.end()}), {}, 0});
    columns_ = plan.size();
  }

  bool next(Chunk& chunk, std::shared_ptr<const void>* owners) {
    const bool has_own = own_.advance();
    if (!has_own) {
      if (beside_) require_end();
      return false;
    }
    Index rows = std::min(own_.left(), kPieceRows);
    if (beside_) {
      if (!beside_->advance()) refuse_lengths(own_.done + own_.batch->rows, beside_->done);
      rows = std::min(rows, beside_->left());
    }
    chunk.rows = rows;
    chunk.first_row = own_.done + own_.at;
    chunk.columns.assign(columns_, Cells());
    owners[0] = own_.take(rows, chunk.columns.data());
    if (beside_) owners[1] = beside_->take(rows, chunk.columns.data() + own_columns_);
    return true;
  }

 private:
  struct Reading {
    Next next;
    std::optional<Batch> batch = {};
    Index at = 0;    // in the batch
    Index done = 0;  // rows of the batches before it

    Index left() const { return batch->rows - at; }

    // To a batch with rows that are left; false at the end.
    bool advance() {
      while (!batch || at == batch->rows) {
        if (batch) done += batch->rows;
        at = 0;
        batch = next();
        if (!batch) return false;
      }
      return true;
    }

    std::shared_ptr<const void> take(Index rows, Cells* out) {
      for (const Cells& cells : batch->columns) *out++ = cells.from(at);
      at += rows;
      return batch->owner;
    }
  };

  void require_end() {
    Index rows = beside_->done + (beside_->batch ? beside_->at : 0);
    if (!beside_->advance()) return;
    do rows = beside_->done + beside_->batch->rows;
    while (beside_->at = beside_->batch->rows, beside_->advance());
    refuse_lengths(own_.done, rows);
  }

  std::size_t own_columns_, columns_ = 0;
  Reading own_;
  std::optional<Reading> beside_;
};

BatchSource::BatchSource(std::string called, std::vector<std::string> names, Index first_row)
    : called_(std::move(called)),
      names_(std::move(names)),
      own_(static_cast<Index>(names_.size())),
      first_row_(first_row) {}

void BatchSource::put_beside(std::shared_ptr<BatchSource> other) {
  for (const std::string& name : other->names())
    if (std::find(names_.begin(), names_.end(), name) != names_.end())
      throw Error(fmt::format("column '{}' is in {} and in {}", name, called_, other->called()));
  names_.insert(names_.end(), other->names().begin(), other->names().end());
  beside_ = std::move(other);
}

std::optional<ColumnKind> BatchSource::kind(Index column) const {
  return column < own_ ? own_kind(column) : beside_->kind(column - own_);
}

void BatchSource::scan(const std::vector<CellPlan>& plan, int threads, const Step& work, const Step& commit,
                       const ScanProgress& progress) {
  if (plan.size() != names_.size())
    throw Error(fmt::format("the plan is for {} columns; the table has {}", plan.size(), names_.size()));
  const std::optional<Index> total = rows();
  threads = thread_count(
      threads, total ? std::max<Index>((*total + kPieceRows - 1) / kPieceRows, 1) : std::numeric_limits<Index>::max());
  struct Slot {
    Chunk chunk;
    std::shared_ptr<const void> owners[2];
  };
  std::vector<Slot> slots(static_cast<std::size_t>(threads));
  const auto slot_of = [&](int slot) -> Slot& { return slots[static_cast<std::size_t>(slot)]; };
  Cutter cutter(*this, plan);
  run_stream(
      threads, [&](int slot) { return cutter.next(slot_of(slot).chunk, slot_of(slot).owners); },
      [&](int slot) { work(slot_of(slot).chunk, slot); },
      [&](int slot) {
        const Chunk& chunk = slot_of(slot).chunk;
        commit(chunk, slot);
        if (progress)
          progress(static_cast<std::uint64_t>(chunk.first_row + chunk.rows),
                   total ? std::optional(static_cast<std::uint64_t>(*total)) : std::nullopt);
      });
}

std::string BatchSource::place(const Chunk& chunk, int /*slot*/, Index row, Index column) const {
  return fmt::format("row {}, column '{}'", first_row_ + chunk.first_row + row,
                     printable(names_[static_cast<std::size_t>(column)]));
}

std::optional<Columns> BatchSource::matrix(const std::vector<Index>& columns) const {
  const auto cells_of = [&](Index column) -> const Cells* {
    const bool is_own = column < own_;
    const Batch* batch = is_own ? only_batch() : beside_->only_batch();
    return batch ? &batch->columns[static_cast<std::size_t>(is_own ? column : column - own_)] : nullptr;
  };
  const Cells* const first = columns.empty() ? nullptr : cells_of(columns.front());
  if (!first || !rows() || (beside_ && beside_->rows() != rows())) return std::nullopt;
  const auto view = [&]<class T>(const T*) -> std::optional<Columns> {
    std::vector<const T*> firsts;
    for (const Index column : columns) {
      const Cells* const cells = cells_of(column);
      if (!cells || cells->form() != first->form() || cells->stride() != first->stride()) return std::nullopt;
      firsts.push_back(static_cast<const T*>(cells->first()));
    }
    return Columns(firsts, *rows(), first->stride());
  };
  if (first->form() == Cells::Form::float64) return view(static_cast<const double*>(nullptr));
  if (first->form() == Cells::Form::float32) return view(static_cast<const float*>(nullptr));
  return std::nullopt;
}

void MemorySource::add(Index rows, const std::vector<Column>& columns, std::shared_ptr<const void> owner) {
  if (static_cast<Index>(columns.size()) != own_columns())
    throw Error(fmt::format("a batch has {} columns; the table has {}", columns.size(), own_columns()));
  std::vector<std::optional<ColumnKind>> kinds = kinds_;
  kinds.resize(columns.size());
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
      throw Error(fmt::format("column '{}' is a number in one chunk and a category in another", names()[j]));
    if (*here == ColumnKind::number) kind = here;
  }
  kinds_ = std::move(kinds);
  rows_ += rows;
  batches_.push_back(std::move(batch));
}

BatchSource::Next MemorySource::start(const std::vector<CellPlan>& /*plan*/) {
  return [this, at = std::size_t{0}]() mutable -> std::optional<Batch> {
    return at < batches_.size() ? std::optional(batches_[at++]) : std::nullopt;
  };
}

}  // namespace plumbline
