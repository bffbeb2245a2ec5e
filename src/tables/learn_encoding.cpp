#include "tables/learn_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "base/names.h"
#include "base/refusals.h"
#include "base/weights.h"
#include "csv/cell_values.h"
#include "moments/double_double.h"
#include "plumbline/error.h"
#include "tables/record.h"

namespace plumbline {
namespace {

void add_to(DoubleDouble& sum, double x) { sum = sum + DoubleDouble{x, 0}; }

// What is learned of one column, cell by cell.
struct Learned {
  Index column = 0;
  CellPlace place = {};
  DoubleDouble weight = {}, total = {};  // of the cells that are there
  std::unordered_map<std::string, DoubleDouble> levels = {};
};

std::vector<TableColumn> columns_of(const CsvTable& table, const Schema& schema, const std::vector<Index>& which) {
  std::vector<TableColumn> out;
  for (const Index column : which)
    out.push_back({table.names()[static_cast<std::size_t>(column)], schema.kinds[static_cast<std::size_t>(column)]});
  return out;
}

// Goes over the records of a chunk in order.
class Learner {
 public:
  Learner(const CsvTable& table, const Schema& schema, Missing missing)
      : table_(table), missing_(missing), plan_(table.names().size()) {
    const auto plan = [&](Index column) {
      const ColumnKind kind = schema.kinds[static_cast<std::size_t>(column)];
      if (missing == Missing::error && kind != ColumnKind::category) return;  // only levels are wanted
      plan_[static_cast<std::size_t>(column)].kind = cell_kind(kind);
    };
    for (const auto* columns : {&schema.features, &schema.sensitive})
      for (const Index column : *columns) plan(column);
    if (schema.weights) plan(*schema.weights);
    for (const auto* columns : {&schema.features, &schema.sensitive})
      for (const Index column : *columns) learned_.push_back({column, CellPlace(plan_, column)});
    if (schema.weights && missing != Missing::error) weights_ = CellPlace(plan_, *schema.weights);
  }

  const std::vector<CellPlan>& plan() const { return plan_; }

  void add(const ParsedChunk& chunk) {
    std::vector<std::vector<DoubleDouble*>> sums(chunk.levels.size());
    for (Index row = 0; row < chunk.rows; ++row) {
      const Record record(chunk, row);
      const double weight = weights_ ? record.number(*weights_) : 1;
      const auto is_missing = [&](const Learned& column) { return record.is_missing(column.place); };
      if (!(weight >= 0) || (missing_ == Missing::drop && std::any_of(learned_.begin(), learned_.end(), is_missing))) {
        ++dropped_;
        continue;
      }
      ++kept_;
      has_weight_ |= weight > 0;
      for (Learned& column : learned_) {
        const CellPlace& place = column.place;
        if ((missing_ != Missing::mean && !place.is_category) || record.is_missing(place)) continue;
        add_to(column.weight, weight);
        if (!place.is_category) {
          add_to(column.total, weight * record.number(place));
          continue;
        }
        const std::vector<std::string>& names = chunk.levels[place.slot];
        const auto code = static_cast<std::size_t>(record.code(place));
        sums[place.slot].resize(names.size());
        DoubleDouble*& sum = sums[place.slot][code];
        if (!sum) sum = &level(column, names[code]);
        add_to(*sum, weight);
      }
    }
  }

  void require_rows(const Encoding& encoding) const {
    plumbline::require_rows(table_, encoding, kept_, dropped_);
    if (!has_weight_) refuse_no_weight();
  }

  // Of column i of those learned, features first.
  void finish(std::size_t i, TableColumn& column, std::vector<double>& fill) const {
    const Learned& from = learned_[i];
    const double weight = from.weight.hi;
    if (!(weight > 0) && (from.place.is_category || missing_ == Missing::mean))
      refuse_empty(column.name, " with --drop");
    if (!from.place.is_category) {
      fill.push_back(from.total.hi / weight);
      return;
    }
    for (const auto& [level, sum] : std::map<std::string, DoubleDouble>(from.levels.begin(), from.levels.end())) {
      column.levels.push_back(level);
      fill.push_back(sum.hi / weight);
    }
  }

