// Whether a text holds a part.
#pragma once

#include <string>
#include <string_view>

namespace plumbline::testing {

inline bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace plumbline::testing
