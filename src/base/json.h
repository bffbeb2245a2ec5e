// Numbers, matrices and sealed documents as JSON. Numbers read back exactly. A sealed document carries its format,
// its version and a checksum of everything else, so that a cut, edited or newer one is refused.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline {

using Json = nlohmann::ordered_json;

Json json_of(const Eigen::VectorXd& x);
Json json_of(const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>& x);  // an array of rows

// Each throws Error naming `what` if the value is missing, of the wrong type or shape, or not finite.
const Json& member(const Json& object, const char* what);
double number_at(const Json& object, const char* what);
Eigen::VectorXd vector_at(const Json& object, const char* what);
Eigen::Matrix<double, -1, -1, Eigen::RowMajor> matrix_at(const Json& object, const char* what, Eigen::Index cols);
const Json& list_at(const Json& object, const char* what);
std::vector<std::string> strings_at(const Json& object, const char* what);

template <class T>  // bool, an integer or std::string
T value_at(const Json& object, const char* what);

std::string seal(std::string_view format, int version, Json content);
Json unseal(std::string_view text, std::string_view format, int version);

// Throws Error unless the document is of this format and not newer.
void check_version(const Json& document, std::string_view format, int version);

// Throws Error for what is not JSON, and for what a reader cannot afford: text may come from anyone, what reads it
// recurses, and a value takes more memory than its text. Up to 100 levels, 1,000 members of an object, and `most`
// values, or one for 8 bytes of text if that is more, are read: in some 1 GB beside the text, or in 6 times its size.
Json parse_json(std::string_view text, std::int64_t most = 20'000'000);

// Throws Error for text that is not UTF-8. What has an effect on a terminal is escaped.
std::string dump_json(const Json& value, int indent = -1);
[[noreturn]] void bad_member(const char* what, const char* problem);

template <class T>
T value_at(const Json& object, const char* what) {
  const Json& value = member(object, what);
  if constexpr (std::is_same_v<T, bool>) {
    if (!value.is_boolean()) bad_member(what, "is not true or false");
  } else if constexpr (std::is_integral_v<T>) {
    if (!value.is_number_integer()) bad_member(what, "is not an integer");
    const bool fits = value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                                 : std::in_range<T>(value.get<std::int64_t>());
    if (!fits) bad_member(what, "is out of range");
  } else {
    static_assert(std::is_same_v<T, std::string>);
    if (!value.is_string()) bad_member(what, "is not a text");
  }
  return value.get<T>();
}

}  // namespace plumbline
