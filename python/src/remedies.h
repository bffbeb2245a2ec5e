// What helps against an error, in the words of Python: parameters in place of flags.
#pragma once

#include <string>

#include "base/remedy.h"

namespace plumbline::python {

const char* name_of(Remedy remedy);                // as the attribute `remedy` of plumbline.Error
std::string worded(const RemediableError& error);  // the whole sentence

}  // namespace plumbline::python
