#include "tables/row_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/printable.h"
#include "base/weights.h"
#include "plumbline/error.h"
#include "tables/table_target.h"

namespace plumbline {
namespace {

constexpr std::int32_t kNowhere = -1;

// The indicator of each level of a chunk.
std::vector<std::int32_t> places_of(const std::vector<std::string>& levels, const TableColumn& column,
                                    Unknown unknown) {
  const auto among = [](const std::vector<std::string>& known, const std::string& level) {
    const auto at = std::lower_bound(known.begin(), known.end(), level);
    return at != known.end() && *at == level ? static_cast<std::int32_t>(at - known.begin()) : kNowhere;
  };
  const auto other = static_cast<std::int32_t>(column.levels.size());
  std::vector<std::int32_t> places;
  places.reserve(levels.size());
  for (const std::string& level : levels) {
    std::int32_t place = among(column.levels, level);
    const bool joins = !column.merged.empty() && (unknown == Unknown::merge || among(column.merged, level) != kNowhere);
    if (place == kNowhere && joins) place = other;
    places.push_back(place);
  }
  return places;
}

// Rows from the one of the problem on are not encoded; one that comes later in the rows is no problem yet.
void keep(EncodingProblem problem, Index row, EncodedRows& out) {
  out.problem = std::move(problem);
  out.rows = row;
}

}  // namespace

RowEncoder::RowEncoder(const Encoding& encoding, Placement placement, const ChunkSource& source, double largest)
    : encoding_(encoding), largest_(largest), plan_(source.names().size()), weights_(placement.weights) {
  a_ = sources(encoding_.features, placement.features, a_width_);
  if (!placement.sensitive.empty()) b_ = sources(encoding_.sensitive, placement.sensitive, b_width_);
  for (const auto* part : {&a_, &b_})
    for (const Source& one : *part) plan_cells(source, one.column, *one.of);
  if (weights_) plan_cells(source, *weights_, {source.names()[static_cast<std::size_t>(*weights_)]});
  if (!placement.target) return;
  extra_.push_back(*placement.target);
  if (placement.predictions) extra_.push_back(*placement.predictions);
  for (const Index column : extra_)
    plan_[static_cast<std::size_t>(column)].kind =
        column == *placement.target ? cell_kind(placement.target_kind) : CellKind::number;
}

void RowEncoder::plan_cells(const ChunkSource& source, Index column, const TableColumn& of) {
  if (of.held) return;
  const std::optional<ColumnKind> kind = source.kind(column);
  if (kind && (*kind == ColumnKind::category) != (of.kind == ColumnKind::category))
    throw Error(fmt::format("column '{}' was a {} in fit, and is a {} here", of.name, name_of(of.kind),
                            *kind == ColumnKind::boolean ? "number" : name_of(*kind)));
  plan_[static_cast<std::size_t>(column)].kind = cell_kind(of.kind);
}

std::vector<RowEncoder::Source> RowEncoder::sources(const std::vector<TableColumn>& columns,
                                                    const std::vector<Index>& at, Index& width) {
  std::vector<Source> out;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    out.push_back({at[j], width, &columns[j]});
    width += columns[j].width();
  }
  return out;
}

// Calls use(column) for each column of the table that lacks its cell.
template <class Use>
void RowEncoder::for_each_missing(const Chunk& chunk, Index row, const Use& use) const {
  const auto look = [&](Index column) {
    const auto at = static_cast<std::size_t>(column);
    if (chunk.columns[at].is_missing(row)) use(at);
  };
  for (const auto* part : {&a_, &b_})
    for (const Source& source : *part)
      if (!source.of->held) look(source.column);
  if (weights_) look(*weights_);
}

// Which rows are encoded, and their weights.
void RowEncoder::choose_rows(const Chunk& chunk, EncodedRows& out) const {
  const bool drops = encoding_.missing == Missing::drop;
  for (Index row = 0; row < chunk.rows; ++row) {
    bool lacks = false;
    if (drops)
      for_each_missing(chunk, row, [&](std::size_t column) {
        ++out.lacking[column];
        lacks = true;
      });
    if (lacks) {
      ++out.dropped;
      continue;
    }
    if (weights_) {
      const double weight = chunk.columns[static_cast<std::size_t>(*weights_)].number(row);
      if (!(weight >= 0 && weight <= std::numeric_limits<double>::max())) {
        out.problem = {std::isnan(weight) ? EncodingProblem::Kind::missing : EncodingProblem::Kind::bad_weight, row,
                       *weights_, fmt::format("{}", weight)};
        break;
      }
      out.weights.push_back(weight);
    }
    out.record.push_back(row);
  }
  out.rows = out.lead = static_cast<Index>(out.record.size());
}

void RowEncoder::encode_column(const Source& source, double fill, const Cells& cells, double* to,
                               EncodedRows& out) const {
  if (source.of->held) {
    std::fill_n(to, out.rows, *source.of->held);
    return;
  }
  const bool is_other_kind = cells.is_category();  // and then of nothing but missing cells
  for (Index i = 0; i < out.rows; ++i) {
    const Index row = out.record[static_cast<std::size_t>(i)];
    const double value = is_other_kind ? std::numeric_limits<double>::quiet_NaN() : cells.number(row);
    if (std::abs(value) <= largest_) {
      to[i] = value;
    } else if (std::isfinite(value)) {
      return keep({EncodingProblem::Kind::too_large, row, source.column, fmt::format("{}", value)}, i, out);
    } else if (encoding_.missing == Missing::error) {
      return keep({EncodingProblem::Kind::missing, row, source.column, fmt::format("{}", value)}, i, out);
    } else {
      to[i] = fill;
      ++out.filled;
    }
  }
}

