// What comes after the affine map as a JSON value, for documents that hold one.
#pragma once

#include "base/json.h"
#include "plumbline/spread.h"

namespace plumbline {

Json json_of(const Spread& spread);
Spread spread_from(const Json& in);

}  // namespace plumbline
