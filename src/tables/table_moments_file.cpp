// The file form of the moments of a table.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "debias/encoding_json.h"
#include "plumbline/error.h"
#include "tables/table_moments.h"

namespace plumbline {
namespace {

constexpr std::string_view kMagic = "PLUMBTAB";
constexpr std::uint32_t kVersion = 3;
constexpr std::string_view kEncodingFormat = "plumbline-encoding";

Json counts_json(const ValueCounts& counts) {
  Json levels = Json::array(), values = Json::array();
  for (const LevelRows& rows : counts.levels) {
    Json one = Json::array();
    for (const auto& [level, count] : rows) one.push_back(Json::array({level, count}));
    levels.push_back(std::move(one));
  }
  for (const ValueRows& rows : counts.values) {
    Json one = Json::array();
    for (const auto& [value, count] : rows.counts()) one.push_back(Json::array({value, count}));
    values.push_back({{"varies", rows.varies()}, {"rows", std::move(one)}});
  }
  return {{"levels", std::move(levels)}, {"values", std::move(values)}};
}

// Calls use(value, rows) for pairs of a value and how many rows have it, which are no more than there are.
template <class T, class Use>
void for_each_count(const Json& pairs, std::int64_t rows, const Use& use) {
  if (!pairs.is_array()) bad_member("counts", "holds what is no list");
  for (const Json& pair : pairs) {
    if (!pair.is_array() || pair.size() != 2 || !pair[1].is_number_unsigned() ||
        !(std::is_same_v<T, std::string> ? pair[0].is_string() : pair[0].is_number()))
      bad_member("counts", "holds what is no value with its rows");
    const auto count = pair[1].get<std::uint64_t>();
    if (count > static_cast<std::uint64_t>(rows)) bad_member("counts", "holds more rows than there are");
    rows -= static_cast<std::int64_t>(count);
    use(pair[0].get<T>(), static_cast<std::int64_t>(count));
  }
}

Json frequent_json(const FrequentValues& frequent) {
  Json values = Json::array();
  for (const auto& column : frequent.values) {
    Json one = Json::array();
    for (const auto& [value, rows] : column) one.push_back(Json::array({value, rows}));
    values.push_back(std::move(one));
  }
  return {{"rows", frequent.rows}, {"values", std::move(values)}};
}

FrequentValues frequent_from(const Json& in, const Encoding& encoding) {
  FrequentValues out;
  out.rows = number_at(in, "rows");
  for (const Json& column : list_at(in, "values")) {
    auto& to = out.values.emplace_back();
    if (!column.is_array() || column.size() > FrequentValues::kKept)
      bad_member("frequent", "holds what is no list of values");
    for (const Json& pair : column) {
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number() || !pair[1].is_number())
        bad_member("frequent", "holds what is no value with its rows");
      to.emplace_back(pair[0].get<double>(), pair[1].get<double>());
    }
  }
  if (!out.values.empty() && out.values.size() != encoding.features.size())
    bad_member("frequent", "is of other features");
  return out;
}

ValueCounts counts_from(const Json& in, const Encoding& encoding, std::int64_t most) {
  ValueCounts out;
  for (const Json& one : list_at(in, "levels")) {
    LevelRows& rows = out.levels.emplace_back();
    for_each_count<std::string>(one, most, [&](const std::string& level, std::int64_t count) { rows[level] = count; });
  }
  for (const Json& one : list_at(in, "values")) {
    std::vector<std::pair<double, std::int64_t>> rows;
    for_each_count<double>(list_at(one, "rows"), most,
                           [&](double value, std::int64_t count) { rows.emplace_back(value, count); });
    if (static_cast<std::int64_t>(rows.size()) > ValueRows::kMostRare)
      bad_member("counts", "holds more values than are counted");
    out.values.push_back(ValueRows::of(std::move(rows), value_at<bool>(one, "varies")));
  }
  if (out.levels.size() != out.values.size() || (!out.levels.empty() && out.levels.size() != encoding.features.size()))
    bad_member("counts", "is of other features");
  const auto is_level = [](const auto& rows, const std::string& level) { return rows.first == level; };
  for (std::size_t j = 0; j < out.levels.size(); ++j) {
    const std::vector<std::string>& levels = encoding.features[j].levels;
    if (!out.levels[j].empty() &&
        !std::equal(out.levels[j].begin(), out.levels[j].end(), levels.begin(), levels.end(), is_level))
      bad_member("counts", "is of other levels");
  }
  return out;
}

// Leaves of the bytes those of the moments of the features.
TableTarget target_from(const Json& in, std::string_view& bytes) {
  TableTarget out{.name = value_at<std::string>(in, "name")};
  out.levels = strings_at(in, "levels");
  out.problem = value_at<std::string>(in, "problem");
  out.is_binary = value_at<bool>(in, "is_binary");
  const auto first = value_at<std::uint64_t>(in, "moments_bytes"),
             second = value_at<std::uint64_t>(in, "features_bytes");
  if (first > bytes.size() || second > bytes.size() - first)
    throw Error("the moments file is cut short; write it again");
  if (out.problem.empty())
    out.moments = TargetMoments::of(Moments::from_bytes(bytes.substr(first, second)),
                                    Moments::from_bytes(bytes.substr(first + second)));
  bytes = bytes.substr(0, first);
  return out;
}

}  // namespace

