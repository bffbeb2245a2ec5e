#include "debias/encoding_json.h"

namespace plumbline {
namespace {

template <class E>
E choice(const Json& in, const char* what, std::initializer_list<E> values) {
  const auto text = value_at<std::string>(in, what);
  for (const E value : values)
    if (text == name_of(value)) return value;
  bad_member(what, "is not a known choice");
}

Json columns_json(const std::vector<TableColumn>& columns) {
  Json out = Json::array();
  for (const TableColumn& column : columns) {
    Json one = {{"name", column.name}, {"kind", name_of(column.kind)}};
    if (column.kind == ColumnKind::category) one["levels"] = column.levels;
    if (!column.merged.empty()) {
      one["merged"] = column.merged;
      one["other"] = column.other;
    }
    if (column.held) one["held"] = *column.held;
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<TableColumn> columns_from(const Json& in, const char* what) {
  std::vector<TableColumn> columns;
  for (const Json& one : list_at(in, what)) {
    TableColumn column{value_at<std::string>(one, "name"),
                       choice(one, "kind", {ColumnKind::number, ColumnKind::boolean, ColumnKind::category})};
    if (column.kind == ColumnKind::category) column.levels = strings_at(one, "levels");
    if (one.contains("merged")) {
      column.merged = strings_at(one, "merged");
      column.other = value_at<std::string>(one, "other");
    }
    if (one.contains("held")) column.held = number_at(one, "held");
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace

Json json_of(const Encoding& encoding) {
  Json out = {{"features", columns_json(encoding.features)},
              {"sensitive", columns_json(encoding.sensitive)},
              {"target", encoding.target},
              {"weights", encoding.weights},
              {"missing", name_of(encoding.missing)},
              {"ignore_unknown", encoding.unknown == Unknown::ignore},
              {"fill_a", json_of(encoding.fill_a)},
              {"fill_b", json_of(encoding.fill_b)}};
  if (encoding.unknown == Unknown::error) out["unknown"] = name_of(encoding.unknown);
  if (!encoding.kept.empty()) out["kept"] = encoding.kept;
  if (!encoding.columns.empty()) out["columns"] = encoding.columns;
  if (!encoding.unnamed.empty()) out["unnamed"] = encoding.unnamed;
  return out;
}

Encoding encoding_from(const Json& in) {
  Encoding out;
  out.features = columns_from(in, "features");
  out.sensitive = columns_from(in, "sensitive");
  out.target = value_at<std::string>(in, "target");
  out.weights = value_at<std::string>(in, "weights");
  out.missing = choice(in, "missing", {Missing::error, Missing::drop, Missing::mean});
  out.unknown = value_at<bool>(in, "ignore_unknown") ? Unknown::ignore : Unknown::merge;
  out.fill_a = vector_at(in, "fill_a");
  out.fill_b = vector_at(in, "fill_b");
  if (in.contains("unknown")) out.unknown = choice(in, "unknown", {Unknown::error});
  if (in.contains("kept")) out.kept = strings_at(in, "kept");
  if (in.contains("columns")) out.columns = strings_at(in, "columns");
  if (in.contains("unnamed")) out.unnamed = strings_at(in, "unnamed");
  out.check();
  return out;
}

}  // namespace plumbline
