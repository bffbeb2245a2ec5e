#include "tables/row_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "base/printable.h"
#include "base/refusals.h"
#include "base/weights.h"
#include "io/descriptor.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

// Where each level of a chunk stands among those of the encoding; −1: nowhere.
std::vector<std::int32_t> places_of(const std::vector<std::string>& levels, const std::vector<std::string>& known) {
  std::vector<std::int32_t> places;
  places.reserve(levels.size());
  for (const std::string& level : levels) {
    const auto at = std::lower_bound(known.begin(), known.end(), level);
    places.push_back(at != known.end() && *at == level ? static_cast<std::int32_t>(at - known.begin()) : -1);
  }
  return places;
}

// As --no-header names columns: c1, c2 ...
bool is_numbered(const std::string& name) {
  return name.size() > 1 && name[0] == 'c' && name.find_first_not_of("0123456789", 1) == std::string::npos;
}

std::string header_hint(const std::vector<TableColumn>& model, const std::vector<std::string>& table) {
  const bool numbered =
      std::all_of(model.begin(), model.end(), [](const auto& column) { return is_numbered(column.name); });
  if (numbered == std::all_of(table.begin(), table.end(), is_numbered)) return "";
  return numbered ? "; the model was fitted with --no-header, so perhaps it is lacking here"
                  : "; the model knows its columns by name, so perhaps --no-header is wrong here";
}

// Columns that have no part in the model: those that have one are not mistyped names of others.
std::vector<std::string> without_part(const Encoding& model, const std::vector<std::string>& columns) {
  std::unordered_set<std::string_view> parts = {model.weights};
  for (const auto* part : {&model.features, &model.sensitive})
    for (const TableColumn& column : *part) parts.insert(column.name);
  std::vector<std::string> out;
  for (const std::string& name : columns)
    if (!parts.contains(name)) out.push_back(name);
  return out;
}

}  // namespace

RowEncoder::RowEncoder(Encoding encoding, const CsvTable& table, Wanted wanted)
    : encoding_(std::move(encoding)), columns_(table.names()), largest_(wanted.largest), plan_(table.names().size()) {
  if (!wanted.weights) encoding_.weights.clear();
  std::vector<std::string> lacking, lacking_sensitive;
  const auto add = [&](const TableColumn& column, std::vector<std::string>& absent) {
    const auto at = std::find(columns_.begin(), columns_.end(), column.name);
    if (at == columns_.end())
      absent.push_back(column.name);
    else
      plan_[static_cast<std::size_t>(at - columns_.begin())].kind = cell_kind(column.kind);
  };
  for (const TableColumn& column : encoding_.features) add(column, lacking);
  if (wanted.sensitive)
    for (const TableColumn& column : encoding_.sensitive) add(column, lacking_sensitive);
  if (!encoding_.weights.empty()) add({encoding_.weights, ColumnKind::number}, lacking);
  if (!lacking.empty() || !lacking_sensitive.empty())
    check_present(in_quotes(table.input_name(0)), lacking, lacking_sensitive, without_part(encoding_, columns_),
                  wanted.needed, header_hint(encoding_.features, columns_));

  a_ = sources(encoding_.features, a_width_);
  if (wanted.sensitive) b_ = sources(encoding_.sensitive, b_width_);
  if (!encoding_.weights.empty()) {
    const Index at = std::find(columns_.begin(), columns_.end(), encoding_.weights) - columns_.begin();
    weights_ = {at, CellPlace(plan_, at), 0, nullptr};
  }
}

std::vector<RowEncoder::Source> RowEncoder::sources(const std::vector<TableColumn>& columns, Index& width) const {
  std::vector<Source> out;
  width = 0;
  for (const TableColumn& column : columns) {
    const Index at = std::find(columns_.begin(), columns_.end(), column.name) - columns_.begin();
    out.push_back({at, CellPlace(plan_, at), width, &column});
    width += column.width();
  }
  return out;
}

bool RowEncoder::has_missing(const ParsedChunk& chunk, Index row) const {
  const Record record(chunk, row);
  const auto is_missing = [&](const Source& source) { return record.is_missing(source.place); };
  return std::any_of(a_.begin(), a_.end(), is_missing) || std::any_of(b_.begin(), b_.end(), is_missing) ||
         (weights_ && is_missing(*weights_));
}

