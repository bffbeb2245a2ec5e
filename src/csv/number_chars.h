// The number at the start of a text, as std::from_chars finds it: by fast_float where it was there to build with. What
// is beyond the range of a double becomes infinite, or 0. The decimal sign is a point, or a comma if that is asked for.
#pragma once

#if __has_include(<fast_float/fast_float.h>)
#include <fast_float/fast_float.h>
#else
#include <charconv>
#include <cstdlib>
#include <string>
#endif

namespace plumbline {

#if __has_include(<fast_float/fast_float.h>)
inline fast_float::from_chars_result number_chars(const char* first, const char* last, double& value) {
  return fast_float::from_chars(first, last, value);
}

inline fast_float::from_chars_result number_chars_with_comma(const char* first, const char* last, double& value) {
  return fast_float::from_chars_advanced(first, last, value,
                                         fast_float::parse_options(fast_float::chars_format::general, ','));
}
#else
inline std::from_chars_result number_chars(const char* first, const char* last, double& value) {
  std::from_chars_result found = std::from_chars(first, last, value);
  if (found.ec != std::errc::result_out_of_range) return found;
  value = std::strtod(std::string(first, found.ptr).c_str(), nullptr);
  return {found.ptr, std::errc()};
}

inline std::from_chars_result number_chars_with_comma(const char* first, const char* last, double& value) {
  std::string text(first, last);
  for (char& c : text) c = c == ',' ? '.' : c == '.' ? ',' : c;
  const std::from_chars_result found = number_chars(text.data(), text.data() + text.size(), value);
  return {first + (found.ptr - text.data()), found.ec};
}
#endif

}  // namespace plumbline
