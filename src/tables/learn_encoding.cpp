#include "tables/learn_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "base/names.h"
#include "base/refusals.h"
#include "base/remedy.h"
#include "base/weights.h"
#include "moments/double_double.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

void add_to(DoubleDouble& sum, double x) { sum = sum + DoubleDouble{x, 0}; }

struct Level {
  DoubleDouble weight = {};
  std::int64_t rows = 0;  // of positive weight
};

// What is learned of one column, cell by cell.
struct Learned {
  Index column = 0;
  bool is_category = false;
  DoubleDouble weight = {}, total = {};  // of the cells that are there
  std::int64_t missing = 0;
  std::unordered_map<std::string, Level> levels = {};
};

std::vector<TableColumn> columns_of(const ChunkSource& source, const Schema& schema, const std::vector<Index>& which) {
  std::vector<TableColumn> out;
  for (const Index column : which)
    out.push_back({source.names()[static_cast<std::size_t>(column)], schema.kinds[static_cast<std::size_t>(column)]});
  return out;
}

// Goes over the rows of a chunk in order.
class Learner {
 public:
  Learner(const ChunkSource& source, const Schema& schema, Missing missing)
      : source_(source), missing_(missing), plan_(source.names().size()) {
    const auto plan = [&](Index column) {
      const ColumnKind kind = schema.kinds[static_cast<std::size_t>(column)];
      const bool is_category = kind == ColumnKind::category;
      if (missing == Missing::error && !is_category) return;  // only levels are wanted
      plan_[static_cast<std::size_t>(column)].kind = cell_kind(kind);
    };
    for (const auto* columns : {&schema.features, &schema.sensitive})
      for (const Index column : *columns) {
        plan(column);
        learned_.push_back({column, schema.kinds[static_cast<std::size_t>(column)] == ColumnKind::category});
      }
    if (schema.weights) {
      plan_[static_cast<std::size_t>(*schema.weights)].kind = CellKind::number;
      weights_ = schema.weights;
    }
  }

  const std::vector<CellPlan>& plan() const { return plan_; }

  void add(const Chunk& chunk) {
    if (!weights_ && missing_ == Missing::error) return count_levels(chunk);
    std::vector<std::vector<Level*>> sums(learned_.size());
    for (Index row = 0; row < chunk.rows; ++row) {
      const double weight = weights_ ? cells(chunk, *weights_).number(row) : 1;
      if (!(weight >= 0) || (missing_ == Missing::drop && drops(chunk, row))) {
        ++dropped_;
        continue;
      }
      ++kept_;
      weighted_ += weight > 0 ? 1 : 0;
      for (std::size_t j = 0; j < learned_.size(); ++j) add_cell(chunk, row, weight, learned_[j], sums[j]);
    }
  }

  void finish(LearnedEncoding& out) const {
    out.is_read = true;
    out.rows = kept_;
    out.dropped = dropped_;
    const auto worst = std::max_element(learned_.begin(), learned_.end(),
                                        [](const Learned& a, const Learned& b) { return a.missing < b.missing; });
    out.worst = source_.names()[static_cast<std::size_t>(worst->column)];
    if (kept_ == 0) return;
    if (weighted_ == 0) refuse_no_weight();
    std::vector<double> fill_a, fill_b;
    const std::size_t features = out.encoding.features.size();
    for (std::size_t i = 0; i < features; ++i)
      finish(learned_[i], out.encoding.features[i], fill_a, &out.level_rows[i]);
    for (std::size_t i = 0; i < out.encoding.sensitive.size(); ++i)
      finish(learned_[features + i], out.encoding.sensitive[i], fill_b, nullptr);
    if (missing_ != Missing::mean) return;
    out.encoding.fill_a = Eigen::Map<const Eigen::VectorXd>(fill_a.data(), static_cast<Index>(fill_a.size()));
    out.encoding.fill_b = Eigen::Map<const Eigen::VectorXd>(fill_b.data(), static_cast<Index>(fill_b.size()));
  }

 private:
  void finish(const Learned& from, TableColumn& column, std::vector<double>& fill, LevelRows* rows) const {
    const double weight = from.weight.hi;
    if (!(weight > 0) && (from.is_category || missing_ == Missing::mean)) refuse_empty(column.name);
    if (!from.is_category) {
      fill.push_back(from.total.hi / weight);
      return;
    }
    for (const auto& [level, sum] : std::map<std::string, Level>(from.levels.begin(), from.levels.end())) {
      column.levels.push_back(level);
      fill.push_back(sum.weight.hi / weight);
      if (rows) (*rows)[level] = sum.rows;
    }
  }

  static const Cells& cells(const Chunk& chunk, Index column) {
    return chunk.columns[static_cast<std::size_t>(column)];
  }

  bool drops(const Chunk& chunk, Index row) {
    bool any = false;
    for (Learned& column : learned_)
      if (cells(chunk, column.column).is_missing(row)) {
        any = true;
        ++column.missing;
      }
    return any;
  }

