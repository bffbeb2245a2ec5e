#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/checksum.h"
#include "base/printable.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr int kDeepest = 100;
constexpr std::int64_t kCostOfKey = 8, kCostOfText = 4;
constexpr std::size_t kUsualLength = 8;  // of a number in a document that has more of them
constexpr int kMostKeys = 1000;          // of an object, which looks through all of them for each new one

using RowMajor = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;

double finite(const Json& value, const char* what) {
  if (!value.is_number()) bad_member(what, "is not a number");
  const double x = value.get<double>();
  if (!std::isfinite(x)) bad_member(what, "is not finite");
  return x;
}

std::string dump(const Json& value, int indent) {
  try {
    return value.dump(indent);
  } catch (const nlohmann::json::exception&) {
    throw Error("a name is not UTF-8 text, which JSON requires; rename the column");
  }
}

// Of what the document means: how its characters are escaped does not count.
std::string checksum_of(const Json& document) { return fmt::format("{:016x}", checksum(dump(document, -1))); }

}  // namespace

void bad_member(const char* what, const char* problem) {
  throw Error(fmt::format("'{}' in the JSON {}", what, problem));
}

Json json_of(const Eigen::VectorXd& x) {
  Json out = Json::array();
  for (const double value : x) out.push_back(value);
  return out;
}

Json json_of(const RowMajor& x) {
  Json out = Json::array();
  for (Eigen::Index i = 0; i < x.rows(); ++i) out.push_back(json_of(Eigen::VectorXd(x.row(i))));
  return out;
}

const Json& member(const Json& object, const char* what) {
  if (!object.is_object() || !object.contains(what)) bad_member(what, "is missing");
  return object.at(what);
}

double number_at(const Json& object, const char* what) { return finite(member(object, what), what); }

Eigen::VectorXd vector_at(const Json& object, const char* what) {
  const Json& array = list_at(object, what);
  Eigen::VectorXd x(static_cast<Eigen::Index>(array.size()));
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = finite(array[static_cast<std::size_t>(i)], what);
  return x;
}

RowMajor matrix_at(const Json& object, const char* what, Eigen::Index cols) {
  const Json& rows = list_at(object, what);
  for (const Json& row : rows)  // all of them before any memory is asked for: `cols` may come from the text too
    if (!row.is_array() || static_cast<Eigen::Index>(row.size()) != cols)
      bad_member(what, "has a row of the wrong length");
  RowMajor x(static_cast<Eigen::Index>(rows.size()), cols);
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    for (Eigen::Index j = 0; j < cols; ++j)
      x(i, j) = finite(rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)], what);
  return x;
}

const Json& list_at(const Json& object, const char* what) {
  const Json& list = member(object, what);
  if (!list.is_array()) bad_member(what, "is not a list");
  return list;
}

std::vector<std::string> strings_at(const Json& object, const char* what) {
  std::vector<std::string> texts;
  for (const Json& text : list_at(object, what)) {
    if (!text.is_string()) bad_member(what, "holds something that is not a text");
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

std::string dump_json(const Json& value, int indent) { return printable_json(dump(value, indent)); }

Json parse_json(std::string_view text, std::int64_t most) {
  using Event = Json::parse_event_t;
  std::int64_t cost = 0;
  std::array<int, kDeepest + 2> keys{};  // by depth, of the objects that are open
  const std::int64_t affordable = std::max(most, static_cast<std::int64_t>(text.size() / kUsualLength));
  const auto check = [&](int depth, Event event, const Json& value) {
    cost += event == Event::key ? kCostOfKey : value.is_string() ? kCostOfText : 1;
    if (cost > affordable) throw Error("the JSON has more values than its length allows for");
    if ((event == Event::array_start || event == Event::object_start) && depth >= kDeepest)
      throw Error(fmt::format("the JSON is nested more than {} levels deep", kDeepest));
    const auto level = static_cast<std::size_t>(depth);
    if (event == Event::object_start) keys[level + 1] = 0;
    if (event == Event::key && ++keys[level] > kMostKeys)
      throw Error(fmt::format("an object of the JSON has more than {} members", kMostKeys));
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const nlohmann::json::exception& error) {
    const std::string_view reason = error.what();  // "[json.exception.…] parse error at line …"
    const std::size_t end = reason.find("] ");
    throw Error(fmt::format("this is not JSON, or it is cut short: {}",
                            end == std::string_view::npos ? reason : reason.substr(end + 2)));
  }
}

std::string seal(std::string_view format, int version, Json content) {
  Json document;
  document["format"] = format;
  document["version"] = version;
  for (auto& [key, value] : content.items()) document[key] = std::move(value);
  document["checksum"] = checksum_of(document);
  return dump_json(document, 1) + "\n";
}

void check_version(const Json& document, std::string_view format, int version) {
  const auto found = value_at<std::string>(document, "format");
  if (found != format) throw Error(fmt::format("the JSON is of format '{}'; '{}' is needed", found, format));
  const int written = value_at<int>(document, "version");
  if (written < 1 || written > version)
    throw Error(fmt::format("the JSON is of version {}; this program reads up to version {}", written, version));
}

Json unseal(std::string_view text, std::string_view format, int version) {
  Json document = parse_json(text);
  check_version(document, format, version);
  const auto stored = value_at<std::string>(document, "checksum");
  document.erase("checksum");
  if (checksum_of(document) != stored)
    throw Error("the JSON was edited or damaged: its checksum does not match; write it again");
  return document;
}

}  // namespace plumbline
