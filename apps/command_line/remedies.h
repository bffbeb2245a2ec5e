// What a person can do about an error, in flags.
#pragma once

#include <string>

#include "base/remedy.h"

namespace plumbline::app {

// What is wrong and where, as the error says it, and the flags that help: "'a.csv' exists; give --force to replace it,
// or choose another name".
std::string worded(const RemediableError& error);

}  // namespace plumbline::app
