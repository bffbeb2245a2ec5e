// What a certificate says of new rows, in words and as JSON.
#pragma once

#include <string>

#include "base/json.h"
#include "plumbline/population.h"

namespace plumbline {

std::string to_text(const PopulationBound& bound);
std::string to_text(const IndependenceTest& test);

Json json_of(const PopulationBound& bound);
Json json_of(const IndependenceTest& test);
PopulationBound population_from(const Json& in);
IndependenceTest independence_from(const Json& in);

}  // namespace plumbline
