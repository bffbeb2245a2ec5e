#include "tables/dates_as_days.h"

#include <limits>

#include "base/ordered.h"
#include "base/trimmed.h"
#include "tables/iso_date.h"

namespace plumbline {
namespace {

// The chunk of a slot with days in place of the texts of one column.
struct WithDays {
  Chunk chunk;
  std::vector<double> days;

  void set(const Chunk& of, std::size_t column) {
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    chunk = of;
    const Cells& texts = of.columns[column];
    if (!texts.is_category()) return;
    std::vector<double> of_level;
    for (const std::string& level : texts.levels()) {
      const std::optional<int> day = day_of_iso_date(trimmed(level));
      of_level.push_back(day ? *day : missing);
    }
    days.assign(static_cast<std::size_t>(of.rows), missing);
    for (Index row = 0; row < of.rows; ++row)
      if (!texts.is_missing(row))
        days[static_cast<std::size_t>(row)] = of_level[static_cast<std::size_t>(texts.code(row))];
    chunk.columns[column] = Cells(days.data(), 1);
  }
};

}  // namespace

std::optional<ColumnKind> DatesAsDays::kind(Index column) const {
  return static_cast<std::size_t>(column) == column_ ? ColumnKind::number : source_.kind(column);
}

void DatesAsDays::scan(const std::vector<CellPlan>& plan, int threads, const Step& work, const Step& commit,
                       const ScanProgress& progress) {
  std::vector<CellPlan> of_texts = plan;
  if (of_texts[column_].kind != CellKind::skip) of_texts[column_].kind = CellKind::category;
  std::vector<WithDays> slots(static_cast<std::size_t>(thread_count(threads, std::numeric_limits<Index>::max())));
  source_.scan(
      of_texts, threads,
      [&](const Chunk& chunk, int slot) {
        WithDays& with = slots[static_cast<std::size_t>(slot)];
        with.set(chunk, column_);
        work(with.chunk, slot);
      },
      [&](const Chunk&, int slot) { commit(slots[static_cast<std::size_t>(slot)].chunk, slot); }, progress);
}

}  // namespace plumbline