 private:
  // References to elements of an unordered_map stay valid when it grows.
  DoubleDouble& level(Learned& column, const std::string& name) {
    const auto [found, is_new] = column.levels.try_emplace(name);
    if (is_new) {
      const std::string& of = table_.names()[static_cast<std::size_t>(column.column)];
      level_text_ += name.size();
      if (column.levels.size() > kMostLevels) refuse_levels(of, " with --drop");
      if (level_text_ > kMostLevelText) refuse_level_text(of, " with --drop");
    }
    return found->second;
  }

  const CsvTable& table_;
  Missing missing_;
  std::vector<CellPlan> plan_;
  std::vector<Learned> learned_;
  std::optional<CellPlace> weights_;
  std::int64_t kept_ = 0, dropped_ = 0;
  std::size_t level_text_ = 0;  // bytes, of all columns
  bool has_weight_ = false;
};

}  // namespace

void require_rows(const CsvTable& table, const Encoding& encoding, std::int64_t kept, std::int64_t dropped) {
  if (kept > 0) return;
  const std::string& input = table.input_name(0);
  if (dropped == 0) throw Error(fmt::format("'{}' has no rows", input));
  const auto head = table.head(kHeadRecords);
  std::string worst;
  std::ptrdiff_t most = -1;
  for (const auto* columns : {&encoding.features, &encoding.sensitive})
    for (const TableColumn& column : *columns) {
      const auto at = std::find(table.names().begin(), table.names().end(), column.name) - table.names().begin();
      const auto lacking = std::count_if(head.begin(), head.end(), [&](const auto& record) {
        return table.dialect().is_missing(trimmed(record[static_cast<std::size_t>(at)]));
      });
      if (lacking > most) {
        most = lacking;
        worst = column.name;
      }
    }
  throw Error(fmt::format(
      "'{}': all {} have a missing cell, most often in '{}', and --missing drop leaves none; leave that column out, or "
      "fill it with --missing mean",
      input, counted(dropped, "row"), worst));
}

bool needs_a_look(const Schema& schema, Missing missing) {
  const auto is_category = [&](Index column) {
    return schema.kinds[static_cast<std::size_t>(column)] == ColumnKind::category;
  };
  return missing == Missing::mean || std::any_of(schema.features.begin(), schema.features.end(), is_category) ||
         std::any_of(schema.sensitive.begin(), schema.sensitive.end(), is_category);
}

Encoding learn_encoding(CsvTable& table, const Schema& schema, Missing missing, const ReadOptions& options) {
  Encoding out;
  out.features = columns_of(table, schema, schema.features);
  out.sensitive = columns_of(table, schema, schema.sensitive);
  const auto name_of_column = [&](const std::optional<Index>& column) {
    return column ? table.names()[static_cast<std::size_t>(*column)] : std::string();
  };
  out.target = name_of_column(schema.target);
  out.weights = name_of_column(schema.weights);
  out.missing = missing;
  if (!needs_a_look(schema, missing)) return out;

  Learner learner(table, schema, missing);
  table.scan(
      learner.plan(), options.threads, [](TableChunk&, int) {},
      [&](TableChunk& chunk, int) { learner.add(chunk.cells); }, options.progress);
  learner.require_rows(out);
  std::vector<double> fill_a, fill_b;
  for (std::size_t i = 0; i < out.features.size(); ++i) learner.finish(i, out.features[i], fill_a);
  for (std::size_t i = 0; i < out.sensitive.size(); ++i)
    learner.finish(out.features.size() + i, out.sensitive[i], fill_b);
  if (missing == Missing::mean) {
    out.fill_a = Eigen::Map<const Eigen::VectorXd>(fill_a.data(), static_cast<Index>(fill_a.size()));
    out.fill_b = Eigen::Map<const Eigen::VectorXd>(fill_b.data(), static_cast<Index>(fill_b.size()));
  }
  return out;
}

}  // namespace plumbline
