// Distribution as a JSON value, for documents that hold one.
#pragma once

#include "base/json.h"
#include "plumbline/distribution.h"

namespace plumbline {

Json json_of(const Distribution& distribution);
Distribution distribution_from(const Json& in);

}  // namespace plumbline
