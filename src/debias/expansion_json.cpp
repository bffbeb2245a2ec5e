// JSON form of Expansion, version 1:
//
//   {"format": "plumbline-expansion", "version": 1, "powers": 2, "interactions": false, "ignore_unknown": false,
//    "columns": [{"name": "age", "mean": 40.5, "sd": 11.25, "knots": [], "edges": []},
//                {"name": "race", "levels": [1.0, 2.0]}],
//    "outputs": ["age", "age^2", "race=1", "race=2"]}
//
// and version 2, of an expansion whose terms a test chose, in which each number has its own powers, and interactions
// are pairs of columns:
//
//   {"format": "plumbline-expansion", "version": 2, "candidates": {"powers": 2, "knots": 0, "bins": 0,
//    "interactions": true}, "interactions": [[0, 1]], "ignore_unknown": false, "columns": [{"name": "age",
//    "mean": 40.5, "sd": 11.25, "powers": 2, "knots": [], "edges": []}, …], "outputs": […]}
//
// All others are written as version 1, for older readers. The outputs follow from the rest and are compared with it.
#include <fmt/format.h>

#include "base/json.h"
#include "plumbline/error.h"
#include "plumbline/expansion.h"

namespace plumbline {
namespace {

constexpr std::string_view kExpansionFormat = "plumbline-expansion";
constexpr int kExpansionVersion = 2, kChosenTerms = 2;

std::vector<double> increasing(const Json& object, const char* what) {
  const Eigen::VectorXd numbers = vector_at(object, what);
  for (Index i = 1; i < numbers.size(); ++i)
    if (!(numbers[i - 1] < numbers[i])) bad_member(what, "is not increasing");
  return {numbers.begin(), numbers.end()};
}

int powers_at(const Json& object) {
  const int powers = value_at<int>(object, "powers");
  ExpansionOptions{.powers = powers}.check(0);
  return powers;
}

Expansion::Column column_from(const Json& object, std::optional<int> powers) {
  Expansion::Column column;
  if (object.is_object() && object.contains("levels")) {
    column.levels = increasing(object, "levels");
    if (column.levels.empty() || column.levels.size() > 1000)
      bad_member("levels", "is not a list of 1 to 1000 numbers");
    return column;
  }
  column.powers = powers ? *powers : powers_at(object);
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

using Pairs = std::vector<std::pair<Index, Index>>;

Pairs all_pairs(Index columns) {
  constexpr std::size_t kTooMany = 200000;  // more than an expansion may have outputs: lay_out refuses it
  Pairs out;
  for (Index i = 0; i < columns && out.size() < kTooMany; ++i)
    for (Index j = i + 1; j < columns && out.size() < kTooMany; ++j) out.emplace_back(i, j);
  return out;
}

Pairs pairs_from(const Json& object, Index columns) {
  Pairs out;
  for (const Json& pair : list_at(object, "interactions")) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() || !pair[1].is_number_unsigned())
      bad_member("interactions", "holds what is no pair of columns");
    const auto i = pair[0].get<std::uint64_t>(), j = pair[1].get<std::uint64_t>();
    if (i >= j || j >= static_cast<std::uint64_t>(columns))
      bad_member("interactions", "names columns that are not there");
    out.emplace_back(static_cast<Index>(i), static_cast<Index>(j));
    if (out.size() > 1 && !(out[out.size() - 2] < out.back())) bad_member("interactions", "is not increasing");
  }
  return out;
}

}  // namespace

std::string Expansion::to_json() const {
  Json columns = Json::array();
  int powers = 1;  // of all numbers, unless terms were chosen
  for (Index j = 0; j < inputs(); ++j) {
    const Column& column = columns_[j];
    if (column.is_code()) {
      columns.push_back({{"name", input_names_[j]}, {"levels", column.levels}});
      continue;
    }
    columns.push_back({{"name", input_names_[j]},
                       {"mean", column.mean},
                       {"sd", column.sd},
                       {"knots", column.knots},
                       {"edges", column.edges}});
    if (candidates_) columns.back()["powers"] = column.powers;
    powers = column.powers;
  }
  Json out = {{"format", kExpansionFormat},
              {"ignore_unknown", ignore_unknown_},
              {"columns", std::move(columns)},
              {"outputs", names_}};
  if (candidates_) {
    out["version"] = kChosenTerms;
    out["candidates"] = {{"powers", candidates_->powers},
                         {"knots", candidates_->knots},
                         {"bins", candidates_->bins},
                         {"interactions", candidates_->interactions}};
    out["interactions"] = pairs_;
  } else {
    out["version"] = 1;
    out["powers"] = powers;
    out["interactions"] = !pairs_.empty();
  }
  return dump_json(out);
}

Expansion Expansion::from_json(std::string_view text) {
  const Json json = parse_json(text);
  check_version(json, kExpansionFormat, kExpansionVersion);
  Expansion result;
  std::optional<int> powers;
  if (value_at<int>(json, "version") >= kChosenTerms) {
    const Json& asked = member(json, "candidates");
    result.candidates_ = Candidates{powers_at(asked), value_at<int>(asked, "knots"), value_at<int>(asked, "bins"),
                                    value_at<bool>(asked, "interactions")};
  } else {
    powers = powers_at(json);
  }
  result.ignore_unknown_ = value_at<bool>(json, "ignore_unknown");
  for (const Json& column : list_at(json, "columns")) {
    result.input_names_.push_back(value_at<std::string>(column, "name"));
    result.columns_.push_back(column_from(column, powers));
  }
  result.pairs_ = result.candidates_ ? pairs_from(json, result.inputs())
                                     : all_pairs(value_at<bool>(json, "interactions") ? result.inputs() : 0);
  result.lay_out();
  if (list_at(json, "outputs") != Json(result.names_)) bad_member("outputs", "is not what its columns give");
  return result;
}

}  // namespace plumbline