// False if the record has a problem.
bool RowEncoder::encode_cells(const std::vector<Source>& sources, const Eigen::VectorXd& fill, const ParsedChunk& chunk,
                              Index row, const std::vector<std::vector<std::int32_t>>& levels, double* cells,
                              EncodedRows& out) const {
  const Record record(chunk, row);
  for (const Source& source : sources) {
    double* to = cells + source.offset;
    const Index width = source.of->width();
    const bool missing = record.is_missing(source.place);
    if (!source.place.is_category) {
      *to = record.number(source.place);
      if (std::abs(*to) > largest_) {
        out.problem = {EncodingProblem::Kind::too_large, row, source.column, fmt::format("{}", *to)};
        return false;
      }
    } else {
      std::fill(to, to + width, 0.0);
      if (!missing) {
        const auto code = static_cast<std::size_t>(record.code(source.place));
        const std::int32_t place = levels[source.place.slot][code];
        if (place >= 0) {
          to[place] = 1;
        } else if (encoding_.ignore_unknown) {
          ++out.unknown;
        } else {
          out.problem = {EncodingProblem::Kind::unknown_level, row, source.column,
                         printable(chunk.levels[source.place.slot][code])};
          return false;
        }
      }
    }
    if (!missing) continue;
    if (encoding_.missing == Missing::error) {
      out.problem = {EncodingProblem::Kind::missing, row, source.column};
      return false;
    }
    for (Index i = 0; i < width; ++i) to[i] = fill[source.offset + i];
    ++out.filled;
  }
  return true;
}

void RowEncoder::encode(const ParsedChunk& chunk, EncodedRows& out) const {
  out.rows = out.dropped = out.filled = out.unknown = 0;
  out.problem.reset();
  out.record.clear();
  out.a.resize(static_cast<std::size_t>(chunk.rows * a_width_));
  out.b.resize(static_cast<std::size_t>(chunk.rows * b_width_));
  out.weights.clear();
  std::vector<std::vector<std::int32_t>> levels(chunk.levels.size());
  for (const auto* sources : {&a_, &b_})
    for (const Source& source : *sources)
      if (source.place.is_category)
        levels[source.place.slot] = places_of(chunk.levels[source.place.slot], source.of->levels);

  for (Index row = 0; row < chunk.rows; ++row) {
    if (encoding_.missing == Missing::drop && has_missing(chunk, row)) {
      ++out.dropped;
      continue;
    }
    if (weights_) {
      const double weight = Record(chunk, row).number(weights_->place);
      if (!(weight >= 0)) {
        out.problem = {std::isnan(weight) ? EncodingProblem::Kind::missing : EncodingProblem::Kind::bad_weight, row,
                       weights_->column, fmt::format("{}", weight)};
        break;
      }
      out.weights.push_back(weight);
    }
    if (encode_cells(a_, encoding_.fill_a, chunk, row, levels, out.a.data() + out.rows * a_width_, out) &&
        encode_cells(b_, encoding_.fill_b, chunk, row, levels, out.b.data() + out.rows * b_width_, out)) {
      out.record.push_back(row);
      ++out.rows;
    } else {
      if (weights_) out.weights.pop_back();
      break;
    }
  }
}

std::string describe(const EncodingProblem& problem, const CsvTable& table, const TableChunk& chunk) {
  const std::string place = table.place(chunk, problem.row, problem.column);
  switch (problem.kind) {
    case EncodingProblem::Kind::missing:
      return fmt::format(
          "{}: the cell is missing; --missing drop leaves such rows out, and in fit and transform --missing mean fills "
          "in the column's mean",
          place);
    case EncodingProblem::Kind::unknown_level:
      return fmt::format("{}: '{}' is a category that the fit has not seen; --unknown ignore maps it to none of them",
                         place, problem.cell);
    case EncodingProblem::Kind::too_large:
      return fmt::format(
          "{}: {} is so large that what is computed from it leaves the range of a double; rescale the "
          "column, or take the cell for missing with --missing-marker {}",
          place, problem.cell, problem.cell);
    case EncodingProblem::Kind::bad_weight:
      return bad_weight(place, problem.cell);
  }
  return place;
}

}  // namespace plumbline
