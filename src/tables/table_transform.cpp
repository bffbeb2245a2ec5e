#include "tables/table_transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/ordered.h"
#include "csv/cell_values.h"
#include "plumbline/error.h"
#include "tables/row_batches.h"
#include "tables/row_encoder.h"
#include "tables/table_moments.h"

namespace plumbline {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kLargest = 1e300, kLargestSquared = 1e150;  // of cells that the map, and its certificate, can bear

// What stands in one place of an output row: a cell of the input, or numbers of the result.
struct Piece {
  Index kept = -1;  // which of the kept cells; −1: numbers
  Index first = 0, count = 0;
};

struct Layout {
  std::vector<CellPlan> plan;
  std::vector<Piece> pieces;
  std::vector<std::string> names, passed;
};

const TableColumn* find_column(const std::vector<TableColumn>& columns, const std::string& name) {
  const auto at =
      std::find_if(columns.begin(), columns.end(), [&](const TableColumn& column) { return column.name == name; });
  return at == columns.end() ? nullptr : &*at;
}

Layout lay_out(const CsvTable& table, const RowEncoder& encoder, const Fit& fit, const TransformOptions& options) {
  const Encoding& encoding = encoder.encoding();
  Layout out{encoder.plan(), {}, {}, {}};
  std::vector<Index> offset;
  Index width = 0, kept = 0;
  for (const TableColumn& column : encoding.features) {
    offset.push_back(width);
    width += column.width();
  }
  const std::vector<std::string> feature_names = encoding.feature_names();
  for (std::size_t j = 0; j < table.names().size(); ++j) {
    const std::string& name = table.names()[j];
    if (const TableColumn* feature = find_column(encoding.features, name)) {
      if (options.scores) continue;
      const Index first = offset[static_cast<std::size_t>(feature - encoding.features.data())];
      out.pieces.push_back({-1, first, feature->width()});
      for (Index i = 0; i < feature->width(); ++i)
        out.names.push_back(feature_names[static_cast<std::size_t>(first + i)]);
      continue;
    }
    if (find_column(encoding.sensitive, name) && !options.keep_sensitive) continue;
    out.plan[j].keep = true;
    out.pieces.push_back({kept++, 0, 0});
    out.names.push_back(name);
    if (name != encoding.target && name != fit.encoding->weights && !find_column(encoding.sensitive, name))
      out.passed.push_back(name);
  }
  if (options.scores) {
    const Index scores = fit.model.scores();
    out.pieces.push_back({-1, 0, scores});
    for (Index i = 0; i < scores; ++i) out.names.push_back(fmt::format("score{}", i + 1));
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

// What a thread makes of a chunk.
struct Slot {
  EncodedRows rows;
  RowMajor result;
  std::string text;
};

class Transformer {
 public:
  Transformer(const CsvTable& table, const Fit& fit, const TransformOptions& options)
      : model_(fit.model),
        dialect_(table.dialect()),
        scores_(options.scores),
        encoder_(*fit.encoding, table,
                 {.sensitive = model_.needs_sensitive() || options.check,
                  .weights = options.check,
                  .needed = model_.needs_sensitive() ? "the map needs them, and a fit with --mode blind would not"
                                                     : "a certificate needs them",
                  .largest = options.check ? kLargestSquared : kLargest}),
        layout_(lay_out(table, encoder_, fit, options)),
        kept_(static_cast<std::size_t>(
            std::count_if(layout_.plan.begin(), layout_.plan.end(), [](const CellPlan& plan) { return plan.keep; }))) {}

  const RowEncoder& encoder() const { return encoder_; }
  const std::vector<CellPlan>& plan() const { return layout_.plan; }
  const std::vector<std::string>& passed() const { return layout_.passed; }

  std::string header() const {
    std::string line;
    for (const std::string& name : layout_.names) {
      if (!line.empty()) line += dialect_.delimiter;
      append_quoted(line, name, dialect_);
    }
    return line + '\n';
  }

  void transform(const ParsedChunk& chunk, Slot& slot) const {
    encoder_.encode(chunk, slot.rows);
    apply(slot);
    slot.text.clear();
    for (Index i = 0; i < slot.rows.rows; ++i) append_row(chunk, i, slot);
  }

 private:
  void apply(Slot& slot) const {
    const Index n = slot.rows.rows, p = model_.needs_sensitive() ? encoder_.sensitive() : 0;
    slot.result.resize(n, scores_ ? model_.scores() : model_.features());
    const Columns a(slot.rows.a.data(), n, encoder_.features(), encoder_.features(), 1);
    const Columns b(slot.rows.b.data(), n, p, std::max<Index>(p, 1), 1);
    if (scores_)
      model_.apply_scores(a, b, slot.result, {.threads = 1});
    else
      model_.apply(a, b, slot.result, {.threads = 1});
  }

  void append_row(const ParsedChunk& chunk, Index i, Slot& slot) const {
    const auto record = static_cast<std::size_t>(slot.rows.record[static_cast<std::size_t>(i)]);
    const std::string_view* cells = chunk.raw.data() + record * kept_;
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
      for (Index j = piece.first; j < piece.first + piece.count; ++j) {
        separate();
        append_number(text, slot.result(i, j));
      }
    }
    text += '\n';
  }

  const AffineModel& model_;
  const CsvDialect& dialect_;
  bool scores_;
  RowEncoder encoder_;
  Layout layout_;
  std::size_t kept_;
};

}  // namespace

Transformed transform_table(CsvTable& table, const Fit& fit, const TransformOptions& options,
                            const std::function<void(std::string_view)>& write) {
  if (!fit.encoding) throw Error("the model knows nothing of tables; fit it with plumbline fit");
  if (options.scores && fit.model.scores() == 0)
    throw Error("the model keeps every feature and has no scores; fit it with --rank");
  const Transformer transformer(table, fit, options);
  if (options.header) write(transformer.header());

  Transformed out;
  out.passed = transformer.passed();
  std::optional<Measurement> measurement;
  const Index columns = transformer.encoder().features() + transformer.encoder().sensitive();
  if (options.check)
    measurement.emplace(
        fit.model, fit.model.parts().project_a || columns <= kFewColumns ? Moments::Kind::full : Moments::Kind::cross);
  RowBatches batches(transformer.encoder().features(), transformer.encoder().sensitive(), [&](const RowBatch& batch) {
    measurement->update(batch.a, batch.b, {options.read.threads, batch.weights});
  });
  const int threads = thread_count(options.read.threads, std::numeric_limits<Index>::max());
  std::vector<Slot> slots(static_cast<std::size_t>(threads));
  table.scan(
      transformer.plan(), threads,
      [&](TableChunk& chunk, int slot) { transformer.transform(chunk.cells, slots[static_cast<std::size_t>(slot)]); },
      [&](TableChunk& chunk, int slot) {
        const Slot& done = slots[static_cast<std::size_t>(slot)];
        write(done.text);
        out.rows += done.rows.rows;
        out.dropped += done.rows.dropped;
        out.filled += done.rows.filled;
        out.unknown += done.rows.unknown;
        if (measurement) batches.add(done.rows);
        if (done.rows.problem) throw Error(describe(*done.rows.problem, table, chunk));
      },
      options.read.progress);
  if (measurement) {
    batches.finish();
    if (out.rows < 2)
      throw Error(fmt::format("'{}' has {}, which cannot show a correlation; check more", table.input_name(0),
                              out.rows == 1 ? "one row" : "no rows"));
    out.certificate = measurement->certificate();
    if (out.certificate->sensitive_rank == 0)
      throw Error(fmt::format("the sensitive columns of '{}' are constant, which cannot show a correlation; check more",
                              table.input_name(0)));
  }
  return out;
}

}  // namespace plumbline
