// What fairness costs a prediction, in words and as JSON.
#pragma once

#include <string>

#include "base/json.h"
#include "plumbline/price.h"

namespace plumbline {

std::string to_text(const Price& price);

Json json_of(const Price& price);
Price price_from(const Json& in);

}  // namespace plumbline
