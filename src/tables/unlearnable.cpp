#include "tables/unlearnable.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/names.h"
#include "base/printable.h"
#include "base/remedy.h"

namespace plumbline {
namespace {

constexpr Index kMostRows = 100'000;

struct Settled {};

// Those of the columns whose texts, kFewestDistinct or more, are all different, missing cells apart.
std::vector<Index> all_different(ChunkSource& source, const std::vector<Index>& columns, const ReadOptions& options) {
  std::vector<CellPlan> plan(source.names().size());
  for (const Index column : columns) plan[static_cast<std::size_t>(column)].kind = CellKind::category;
  std::vector<Index> left = columns;
  std::vector<std::unordered_set<std::string>> seen(source.names().size());
  Index rows = 0;
  const auto repeats = [&](const Chunk& chunk, Index column) {
    const Cells& cells = chunk.columns[static_cast<std::size_t>(column)];
    for (Index row = 0; row < chunk.rows; ++row)
      if (!cells.is_missing(row) && !seen[static_cast<std::size_t>(column)]
                                         .insert(cells.levels()[static_cast<std::size_t>(cells.code(row))])
                                         .second)
        return true;
    return false;
  };
  try {
    if (!left.empty())
      source.scan(
          plan, options.threads, [](const Chunk&, int) {},
          [&](const Chunk& chunk, int) {
            std::erase_if(left, [&](Index column) { return repeats(chunk, column); });
            rows += chunk.rows;
            if (left.empty() || rows >= kMostRows) throw Settled();
          },
          {});
  } catch (const Settled&) {  // NOLINT(bugprone-empty-catch): the rest need not be read
  }
  std::erase_if(left, [&](Index column) { return seen[static_cast<std::size_t>(column)].size() < kFewestDistinct; });
  return left;
}

const ColumnLook& look_of_column(const std::vector<ColumnLook>& looks, Index column) {
  return looks[static_cast<std::size_t>(column)];
}

std::string first_cell(MemorySource& source, Index column) {
  const std::vector<std::string_view> head = source.head(column, kHeadRecords);
  const auto there = std::find_if(head.begin(), head.end(), [](std::string_view text) { return !text.empty(); });
  return there == head.end() ? "" : std::string(*there);
}

[[noreturn]] void refuse_id(const MemorySource& source, Index column, const std::string& why, const std::string& cell) {
  const std::string& name = source.names()[static_cast<std::size_t>(column)];
  throw RemediableError(fmt::format("{}: column '{}' looks like ids, of which nothing can be learned: {}",
                                    source.called(), printable(name), why),
                        Remedy::no_ids, name, cell);
}

[[noreturn]] void refuse_number_as_text(const MemorySource& source, Index column, const ColumnLook& look,
                                        const std::string& cell) {
  const std::string& name = source.names()[static_cast<std::size_t>(column)];
  throw RemediableError(
      fmt::format("{}: column '{}' holds text that looks like numbers with {}, such as '{}'", source.called(),
                  printable(name), look.form == ColumnForm::grouped ? "thousands separators" : "decimal commas",
                  printable(cell)),
      Remedy::no_text, name, cell);
}

}  // namespace

std::vector<Index> ids_among(ChunkSource& source, const std::vector<Index>& columns,
                             const std::vector<ColumnLook>& looks, const ReadOptions& options) {
  std::vector<Index> out, distinct;
  for (const Index column : columns) {
    const ColumnForm form = look_of_column(looks, column).form;
    if (form == ColumnForm::beyond_double) out.push_back(column);
    if (form == ColumnForm::distinct_text || form == ColumnForm::distinct_whole) distinct.push_back(column);
  }
  if (!distinct.empty()) {
    source.allow_rereading();
    const std::vector<Index> found = all_different(source, distinct, options);
    out.insert(out.end(), found.begin(), found.end());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void refuse_dates(const ChunkSource& source, const std::vector<Index>& columns, const std::vector<ColumnLook>& looks,
                  const CellText& cell) {
  std::vector<std::string> names;
  std::string shown;
  for (const Index column : columns) {
    const ColumnLook& look = look_of_column(looks, column);
    if (look.form != ColumnForm::date) continue;
    if (names.empty()) shown = cell(column, look.cell);
    names.push_back(source.names()[static_cast<std::size_t>(column)]);
  }
  if (!names.empty()) refuse_dates(source.called(), names, shown);
}

void refuse_dates(const std::string& called, const std::vector<std::string>& columns, const std::string& cell) {
  throw RemediableError(
      fmt::format("{}: {} {}, such as '{}', and a date is neither a number nor a category", called, quoted(columns),
                  columns.size() == 1 ? "holds dates" : "hold dates", printable(cell)),
      Remedy::no_dates, columns.front(), cell);
}

void require_learnable(MemorySource& source, const Schema& schema, const ReadOptions& options) {
  const auto is_text = [&](Index column) { return source.doubt(column) == MemorySource::Doubt::text; };
  std::vector<ColumnLook> looks(source.names().size());
  std::vector<Index> ids;
  for (const auto* columns : {&schema.features, &schema.sensitive})
    for (const Index column : *columns) {
      if (!is_text(column)) continue;
      ColumnLook& look = looks[static_cast<std::size_t>(column)];
      const std::vector<std::string_view> head = source.head(column, kHeadRecords);
      look = look_of(head, {});
      const bool is_written_otherwise = look.form == ColumnForm::grouped || look.form == ColumnForm::other_decimal;
      if (is_written_otherwise) refuse_number_as_text(source, column, look, std::string(head[look.cell]));
      if (columns == &schema.features && look.form != ColumnForm::date) ids.push_back(column);
    }
  const auto cell = [&](Index column, std::size_t row) { return std::string(source.head(column, row + 1)[row]); };
  for (const auto* columns : {&schema.features, &schema.sensitive}) refuse_dates(source, *columns, looks, cell);
  for (const Index column : schema.features)
    if (source.doubt(column) == MemorySource::Doubt::beyond_double)
      refuse_id(source, column, "it has whole numbers beyond 2^53, which 64-bit floats cannot tell apart", "");
  const std::vector<Index> found = all_different(source, ids, options);
  if (!found.empty()) {
    const std::string shown = first_cell(source, found.front());
    refuse_id(source, found.front(), fmt::format("its texts, such as '{}', are all different", printable(shown)),
              shown);
  }
}

}  // namespace plumbline
