// The one exception type of Plumbline.
//
// Misuse and bad input throw `Error`; its message is one sentence that names the argument, the value received
// and the constraint. Names and cells within it come from strangers: control characters are shown by their numbers, so
// that the sentence is one line on any terminal. Non-convergence is not an error: it is a status in the result.
#pragma once

#include <stdexcept>
#include <string>

namespace plumbline {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& sentence);
};

}  // namespace plumbline
