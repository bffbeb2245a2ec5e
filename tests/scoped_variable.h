// A variable of the environment for the length of a test; without a value, it is unset.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace plumbline::testing {

class ScopedVariable {
 public:
  explicit ScopedVariable(std::string name, const std::optional<std::string>& value = {}) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    put(value);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable() { put(before_); }

 private:
  void put(const std::optional<std::string>& value) {
    if (value)
      ::setenv(name_.c_str(), value->c_str(), 1);
    else
      ::unsetenv(name_.c_str());
  }

  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace plumbline::testing
