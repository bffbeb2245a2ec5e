// A probe in words, as a table and as JSON.
#pragma once

#include <string>

#include "base/json.h"
#include "plumbline/probe.h"

namespace plumbline {

// "on new rows a linear model can read no sensitive column back; a flexible model reads back 97% of 'age' (before:
// 46%)".
std::string in_words(const Probe& probe);

std::string to_text(const Probe& probe);  // a row for each column that was read, the most exposed first

Json json_of(const Probe& probe);
Probe probe_from(const Json& in);

}  // namespace plumbline
