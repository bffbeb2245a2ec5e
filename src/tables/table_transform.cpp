#include "tables/table_transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/ordered.h"
#include "csv/cell_values.h"
#include "plumbline/error.h"
#include "tables/row_map.h"
#include "tables/schema.h"

namespace plumbline {
namespace {

// What stands in one place of an output row: a cell of the input, or numbers of the result.
struct Piece {
  Index kept = -1;  // which of the kept cells; −1: numbers
  Index first = 0, count = 0;
  const TableColumn* category = nullptr;  // whose level is written, where the map keeps levels
};

struct Layout {
  std::vector<CellPlan> plan;
  std::vector<Piece> pieces;
  std::vector<std::string> names;
};

const TableColumn* find_column(const std::vector<TableColumn>& columns, const std::string& name) {
  const auto at =
      std::find_if(columns.begin(), columns.end(), [&](const TableColumn& column) { return column.name == name; });
  return at == columns.end() ? nullptr : &*at;
}

bool passes(const Encoding& encoding, const std::string& name) {
  return name == encoding.target || name == encoding.weights ||
         std::find(encoding.kept.begin(), encoding.kept.end(), name) != encoding.kept.end();
}

Layout lay_out(const ChunkSource& source, const RowMap& map, const Encoding& encoding, const TransformOptions& options,
               bool keeps_levels) {
  Layout out{map.plan(), {}, {}};
  std::vector<Index> offset;
  Index width = 0, kept = 0;
  for (const TableColumn& column : encoding.features) {
    offset.push_back(width);
    width += column.width();
  }
  const std::vector<std::string> feature_names = encoding.feature_names();
  for (std::size_t j = 0; j < source.names().size(); ++j) {
    const std::string& name = source.names()[j];
    if (const TableColumn* feature = find_column(encoding.features, name)) {
      if (options.scores) continue;
      const Index first = offset[static_cast<std::size_t>(feature - encoding.features.data())];
      const bool is_level = keeps_levels && feature->kind == ColumnKind::category;
      out.pieces.push_back({-1, first, feature->width(), is_level ? feature : nullptr});
      if (is_level) {
        out.names.push_back(name);
        continue;
      }
      for (Index i = 0; i < feature->width(); ++i)
        out.names.push_back(feature_names[static_cast<std::size_t>(first + i)]);
      continue;
    }
    if (!passes(encoding, name) && !(options.keep_sensitive && find_column(encoding.sensitive, name))) continue;
    out.plan[j].keep = true;
    out.pieces.push_back({kept++, 0, 0});
    out.names.push_back(name);
  }
  if (options.scores) {
    out.pieces.push_back({-1, 0, map.outputs()});
    for (Index i = 0; i < map.outputs(); ++i) out.names.push_back(fmt::format("score{}", i + 1));
  }
  for (std::size_t i = 0; i < out.names.size(); ++i)
    if (std::find(out.names.begin(), out.names.begin() + static_cast<std::ptrdiff_t>(i), out.names[i]) !=
        out.names.begin() + static_cast<std::ptrdiff_t>(i))
      throw Error(
          fmt::format("the output would have two columns called '{}'; rename or drop one in the input", out.names[i]));
  return out;
}

void append_quoted(std::string& out, std::string_view text, const CsvDialect& dialect) {
  const bool plain = !dialect.quotes ||
                     (text.find_first_of("\"\r\n") == std::string_view::npos &&
                      text.find(dialect.delimiter) == std::string_view::npos && trimmed(text) == text && !text.empty());
  if (plain) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

// The level of a row, empty if it has none.
std::string_view level_of(const TableColumn& category, const RowMap::Result& rows, Index row, Index first) {
  for (Index k = 0; k < category.width(); ++k)
    if (rows(row, first + k) == 1)
      return k < static_cast<Index>(category.levels.size())
                 ? std::string_view(category.levels[static_cast<std::size_t>(k)])
                 : std::string_view(category.other);
  return {};
}

// What a thread makes of a chunk.
struct Slot {
  EncodedRows rows;
  RowMap::Result result;
  std::string text;
};

class Writer {
 public:
  Writer(const CsvSource& source, const RowMap& map, const Encoding& encoding, const TransformOptions& options,
         bool keeps_levels)
      : dialect_(source.dialect()),
        map_(map),
        layout_(lay_out(source, map, encoding, options, keeps_levels)),
        kept_(static_cast<std::size_t>(
            std::count_if(layout_.plan.begin(), layout_.plan.end(), [](const CellPlan& plan) { return plan.keep; }))) {}

  const std::vector<CellPlan>& plan() const { return layout_.plan; }

  std::string header() const {
    std::string line;
    for (const std::string& name : layout_.names) {
      if (!line.empty()) line += dialect_.delimiter;
      append_quoted(line, name, dialect_);
    }
    return line + '\n';
  }

  void transform(const Chunk& chunk, Slot& slot) const {
    map_.encoder().encode(chunk, slot.rows);
    slot.result.resize(slot.rows.rows, map_.outputs());
    map_.apply(slot.rows, slot.result);
    slot.text.clear();
    for (Index i = 0; i < slot.rows.rows; ++i) append_row(chunk, i, slot);
  }

 private:
  void append_row(const Chunk& chunk, Index i, Slot& slot) const {
    const auto record = static_cast<std::size_t>(slot.rows.record[static_cast<std::size_t>(i)]);
    const std::string_view* cells = chunk.raw + record * kept_;
    std::string& text = slot.text;
    bool first = true;
    const auto separate = [&] {
      if (!first) text += dialect_.delimiter;
      first = false;
    };
    for (const Piece& piece : layout_.pieces) {
      if (piece.kept >= 0) {
        separate();
        text += cells[piece.kept];
      }
      if (piece.category != nullptr) {
        separate();
        append_quoted(text, level_of(*piece.category, slot.result, i, piece.first), dialect_);
        continue;
      }
      for (Index j = piece.first; j < piece.first + piece.count; ++j) {
        separate();
        append_number_cell(text, slot.result(i, j), dialect_);
      }
    }
    text += '\n';
  }

  const CsvDialect& dialect_;
  const RowMap& map_;
  Layout layout_;
  std::size_t kept_;
};

// Columns that the model does not know, in their order.
std::vector<std::string> left_out(const ChunkSource& source, const Encoding& encoding) {
  std::vector<std::string> out;
  for (const std::string& name : source.names())
    if (!passes(encoding, name) && !find_column(encoding.features, name) && !find_column(encoding.sensitive, name))
      out.push_back(name);
  return out;
}

// Of a target with a price: levels are those of the fit, and numbers may stand as booleans.
ColumnKind kind_of_target(const CsvSource& source, Index column, const Fit& fit) {
  if (!fit.certificate.price) throw Error("the model has no price of its target, which predictions need");
  if (!fit.certificate.price->levels.empty()) return ColumnKind::category;
  const ColumnKind kind = look_at(source.table())[static_cast<std::size_t>(column)].kind;
  return kind == ColumnKind::boolean ? kind : ColumnKind::number;
}

}  // namespace

Transformed transform_table(CsvSource& source, const Fit& fit, const TransformOptions& options,
                            const std::function<void(std::string_view)>& write) {
  if (!fit.encoding) throw Error("the model knows nothing of tables; fit it with plumbline fit");
  const bool needs = fit.needs_sensitive();
  const std::string predictions = options.check ? options.predictions : "";
  Placement placement = find_columns(
      *fit.encoding, source,
      {.sensitive = needs || options.check, .weights = options.check, .for_map = needs, .predictions = predictions});
  if (!predictions.empty()) placement.target_kind = kind_of_target(source, *placement.target, fit);
  const RowMap map(fit, placement, source, {.scores = options.scores, .check = options.check});
  const Writer writer(source, map, *fit.encoding, options, fit.distribution.has_value());
  if (const std::vector<std::string> names = left_out(source, *fit.encoding); options.tell_left_out && !names.empty())
    options.tell_left_out(names);
  if (options.header) write(writer.header());

  Transformed out;
  std::optional<RowCheck> check;
  if (options.check) check.emplace(fit, map.encoder(), options.read, options.probe);
  if (check) check->set_predictions(predictions);
  const int threads = thread_count(options.read.threads, std::numeric_limits<Index>::max());
  std::vector<Slot> slots(static_cast<std::size_t>(threads));
  source.scan(
      writer.plan(), threads,
      [&](const Chunk& chunk, int slot) { writer.transform(chunk, slots[static_cast<std::size_t>(slot)]); },
      [&](const Chunk& chunk, int slot) {
        const Slot& done = slots[static_cast<std::size_t>(slot)];
        write(done.text);
        out.rows += done.rows.rows;
        out.dropped += done.rows.dropped;
        out.filled += done.rows.filled;
        out.unknown += done.rows.unknown;
        if (check) check->add(done.rows);
        if (done.rows.problem) refuse(*done.rows.problem, source, chunk, slot);
      },
      options.read.progress);
  if (check) out.certificate = check->finish(source.called());
  return out;
}

}  // namespace plumbline
