// Certificate as a JSON value, for documents that hold one.
#pragma once

#include "base/json.h"
#include "plumbline/certificate.h"

namespace plumbline {

Json json_of(const Certificate& certificate);
Certificate certificate_from(const Json& in);

}  // namespace plumbline
