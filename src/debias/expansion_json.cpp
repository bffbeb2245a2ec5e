// JSON form of Expansion, version 1:
//
//   {"format": "plumbline-expansion", "version": 1, "powers": 2, "interactions": false, "ignore_unknown": false,
//    "columns": [{"name": "age", "mean": 40.5, "sd": 11.25, "knots": [], "edges": []},
//                {"name": "race", "levels": [1.0, 2.0]}],
//    "outputs": ["age", "age^2", "race=1", "race=2"]}
//
// The outputs follow from the rest and are compared with it.
#include <fmt/format.h>

#include "base/json.h"
#include "plumbline/error.h"
#include "plumbline/expansion.h"

namespace plumbline {
namespace {

constexpr std::string_view kExpansionFormat = "plumbline-expansion";
constexpr int kExpansionVersion = 1;

std::vector<double> increasing(const Json& object, const char* what) {
  const Eigen::VectorXd numbers = vector_at(object, what);
  for (Index i = 1; i < numbers.size(); ++i)
    if (!(numbers[i - 1] < numbers[i])) bad_member(what, "is not increasing");
  return {numbers.begin(), numbers.end()};
}

Expansion::Column column_from(const Json& object) {
  Expansion::Column column;
  if (object.is_object() && object.contains("levels")) {
    column.levels = increasing(object, "levels");
    if (column.levels.empty() || column.levels.size() > 1000)
      bad_member("levels", "is not a list of 1 to 1000 numbers");
    return column;
  }
  column.mean = number_at(object, "mean");
  column.sd = number_at(object, "sd");
  if (!(column.sd > 0)) bad_member("sd", "is not positive");
  column.knots = increasing(object, "knots");
  column.edges = increasing(object, "edges");
  if (column.knots.empty()) return column;
  if (column.knots.size() < 3) bad_member("knots", "is neither empty nor a list of at least 3 numbers");
  const double origin = column.knots.front(), width = column.knots.back() - origin;
  for (std::size_t k = 1; k < column.knots.size(); ++k)
    if (!((column.knots[k - 1] - origin) / width < (column.knots[k] - origin) / width))
      bad_member("knots", "is spread over a range that a double cannot hold");
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
  return dump_json({{"format", kExpansionFormat},
                    {"version", kExpansionVersion},
                    {"powers", powers_},
                    {"interactions", interactions_},
                    {"ignore_unknown", ignore_unknown_},
                    {"columns", std::move(columns)},
                    {"outputs", names_}});
}

Expansion Expansion::from_json(std::string_view text) {
  const Json json = parse_json(text);
  check_version(json, kExpansionFormat, kExpansionVersion);
  Expansion result;
  result.powers_ = value_at<int>(json, "powers");
  ExpansionOptions{.powers = result.powers_}.check(0);
  result.interactions_ = value_at<bool>(json, "interactions");
  result.ignore_unknown_ = value_at<bool>(json, "ignore_unknown");
  for (const Json& column : list_at(json, "columns")) {
    result.input_names_.push_back(value_at<std::string>(column, "name"));
    result.columns_.push_back(column_from(column));
  }
  result.lay_out();
  if (list_at(json, "outputs") != Json(result.names_)) bad_member("outputs", "is not what its columns give");
  return result;
}

}  // namespace plumbline
