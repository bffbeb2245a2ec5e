// An encoding as part of a JSON document, exact.
#pragma once

#include "base/json.h"
#include "plumbline/encoding.h"

namespace plumbline {

Json json_of(const Encoding& encoding);
Encoding encoding_from(const Json& in);  // throws Error on a member that is missing, of the wrong type or at odds

}  // namespace plumbline
