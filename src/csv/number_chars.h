// The number at the start of a text, as std::from_chars finds it: by fast_float where it was there to build with. What
// is beyond the range of a double becomes infinite, or 0.
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
#else
inline std::from_chars_result number_chars(const char* first, const char* last, double& value) {
  std::from_chars_result found = std::from_chars(first, last, value);
  if (found.ec != std::errc::result_out_of_range) return found;
  value = std::strtod(std::string(first, found.ptr).c_str(), nullptr);
  return {found.ptr, std::errc()};
}
#endif

}  // namespace plumbline
