// What a call that is refused says, and what would help it; nothing if it is not.
#pragma once

#include <optional>
#include <string>

#include "base/remedy.h"

namespace plumbline::testing {

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class Call>
std::optional<Remedy> remedy_of(const Call& call) {
  try {
    call();
  } catch (const RemediableError& error) {
    return error.remedy();
  } catch (const Error&) {
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace plumbline::testing
