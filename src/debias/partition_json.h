// A partition as a JSON value, for documents that hold one.
#pragma once

#include "base/json.h"
#include "plumbline/partition.h"

namespace plumbline {

struct PartitionJson {
  static Json of(const Partition& partition);
  static Partition from(const Json& in);  // throws Error if it contradicts itself
};

}  // namespace plumbline
