// The generator and the predictor of Adv as sealed JSON (base/json.h).
//
//   generator   { scaling, encoder, decoder, last: { number, features, outcome, latent, adversary } }
//   predictor   { scaling, network }
//
// scaling: { a_low, a_width, b_low, b_width, y_mean, y_sd }; networks as in network_json.h. What does not fit together
// is refused.
#include "base/json.h"
#include "methods/adversarial_method.h"
#include "predict/network_json.h"

namespace plumbline {
namespace {

using Eigen::RowVectorXd;
using Eigen::VectorXd;

constexpr const char* kGenerator = "plumbline-adversarial-vae";
constexpr const char* kMethod = "plumbline-adversarial-method";
constexpr int kVersion = 1;

Json json_of(const RowVectorXd& x) { return plumbline::json_of(VectorXd(x.transpose())); }

Json json_of(const VaeScaling& scaling) {
  return {{"a_low", json_of(scaling.a_low)}, {"a_width", json_of(scaling.a_width)},
          {"b_low", json_of(scaling.b_low)}, {"b_width", json_of(scaling.b_width)},
          {"y_mean", scaling.y_mean},        {"y_sd", scaling.y_sd}};
}

RowVectorXd row_at(const Json& content, const char* what) { return vector_at(content, what).transpose(); }

RowVectorXd widths_at(const Json& content, const char* what, Eigen::Index size) {
  RowVectorXd widths = row_at(content, what);
  if (size == 0 || widths.size() != size || !(widths.array() > 0).all())
    bad_member(what, "is not a positive number for each column");
  return widths;
}

VaeScaling scaling_at(const Json& document) {
  const Json& content = member(document, "scaling");
  VaeScaling out;
  out.a_low = row_at(content, "a_low");
  out.a_width = widths_at(content, "a_width", out.a_low.size());
  out.b_low = row_at(content, "b_low");
  out.b_width = widths_at(content, "b_width", out.b_low.size());
  out.y_mean = number_at(content, "y_mean");
  out.y_sd = number_at(content, "y_sd");
  if (!(out.y_sd > 0)) bad_member("y_sd", "is not positive");
  return out;
}

}  // namespace

std::string AdversarialVae::to_json() const {
  Json last = {{"number", last_.number},
               {"features", last_.features},
               {"outcome", last_.outcome},
               {"latent", last_.latent},
               {"adversary", last_.adversary}};
  Json content = {{"scaling", json_of(scaling_)},
                  {"encoder", plumbline::json_of(encoder_, encoder_parameters_)},
                  {"decoder", plumbline::json_of(decoder_, decoder_parameters_)},
                  {"last", std::move(last)}};
  return seal(kGenerator, kVersion, std::move(content));
}

AdversarialVae AdversarialVae::from_json(std::string_view text) {
  const Json document = unseal(text, kGenerator, kVersion);
  VaeScaling scaling = scaling_at(document);
  StoredNetwork<float> encoder = network_of<float>(member(document, "encoder"));
  StoredNetwork<float> decoder = network_of<float>(member(document, "decoder"));
  const Eigen::Index q = scaling.a_low.size(), p = scaling.b_low.size(), latent = encoder.network.outputs() / 2;
  if (encoder.network.inputs() != q + p + 1 || encoder.network.outputs() % 2 != 0)
    bad_member("encoder", "does not fit the columns");
  if (decoder.network.inputs() != latent + p || decoder.network.outputs() != q + 1)
    bad_member("decoder", "does not fit the encoder and the columns");
  const Json& last = member(document, "last");
  return {std::move(scaling),
          std::move(encoder.network),
          std::move(encoder.parameters),
          std::move(decoder.network),
          std::move(decoder.parameters),
          {.number = value_at<int>(last, "number"),
           .features = number_at(last, "features"),
           .outcome = number_at(last, "outcome"),
           .latent = number_at(last, "latent"),
           .adversary = number_at(last, "adversary")}};
}

std::string AdversarialMethod::to_json() const {
  return seal(kMethod, kVersion,
              {{"scaling", json_of(scaling_)}, {"network", plumbline::json_of(network_, parameters_)}});
}

AdversarialMethod AdversarialMethod::from_json(std::string_view text) {
  const Json document = unseal(text, kMethod, kVersion);
  VaeScaling scaling = scaling_at(document);
  StoredNetwork<float> stored = network_of<float>(member(document, "network"));
  if (stored.network.inputs() != scaling.a_low.size() + scaling.b_low.size() || stored.network.outputs() != 1)
    bad_member("network", "does not fit the columns");
  return {std::move(stored.network), std::move(stored.parameters), std::move(scaling)};
}

}  // namespace plumbline
