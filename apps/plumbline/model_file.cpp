#include "model_file.h"

#include <fmt/format.h>

#include "io/files.h"
#include "plumbline/error.h"

namespace plumbline::app {

Fit read_model(const std::string& path) {
  const std::string text = read_file(path);
  try {
    return Fit::from_json(text);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace plumbline::app
