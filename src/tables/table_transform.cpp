#include "tables/table_transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "parallel/ordered.h"
#include "plumbline/error.h"
#include "tables/row_batches.h"
#include "tables/row_encoder.h"

namespace plumbline {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t kLongestNumber = 32;

// What stands in one place of an output row: a cell of the input, or numbers of the result.
struct Piece {
  Index kept = -1;  // which of the kept cells; −1: numbers
  Index first = 0, count = 0;
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

Layout lay_out(const CsvTable& table, const RowEncoder& encoder, const Fit& fit, const TransformOptions& options) {
  const Encoding& encoding = encoder.encoding();
  Layout out{encoder.plan(), {}, {}};
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

void append_number(std::string& out, double value) {
  const std::size_t size = out.size();
  out.resize(size + kLongestNumber);
  const auto end = std::to_chars(out.data() + size, out.data() + out.size(), value).ptr;
  out.resize(static_cast<std::size_t>(end - out.data()));
}

struct Slot {
  EncodedRows rows;
  RowMajor result;
  std::string text;
};

}  // namespace

Transformed transform_table(CsvTable& table, const Fit& fit, const TransformOptions& options,
                            const std::function<void(std::string_view)>& write) {
  if (!fit.encoding) throw Error("the model knows nothing of tables; fit it with plumbline fit");
  if (options.scores && fit.model.scores() == 0)
    throw Error("the model keeps every feature and has no scores; fit it with --rank");
  const AffineModel& model = fit.model;
  const bool needs_b = model.needs_sensitive() || options.check;
  const RowEncoder encoder(*fit.encoding, table,
                           {.sensitive = needs_b, .weights = options.check, .largest = options.check ? 1e150 : 1e300});
  const Layout layout = lay_out(table, encoder, fit, options);
  const CsvDialect& dialect = table.dialect();
  if (options.header) {
    std::string line;
    for (const std::string& name : layout.names) {
      if (!line.empty()) line += dialect.delimiter;
      append_quoted(line, name, dialect);
    }
    write(line + '\n');
  }

  Transformed out;
  std::optional<Measurement> measurement;
  if (options.check) measurement.emplace(model, model.parts().project_a ? Moments::Kind::full : Moments::Kind::cross);
  RowBatches batches(encoder.features(), std::max<Index>(encoder.sensitive(), 1), [&](const RowBatch& batch) {
    measurement->update(batch.a, batch.b, {options.read.threads, batch.weights});
  });
  const std::size_t kept = static_cast<std::size_t>(
      std::count_if(layout.plan.begin(), layout.plan.end(), [](const CellPlan& p) { return p.keep; }));
  const Index width = options.scores ? model.scores() : model.features();
  const int threads = thread_count(options.read.threads, std::numeric_limits<Index>::max());
  std::vector<Slot> slots(static_cast<std::size_t>(threads));

  table.scan(
      layout.plan, threads,
      [&](TableChunk& chunk, int slot) {
        Slot& s = slots[static_cast<std::size_t>(slot)];
        encoder.encode(chunk.cells, s.rows);
        const Index n = s.rows.rows;
        s.result.resize(n, width);
        const Columns a(s.rows.a.data(), n, encoder.features(), encoder.features(), 1);
        const Columns b(s.rows.b.data(), n, encoder.sensitive(), encoder.sensitive(), 1);
        const Columns used_b = model.needs_sensitive() ? b : Columns(s.rows.b.data(), n, 0, 1, 1);
        if (options.scores)
          model.apply_scores(a, used_b, s.result, {.threads = 1});
        else
          model.apply(a, used_b, s.result, {.threads = 1});
        s.text.clear();
        for (Index i = 0; i < n; ++i) {
          const std::string_view* cells =
              chunk.cells.raw.data() + static_cast<std::size_t>(s.rows.record[static_cast<std::size_t>(i)]) * kept;
          bool first = true;
          const auto separate = [&] {
            if (!first) s.text += dialect.delimiter;
            first = false;
          };
          for (const Piece& piece : layout.pieces) {
            if (piece.kept >= 0) {
              separate();
              s.text += cells[piece.kept];
              continue;
            }
            for (Index j = piece.first; j < piece.first + piece.count; ++j) {
              separate();
              append_number(s.text, s.result(i, j));
            }
          }
          s.text += '\n';
        }
      },
      [&](TableChunk& chunk, int slot) {
        const Slot& s = slots[static_cast<std::size_t>(slot)];
        write(s.text);
        out.rows += s.rows.rows;
        out.dropped += s.rows.dropped;
        out.filled += s.rows.filled;
        out.unknown += s.rows.unknown;
        if (measurement) batches.add(s.rows);
        if (s.rows.problem) throw Error(describe(*s.rows.problem, table, chunk));
      },
      options.read.progress);
  if (measurement) {
    batches.finish();
    if (out.rows == 0) throw Error(fmt::format("'{}' has no rows to check", table.input_name(0)));
    out.certificate = measurement->certificate();
  }
  return out;
}

}  // namespace plumbline
