// The parts that columns of a table play, by their names.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tables/schema.h"

namespace plumbline::testing {

struct Roles {
  std::vector<std::string> sensitive, left_out = {};
  std::string target = {}, weights = {};
};

// All columns that have no other part are features.
inline Schema schema_of(const ChunkSource& source, std::vector<ColumnKind> kinds, const Roles& roles) {
  const auto is_among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  Schema out;
  out.kinds = std::move(kinds);
  for (std::size_t j = 0; j < source.names().size(); ++j) {
    const std::string& name = source.names()[j];
    const auto column = static_cast<Index>(j);
    if (is_among(roles.sensitive, name))
      out.sensitive.push_back(column);
    else if (name == roles.weights)
      out.weights = column;
    else if (name == roles.target)
      out.target = column;
    else if (!is_among(roles.left_out, name))
      out.features.push_back(column);
  }
  return out;
}

}  // namespace plumbline::testing