void RowEncoder::encode_category(const Source& source, const Eigen::VectorXd& fill, const Cells& cells, double* to,
                                 EncodedRows& out) const {
  const Index width = source.of->width();
  for (Index k = 0; k < width; ++k) std::fill_n(to + k * out.lead, out.rows, 0.0);
  const bool is_other_kind = !cells.is_category();
  const std::vector<std::int32_t> places =
      is_other_kind ? std::vector<std::int32_t>() : places_of(cells.levels(), *source.of, encoding_.unknown);
  for (Index i = 0; i < out.rows; ++i) {
    const Index row = out.record[static_cast<std::size_t>(i)];
    const std::int32_t code = is_other_kind ? kNowhere : cells.code(row);
    if (code >= 0) {
      const std::int32_t place = places[static_cast<std::size_t>(code)];
      if (place >= 0) {
        to[place * out.lead + i] = 1;
      } else if (encoding_.unknown == Unknown::ignore) {
        ++out.unknown;
      } else {
        return keep(
            {EncodingProblem::Kind::unknown_level, row, source.column, cells.levels()[static_cast<std::size_t>(code)]},
            i, out);
      }
    } else if (encoding_.missing == Missing::error) {
      return keep({EncodingProblem::Kind::missing, row, source.column}, i, out);
    } else {
      for (Index k = 0; k < width; ++k) to[k * out.lead + i] = fill[source.offset + k];
      ++out.filled;
    }
  }
}

void RowEncoder::encode_part(const std::vector<Source>& sources, const Eigen::VectorXd& fill, const Chunk& chunk,
                             std::vector<double>& cells, EncodedRows& out) const {
  for (const Source& source : sources) {
    const Cells& from = chunk.columns[static_cast<std::size_t>(source.column)];
    double* const to = cells.data() + source.offset * out.lead;
    if (source.of->kind == ColumnKind::category)
      encode_category(source, fill, from, to, out);
    else
      encode_column(source, fill.size() == 0 ? 0 : fill[source.offset], from, to, out);
  }
}

void RowEncoder::encode_extra(const Chunk& chunk, EncodedRows& out) const {
  out.extra.resize(extra_.size() * static_cast<std::size_t>(out.lead));
  out.target_levels.clear();
  std::vector<double> values;
  for (std::size_t k = 0; k < extra_.size(); ++k) {
    const Cells& cells = chunk.columns[static_cast<std::size_t>(extra_[k])];
    double* const to = out.extra.data() + k * static_cast<std::size_t>(out.lead);
    const bool is_category = cells.is_category();
    if (is_category) values.assign(cells.levels().size(), std::numeric_limits<double>::quiet_NaN());
    for (Index i = 0; i < out.rows; ++i) {
      const Index row = out.record[static_cast<std::size_t>(i)];
      to[i] = std::numeric_limits<double>::quiet_NaN();
      if (cells.is_missing(row)) continue;
      if (!is_category) {
        to[i] = cells.number(row);
        continue;
      }
      const auto code = static_cast<std::size_t>(cells.code(row));
      if (std::isnan(values[code])) {
        values[code] = level_value(cells.levels()[code]);
        out.target_levels.push_back(cells.levels()[code]);
      }
      to[i] = values[code];
    }
  }
}

void RowEncoder::encode(const Chunk& chunk, EncodedRows& out) const {
  out.rows = out.lead = out.dropped = out.filled = out.unknown = 0;
  out.problem.reset();
  out.lacking.assign(plan_.size(), 0);
  out.record.clear();
  out.weights.clear();
  choose_rows(chunk, out);
  out.a.resize(static_cast<std::size_t>(out.lead * a_width_));
  out.b.resize(static_cast<std::size_t>(out.lead * b_width_));
  encode_extra(chunk, out);
  encode_part(a_, encoding_.fill_a, chunk, out.a, out);
  encode_part(b_, encoding_.fill_b, chunk, out.b, out);
  out.record.resize(static_cast<std::size_t>(out.rows));
  if (weights_) out.weights.resize(static_cast<std::size_t>(out.rows));
}

std::optional<Columns> RowEncoder::as_they_lie(const std::vector<Source>& sources, const ChunkSource& source) const {
  std::vector<Index> columns;
  for (const Source& one : sources) {
    if (one.of->kind == ColumnKind::category) return std::nullopt;
    columns.push_back(one.column);
  }
  return source.matrix(columns);
}

std::optional<Columns> RowEncoder::features_as_they_lie(const ChunkSource& source) const {
  return as_they_lie(a_, source);
}

std::optional<Columns> RowEncoder::sensitive_as_they_lie(const ChunkSource& source) const {
  return as_they_lie(b_, source);
}

void refuse(const EncodingProblem& problem, const ChunkSource& source, const Chunk& chunk, int slot) {
  const std::string place = source.place(chunk, slot, problem.row, problem.column);
  const std::string& column = source.names()[static_cast<std::size_t>(problem.column)];
  switch (problem.kind) {
    case EncodingProblem::Kind::missing:
      throw RemediableError(fmt::format("{}: the cell is missing", place), Remedy::allow_missing, column, problem.cell);
    case EncodingProblem::Kind::unknown_level:
      throw RemediableError(
          fmt::format("{}: '{}' is a category that the fit has not seen", place, printable(problem.cell)),
          Remedy::allow_unknown, column, problem.cell);
    case EncodingProblem::Kind::too_large:
      throw RemediableError(fmt::format("{}: {} is so large that what is computed from it leaves the range of a "
                                        "double; rescale the column",
                                        place, problem.cell),
                            Remedy::as_missing, column, problem.cell);
    case EncodingProblem::Kind::bad_weight:
      throw Error(bad_weight(place, problem.cell));
  }
  throw Error(place);
}

}  // namespace plumbline
