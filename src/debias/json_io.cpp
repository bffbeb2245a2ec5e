#include "debias/json_io.h"

#include <fmt/format.h>

#include <cmath>

#include "data/checksum.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using RowMajor = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;

double finite(const Json& value, const char* what) {
  if (!value.is_number()) bad_member(what, "is not a number");
  const double x = value.get<double>();
  if (!std::isfinite(x)) bad_member(what, "is not finite");
  return x;
}

std::string checksum_of(const Json& document) { return fmt::format("{:016x}", checksum(document.dump())); }

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
  const Json& array = member(object, what);
  if (!array.is_array()) bad_member(what, "is not an array");
  Eigen::VectorXd x(static_cast<Eigen::Index>(array.size()));
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = finite(array[static_cast<std::size_t>(i)], what);
  return x;
}

RowMajor matrix_at(const Json& object, const char* what, Eigen::Index cols) {
  const Json& rows = member(object, what);
  if (!rows.is_array()) bad_member(what, "is not an array of rows");
  RowMajor x(static_cast<Eigen::Index>(rows.size()), cols);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const Json& row = rows[static_cast<std::size_t>(i)];
    if (!row.is_array() || static_cast<Eigen::Index>(row.size()) != cols)
      bad_member(what, "has a row of the wrong length");
    for (Eigen::Index j = 0; j < cols; ++j) x(i, j) = finite(row[static_cast<std::size_t>(j)], what);
  }
  return x;
}

std::vector<std::string> strings_at(const Json& object, const char* what) {
  return value_at<std::vector<std::string>>(object, what);
}

Json parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("this is not JSON, or it is cut short: {}", error.what()));
  }
}

std::string seal(std::string_view format, int version, Json content) {
  Json document;
  document["format"] = format;
  document["version"] = version;
  for (auto& [key, value] : content.items()) document[key] = std::move(value);
  document["checksum"] = checksum_of(document);
  return document.dump(1) + "\n";
}

Json unseal(std::string_view text, std::string_view format, int version) {
  Json document = parse_json(text);
  const auto found = value_at<std::string>(document, "format");
  if (found != format) throw Error(fmt::format("the JSON is of format '{}'; '{}' is needed", found, format));
  const int newer = value_at<int>(document, "version");
  if (newer > version)
    throw Error(fmt::format("the JSON is of version {}; this program reads up to version {}", newer, version));
  const auto stored = value_at<std::string>(document, "checksum");
  document.erase("checksum");
  if (checksum_of(document) != stored)
    throw Error("the JSON was edited or damaged: its checksum does not match; write it again");
  return document;
}

}  // namespace plumbline
