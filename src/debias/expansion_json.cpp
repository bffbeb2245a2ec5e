// JSON form of Expansion, version 1:
//
//   {"format": "plumbline expansion", "version": 1, "powers": 2, "interactions": false, "ignore_unknown": false,
//    "columns": [{"name": "age", "mean": 40.5, "sd": 11.25, "knots": [], "edges": []},
//                {"name": "race", "levels": [1.0, 2.0]}],
//    "outputs": ["age", "age^2", "race=1", "race=2"]}
//
// The outputs follow from the rest and are compared with it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "plumbline/error.h"
#include "plumbline/expansion.h"

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "plumbline expansion";
constexpr int kVersion = 1;

const Json& field(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end())
    throw Error(fmt::format("the expansion's JSON has no '{}' where one is needed", name));
  return *found;
}

[[noreturn]] void refuse(const char* name, const char* constraint) {
  throw Error(fmt::format("'{}' in the expansion's JSON is not {}", name, constraint));
}

bool truth(const Json& object, const char* name) {
  const Json& value = field(object, name);
  if (!value.is_boolean()) refuse(name, "true or false");
  return value.get<bool>();
}

std::string text_of(const Json& object, const char* name) {
  const Json& value = field(object, name);
  if (!value.is_string()) refuse(name, "a text");
  return value.get<std::string>();
}

int integer(const Json& object, const char* name) {
  const Json& value = field(object, name);
  constexpr int most = 1'000'000;
  if (!value.is_number_integer() || value < 0 || value > most) refuse(name, "an integer from 0 to 1000000");
  return value.get<int>();
}

double finite(const Json& value, const char* name) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) refuse(name, "made of finite numbers");
  return value.get<double>();
}

const Json& list(const Json& object, const char* name) {
  const Json& value = field(object, name);
  if (!value.is_array()) refuse(name, "a list");
  return value;
}

std::vector<double> increasing(const Json& object, const char* name) {
  std::vector<double> numbers;
  for (const Json& value : list(object, name)) {
    const double number = finite(value, name);
    if (!numbers.empty() && !(numbers.back() < number)) refuse(name, "increasing");
    numbers.push_back(number);
  }
  return numbers;
}

Expansion::Column column_from(const Json& object) {
  Expansion::Column column;
  if (object.is_object() && object.contains("levels")) {
    column.levels = increasing(object, "levels");
    if (column.levels.empty() || column.levels.size() > 1000) refuse("levels", "a list of 1 to 1000 numbers");
    return column;
  }
  column.mean = finite(field(object, "mean"), "mean");
  column.sd = finite(field(object, "sd"), "sd");
  if (!(column.sd > 0)) refuse("sd", "positive");
  column.knots = increasing(object, "knots");
  column.edges = increasing(object, "edges");
  if (column.knots.empty()) return column;
  if (column.knots.size() < 3) refuse("knots", "empty or a list of at least 3 numbers");
  const double origin = column.knots.front(), width = column.knots.back() - origin;
  for (std::size_t k = 1; k < column.knots.size(); ++k)
    if (!((column.knots[k - 1] - origin) / width < (column.knots[k] - origin) / width))
      refuse("knots", "spread over a range that a double can hold");
  return column;
}

}  // namespace

std::string Expansion::to_json() const {
  Json columns = Json::array();
  for (Index j = 0; j < inputs(); ++j) {
    const Column& column = columns_[j];
    if (column.is_code())
      columns.push_back({{"name", input_names_[j]}, {"levels", column.levels}});
    else
      columns.push_back({{"name", input_names_[j]},
                         {"mean", column.mean},
                         {"sd", column.sd},
                         {"knots", column.knots},
                         {"edges", column.edges}});
  }
  const Json json = {{"format", kFormat},
                     {"version", kVersion},
                     {"powers", powers_},
                     {"interactions", interactions_},
                     {"ignore_unknown", ignore_unknown_},
                     {"columns", std::move(columns)},
                     {"outputs", names_}};
  try {
    return json.dump();
  } catch (const Json::type_error&) {
    throw Error("a name of a sensitive column is not UTF-8 text, which JSON requires; rename the column");
  }
}

Expansion Expansion::from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw Error("the expansion's text is not JSON, is cut short or holds a number too large");
  if (text_of(json, "format") != kFormat) refuse("format", "that of a Plumbline expansion");
  const int version = integer(json, "version");
  if (version != kVersion)
    throw Error(fmt::format("the expansion's JSON is of version {}; this program reads version {}", version, kVersion));
  Expansion result;
  result.powers_ = integer(json, "powers");
  ExpansionOptions{.powers = result.powers_}.check(0);
  result.interactions_ = truth(json, "interactions");
  result.ignore_unknown_ = truth(json, "ignore_unknown");
  for (const Json& column : list(json, "columns")) {
    result.input_names_.push_back(text_of(column, "name"));
    result.columns_.push_back(column_from(column));
  }
  result.lay_out();
  const Json& outputs = list(json, "outputs");
  if (outputs != Json(result.names_)) refuse("outputs", "the list of names that its columns give");
  return result;
}

}  // namespace plumbline
