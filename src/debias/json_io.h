// Numbers, matrices and sealed documents as JSON. Numbers read back exactly. A sealed document carries its format,
// its version and a checksum of everything else, so that a cut, edited or newer one is refused.
#pragma once

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace plumbline {

using Json = nlohmann::ordered_json;

Json json_of(const Eigen::VectorXd& x);
Json json_of(const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>& x);  // an array of rows

// Each throws Error naming `what` if the value is missing, of the wrong type or shape, or not finite.
const Json& member(const Json& object, const char* what);
double number_at(const Json& object, const char* what);
Eigen::VectorXd vector_at(const Json& object, const char* what);
Eigen::Matrix<double, -1, -1, Eigen::RowMajor> matrix_at(const Json& object, const char* what, Eigen::Index cols);
std::vector<std::string> strings_at(const Json& object, const char* what);

template <class T>
T value_at(const Json& object, const char* what);

std::string seal(std::string_view format, int version, Json content);
Json unseal(std::string_view text, std::string_view format, int version);

Json parse_json(std::string_view text);
[[noreturn]] void bad_member(const char* what, const char* problem);

template <class T>
T value_at(const Json& object, const char* what) {
  try {
    return member(object, what).get<T>();
  } catch (const nlohmann::json::exception&) {
    bad_member(what, "is of the wrong type");
  }
}

}  // namespace plumbline