  void add_cell(const Chunk& chunk, Index row, double weight, Learned& column, std::vector<Level*>& sums) {
    if (missing_ != Missing::mean && !column.is_category) return;
    const Cells& of = cells(chunk, column.column);
    if (of.is_missing(row) || of.is_category() != column.is_category) return;
    add_to(column.weight, weight);
    if (!column.is_category) {
      add_to(column.total, weight * of.number(row));
      return;
    }
    const auto code = static_cast<std::size_t>(of.code(row));
    sums.resize(of.levels().size());
    Level*& level = sums[code];
    if (!level) level = &level_of(column, of.levels()[code]);
    add_to(level->weight, weight);
    level->rows += weight > 0 ? 1 : 0;
  }

  // The same of rows without weights, of which all are kept: whole columns at a time.
  void count_levels(const Chunk& chunk) {
    kept_ += chunk.rows;
    weighted_ += chunk.rows;
    std::vector<std::int64_t> rows;
    for (Learned& column : learned_) {
      const Cells& of = cells(chunk, column.column);
      if (!column.is_category || !of.is_category()) continue;
      rows.assign(of.levels().size(), 0);
      for (Index row = 0; row < chunk.rows; ++row)
        if (const std::int32_t code = of.code(row); code >= 0) ++rows[static_cast<std::size_t>(code)];
      for (std::size_t code = 0; code < rows.size(); ++code) {
        if (rows[code] == 0) continue;
        Level& level = level_of(column, of.levels()[code]);
        level.rows += rows[code];
        add_to(level.weight, static_cast<double>(rows[code]));
        add_to(column.weight, static_cast<double>(rows[code]));
      }
    }
  }

  // References to elements of an unordered_map stay valid when it grows.
  Level& level_of(Learned& column, const std::string& name) {
    const auto [found, is_new] = column.levels.try_emplace(name);
    if (is_new) {
      const std::string& of = source_.names()[static_cast<std::size_t>(column.column)];
      level_text_ += name.size();
      if (column.levels.size() > kMostLevels) refuse_levels(of);
      if (level_text_ > kMostLevelText) refuse_level_text(of);
    }
    return found->second;
  }

  const ChunkSource& source_;
  Missing missing_;
  std::vector<CellPlan> plan_;
  std::vector<Learned> learned_;
  std::optional<Index> weights_;
  std::int64_t kept_ = 0, dropped_ = 0, weighted_ = 0;
  std::size_t level_text_ = 0;  // bytes, of all columns
};

}  // namespace

void LearnedEncoding::require_rows(const ChunkSource& source) const {
  if (is_read) plumbline::require_rows(source, rows, dropped, worst);
}

void require_rows(const ChunkSource& source, std::int64_t kept, std::int64_t dropped, const std::string& worst) {
  if (kept > 0) return;
  if (dropped == 0) throw Error(fmt::format("{} has no rows", source.called()));
  throw RemediableError(
      fmt::format("{}: all {} have a missing cell{}, and none is left", source.called(), counted(dropped, "row"),
                  worst.empty() ? "" : fmt::format(", most often in '{}'", worst)),
      Remedy::fill_missing, worst);
}

void check_level_columns(const ChunkSource& source, const Encoding& encoding, Index most) {
  constexpr std::size_t kShown = 5;
  std::vector<const TableColumn*> columns;
  Index sum = 0;
  for (const auto* part : {&encoding.features, &encoding.sensitive})
    for (const TableColumn& column : *part)
      if (column.kind == ColumnKind::category) {
        columns.push_back(&column);
        sum += column.width();
      }
  if (sum <= most) return;
  std::stable_sort(columns.begin(), columns.end(),
                   [](const TableColumn* a, const TableColumn* b) { return a->width() > b->width(); });
  columns.resize(std::min(columns.size(), kShown));
  std::string widest;
  for (const TableColumn* column : columns)
    widest += fmt::format("{}'{}' {}", widest.empty() ? "" : ", ", column->name, column->width());
  throw RemediableError(fmt::format("the levels of {} would become {} columns, more than {}, most of them of {}",
                                    source.called(), sum, most, widest),
                        Remedy::fewer_levels, columns.front()->name);
}

bool needs_a_look(const Schema& schema, Missing missing) {
  const auto is_category = [&](Index column) {
    return schema.kinds[static_cast<std::size_t>(column)] == ColumnKind::category;
  };
  return missing == Missing::mean || std::any_of(schema.features.begin(), schema.features.end(), is_category) ||
         std::any_of(schema.sensitive.begin(), schema.sensitive.end(), is_category);
}

LearnedEncoding learn_encoding(ChunkSource& source, const Schema& schema, Missing missing, const ReadOptions& options) {
  LearnedEncoding learned;
  Encoding& out = learned.encoding;
  out.features = columns_of(source, schema, schema.features);
  out.sensitive = columns_of(source, schema, schema.sensitive);
  const auto name_of_column = [&](const std::optional<Index>& column) {
    return column ? source.names()[static_cast<std::size_t>(*column)] : std::string();
  };
  out.target = name_of_column(schema.target);
  out.weights = name_of_column(schema.weights);
  out.missing = missing;
  learned.level_rows.resize(out.features.size());
  if (!needs_a_look(schema, missing)) return learned;

  Learner learner(source, schema, missing);
  source.scan(
      learner.plan(), options.threads, [](const Chunk&, int) {}, [&](const Chunk& chunk, int) { learner.add(chunk); },
      options.progress);
  learner.finish(learned);
  return learned;
}

}  // namespace plumbline
