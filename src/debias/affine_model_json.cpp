#include "debias/affine_model_json.h"

#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr std::string_view kMapFormat = "plumbline-map";
constexpr int kMapVersion = 2;  // 1 had no noise in b and no chosen terms

}  // namespace

Json json_of(const AffineModel& model) {
  const AffineParts& m = model.parts();
  Json out;
  out["features"] = m.feature_names;
  out["sensitive"] = m.sensitive_names;
  out["expansion"] = m.expansion ? parse_json(m.expansion->to_json()) : Json();
  out["mean_features"] = json_of(m.mean_a);
  out["mean_sensitive"] = json_of(m.mean_b);
  out["scale_features"] = json_of(m.scale_a);
  out["scale_sensitive"] = json_of(m.scale_b);
  if (m.noise_b.size() > 0) out["noise_sensitive"] = json_of(m.noise_b);
  out["alpha"] = m.alpha;
  out["direct"] = json_of(m.direct);
  out["output_columns"] = m.output.cols();
  out["output"] = json_of(m.output);
  out["reduce_sensitive"] = m.reduce_b ? json_of(*m.reduce_b) : Json();
  out["project_sensitive"] = m.project_b ? json_of(*m.project_b) : Json();
  out["project_features"] = m.project_a ? json_of(*m.project_a) : Json();
  out["scores"] = m.has_scores;
  return out;
}

AffineModel affine_model_from(const Json& in) {
  AffineParts m;
  m.feature_names = strings_at(in, "features");
  m.sensitive_names = strings_at(in, "sensitive");
  if (const Json& expansion = member(in, "expansion"); !expansion.is_null())
    m.expansion = Expansion::from_json(dump_json(expansion));
  m.mean_a = vector_at(in, "mean_features");
  m.mean_b = vector_at(in, "mean_sensitive");
  m.scale_a = vector_at(in, "scale_features");
  m.scale_b = vector_at(in, "scale_sensitive");
  if (in.contains("noise_sensitive")) m.noise_b = vector_at(in, "noise_sensitive");
  m.alpha = number_at(in, "alpha");
  m.direct = vector_at(in, "direct");
  const auto columns = value_at<Index>(in, "output_columns");
  if (columns < 0) bad_member("output_columns", "is negative");
  m.output = matrix_at(in, "output", columns);
  if (!member(in, "reduce_sensitive").is_null()) m.reduce_b = matrix_at(in, "reduce_sensitive", m.mean_b.size());
  const Index reduced = m.reduce_b ? m.reduce_b->rows() : m.mean_b.size();
  if (!member(in, "project_sensitive").is_null()) m.project_b = matrix_at(in, "project_sensitive", reduced);
  if (!member(in, "project_features").is_null()) m.project_a = matrix_at(in, "project_features", m.mean_a.size());
  m.has_scores = value_at<bool>(in, "scores");
  return AffineModel(std::move(m));
}

std::string AffineModel::to_json() const { return seal(kMapFormat, kMapVersion, json_of(*this)); }

AffineModel AffineModel::from_json(std::string_view text) {
  return affine_model_from(unseal(text, kMapFormat, kMapVersion));
}

}  // namespace plumbline
