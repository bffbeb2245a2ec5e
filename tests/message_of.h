// What a call that is refused says; empty if it is not.
#pragma once

#include <string>

#include "plumbline/error.h"

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

}  // namespace plumbline::testing
