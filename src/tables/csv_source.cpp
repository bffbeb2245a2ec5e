#include "tables/csv_source.h"

#include <limits>

#include "base/ordered.h"
#include "io/descriptor.h"

namespace plumbline {
namespace {

// Views of what was parsed, row-major, one a column.
void show(const std::vector<CellPlan>& plan, const ParsedChunk& parsed, Chunk& out) {
  const auto rows = static_cast<std::size_t>(parsed.rows);
  const std::size_t numbers = rows == 0 ? 0 : parsed.numbers.size() / rows;
  const std::size_t codes = rows == 0 ? 0 : parsed.codes.size() / rows;
  out.rows = parsed.rows;
  out.columns.assign(plan.size(), Cells());
  out.raw = parsed.raw.data();
  if (rows == 0) return;
  std::size_t number = 0, code = 0;
  for (std::size_t j = 0; j < plan.size(); ++j) {
    if (plan[j].kind == CellKind::category) {
      out.columns[j] = Cells(parsed.codes.data() + code, static_cast<Index>(codes), &parsed.levels[code]);
      ++code;
    } else if (plan[j].kind != CellKind::skip) {
      out.columns[j] = Cells(parsed.numbers.data() + number++, static_cast<Index>(numbers));
    }
  }
}

}  // namespace

CsvSource::CsvSource(CsvTable table) : table_(std::move(table)) {}

std::string CsvSource::called() const { return in_quotes(table_.input_name(0)); }

void CsvSource::scan(const std::vector<CellPlan>& plan, int threads, const Step& work, const Step& commit,
                     const ScanProgress& progress) {
  threads = thread_count(threads, std::numeric_limits<Index>::max());
  parsed_.assign(static_cast<std::size_t>(threads), nullptr);
  std::vector<Chunk> chunks(parsed_.size());
  table_.scan(
      plan, threads,
      [&](TableChunk& parsed, int slot) {
        Chunk& chunk = chunks[static_cast<std::size_t>(slot)];
        show(plan, parsed.cells, chunk);
        work(chunk, slot);
      },
      [&](TableChunk& parsed, int slot) {
        parsed_[static_cast<std::size_t>(slot)] = &parsed;
        commit(chunks[static_cast<std::size_t>(slot)], slot);
      },
      progress);
}

std::string CsvSource::place(const Chunk& /*chunk*/, int slot, Index row, Index column) const {
  return table_.place(*parsed_[static_cast<std::size_t>(slot)], row, column);
}

}  // namespace plumbline
