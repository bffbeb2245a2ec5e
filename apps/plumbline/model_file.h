// The model file as a command reads it.
#pragma once

#include <string>

#include "plumbline/fit.h"

namespace plumbline::app {

Fit read_model(const std::string& path);  // throws Error naming the path

}  // namespace plumbline::app