std::string TableMoments::to_bytes() const {
  Json content = json_of(encoding);
  content["counts"] = counts_json(counts);
  content["frequent"] = frequent_json(frequent);
  content["dropped"] = dropped;
  content["filled"] = filled;
  const std::string bytes = moments.to_bytes();
  std::string of_a, of_b;
  if (target) {
    if (target->problem.empty()) {
      of_a = target->moments.of_a().to_bytes();
      of_b = target->moments.of_b().to_bytes();
    }
    content["target_moments"] = {{"name", target->name},          {"levels", target->levels},
                                 {"problem", target->problem},    {"is_binary", target->is_binary},
                                 {"moments_bytes", bytes.size()}, {"features_bytes", of_a.size()}};
  }
  const std::string text = seal(kEncodingFormat, static_cast<int>(kVersion), std::move(content));
  const std::uint64_t length = text.size();
  std::string out(kMagic);
  out.append(reinterpret_cast<const char*>(&kVersion), sizeof kVersion);
  out.append(reinterpret_cast<const char*>(&length), sizeof length);
  return out + text + bytes + of_a + of_b;
}

TableMoments TableMoments::from_bytes(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return {{}, Moments::from_bytes(bytes)};
  bytes.remove_prefix(kMagic.size());
  std::uint32_t version = 0;
  std::uint64_t length = 0;
  if (bytes.size() < sizeof version + sizeof length) throw Error("the moments file is cut short; write it again");
  std::memcpy(&version, bytes.data(), sizeof version);
  std::memcpy(&length, bytes.data() + sizeof version, sizeof length);
  bytes.remove_prefix(sizeof version + sizeof length);
  if (version == 0 || version > kVersion)
    throw Error(
        fmt::format("the moments file is of version {}; this program reads up to version {}", version, kVersion));
  if (length > bytes.size()) throw Error("the moments file is cut short; write it again");
  const Json content =
      unseal(bytes.substr(0, static_cast<std::size_t>(length)), kEncodingFormat, static_cast<int>(kVersion));
  TableMoments out;
  out.encoding = encoding_from(content);
  out.dropped = value_at<std::int64_t>(content, "dropped");
  out.filled = value_at<std::int64_t>(content, "filled");
  bytes.remove_prefix(static_cast<std::size_t>(length));
  if (content.contains("frequent")) out.frequent = frequent_from(content["frequent"], out.encoding);
  if (content.contains("target_moments")) out.target = target_from(content["target_moments"], bytes);
  out.moments = Moments::from_bytes(bytes);
  if (out.target && out.target->problem.empty() &&
      (out.target->moments.of_a().feature_names() != out.moments.feature_names() ||
       out.target->moments.of_b().feature_names() != out.moments.sensitive_names() ||
       out.target->moments.rows() != out.moments.rows()))
    throw Error("the moments of the target in the file are of other columns or rows than those of the features");
  if (content.contains("counts")) out.counts = counts_from(content["counts"], out.encoding, out.moments.rows());
  if (out.moments.feature_names() != out.encoding.feature_names() ||
      out.moments.sensitive_names() != out.encoding.sensitive_names())
    throw Error("the columns of the moments file are not those of its encoding");
  return out;
}

}  // namespace plumbline
