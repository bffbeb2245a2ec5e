// AffineModel as a JSON value, for documents that hold one.
#pragma once

#include "base/json.h"
#include "plumbline/affine_model.h"

namespace plumbline {

Json json_of(const AffineModel& model);
AffineModel affine_model_from(const Json& in);

}  // namespace plumbline
