#include "debias/spread_json.h"

#include <utility>

#include "debias/partition_json.h"

namespace plumbline {

Json json_of(const Spread& spread) {
  const SpreadParts& parts = spread.parts();
  Json out, maps = Json::array();
  for (const auto& map : parts.maps) maps.push_back(json_of(map));
  out["partition"] = PartitionJson::of(parts.partition);
  out["dimensions"] = parts.means.cols();
  out["means"] = json_of(parts.means);
  out["maps"] = std::move(maps);
  out["scales"] = json_of(parts.scales);
  out["centre"] = json_of(parts.centre);
  out["rows"] = json_of(parts.rows);
  out["shrunk"] = json_of(parts.shrunk);
  out["kept"] = json_of(parts.kept);
  out["alpha"] = parts.alpha;
  out["iterations"] = parts.iterations;
  out["converged"] = parts.converged;
  return out;
}

Spread spread_from(const Json& in) {
  SpreadParts parts;
  parts.partition = PartitionJson::from(member(in, "partition"));
  const auto m = value_at<Index>(in, "dimensions");
  parts.means = matrix_at(in, "means", m);
  for (const Json& map : list_at(in, "maps")) parts.maps.push_back(matrix_at(Json{{"maps", map}}, "maps", m));
  if (!list_at(in, "scales").empty()) parts.scales = matrix_at(in, "scales", m);
  parts.centre = matrix_at(in, "centre", m);
  parts.rows = vector_at(in, "rows");
  parts.shrunk = vector_at(in, "shrunk");
  parts.kept = vector_at(in, "kept");
  parts.alpha = number_at(in, "alpha");
  parts.iterations = value_at<int>(in, "iterations");
  parts.converged = value_at<bool>(in, "converged");
  return Spread(std::move(parts));
}

}  // namespace plumbline
