#include "tables/ids.h"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace plumbline {
namespace {

constexpr Index kMostRows = 100'000;

struct Settled {};

}  // namespace

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
  return left;
}

}  // namespace plumbline
