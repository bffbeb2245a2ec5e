#include "tables/array_transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/ordered.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

template <class T>
void put(const MutableColumns& out, Index row, Index column, double value) {
  static_cast<T*>(out.data()[column])[row * out.row_stride()] = static_cast<T>(value);
}

// False if the rows do not lie as the map could read them, or hold a cell that will not do.
bool apply_as_they_lie(const RowMap& map, const ChunkSource& source, const Fit& fit, const MapOptions& options,
                       const MutableColumns& out) {
  if (map.encoding().missing == Missing::drop || needs_held_values(fit)) return false;
  const std::optional<Columns> a = map.encoder().features_as_they_lie(source);
  if (!a) return false;
  std::optional<Columns> b = Columns(static_cast<const double*>(nullptr), a->rows(), 0, 1, 1);
  if (fit.needs_sensitive()) b = map.encoder().sensitive_as_they_lie(source);
  if (!b) return false;
  try {
    if (options.scores)
      fit.apply_scores(*a, *b, out, {options.read.threads});
    else
      fit.apply(*a, *b, out, {options.read.threads});
  } catch (const Error&) {
    return false;  // row by row it is found where
  }
  return true;
}

template <class T>
MutableColumns slice(const MutableColumns& out, Index first, Index count) {
  std::vector<T*> columns;
  for (Index j = 0; j < out.cols(); ++j) columns.push_back(static_cast<T*>(out.data()[j]) + first * out.row_stride());
  return {columns, count, out.row_stride()};
}

MutableColumns rows_of(const MutableColumns& out, Index first, Index count) {
  return out.scalar() == Scalar::float64 ? slice<double>(out, first, count) : slice<float>(out, first, count);
}

void write_rows(const Chunk& chunk, const EncodedRows& rows, const RowMap::Result& result, const MutableColumns& out) {
  const bool is_narrow = out.scalar() == Scalar::float32;
  Index next = 0;
  for (Index row = 0; row < chunk.rows; ++row) {
    const bool is_there = next < rows.rows && rows.record[static_cast<std::size_t>(next)] == row;
    for (Index j = 0; j < out.cols(); ++j) {
      const double value = is_there ? result(next, j) : std::numeric_limits<double>::quiet_NaN();
      if (!is_narrow) {
        put<double>(out, chunk.first_row + row, j, value);
        continue;
      }
      if (std::abs(value) > std::numeric_limits<float>::max())
        throw Error(fmt::format("row {} holds values so large that the result leaves the range of float32",
                                chunk.first_row + row));
      put<float>(out, chunk.first_row + row, j, value);
    }
    next += is_there ? 1 : 0;
  }
}

}  // namespace

bool needs_held_values(const Fit& fit) {
  if (!fit.distribution || !fit.encoding) return false;
  const std::vector<TableColumn>& features = fit.encoding->features;
  return std::any_of(features.begin(), features.end(), [](const TableColumn& one) { return one.held.has_value(); });
}

RowCounts transform_rows(ChunkSource& source, const Fit& fit, const Placement& placement, const MapOptions& options,
                         const MutableColumns& out) {
  const RowMap map(fit, placement, source, options);
  RowCounts counts;
  if (!options.read.progress && apply_as_they_lie(map, source, fit, options, out)) return counts;
  struct Slot {
    EncodedRows rows;
    RowMap::Result result;
  };
  const int threads = thread_count(options.read.threads, std::numeric_limits<Index>::max());
  std::vector<Slot> slots(static_cast<std::size_t>(threads));
  source.scan(
      map.plan(), threads,
      [&](const Chunk& chunk, int at) {
        Slot& slot = slots[static_cast<std::size_t>(at)];
        map.encoder().encode(chunk, slot.rows);
        if (slot.rows.rows == chunk.rows) {
          map.apply(slot.rows, rows_of(out, chunk.first_row, chunk.rows));
          return;
        }
        slot.result.resize(slot.rows.rows, map.outputs());
        map.apply(slot.rows, slot.result);
        write_rows(chunk, slot.rows, slot.result, out);
      },
      [&](const Chunk& chunk, int at) {
        const EncodedRows& rows = slots[static_cast<std::size_t>(at)].rows;
        counts.dropped += rows.dropped;
        counts.filled += rows.filled;
        counts.unknown += rows.unknown;
        if (rows.problem) refuse(*rows.problem, source, chunk, at);
      },
      options.read.progress);
  return counts;
}

}  // namespace plumbline
