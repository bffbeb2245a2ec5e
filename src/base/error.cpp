#include "plumbline/error.h"

#include "base/printable.h"

namespace plumbline {

Error::Error(const std::string& sentence) : std::runtime_error(printable_line(sentence)) {}

}  // namespace plumbline
