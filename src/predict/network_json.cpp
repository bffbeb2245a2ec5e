#include "predict/network_json.h"

#include <fmt/format.h>

#include <utility>

#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::Index;

constexpr const char* kFormat = "plumbline-network";
constexpr int kVersion = 1;

Activation activation_at(const Json& layer) {
  const auto name = value_at<std::string>(layer, "activation");
  for (const Activation activation : {Activation::linear, Activation::relu, Activation::tanh, Activation::sigmoid})
    if (name == name_of(activation)) return activation;
  throw Error(fmt::format("'activation' in the JSON is '{}'; it must be linear, relu, tanh or sigmoid", name));
}

// Bounded by the number of parameters, so that no product of sizes leaves 64 bits.
Index size_at(const Json& object, const char* what, Index most) {
  const auto size = value_at<Index>(object, what);
  if (size < 1 || size > most) bad_member(what, "does not fit the number of parameters");
  return size;
}

}  // namespace

template <class T>
Json json_of(const Network& network, const Vector<T>& parameters) {
  if (parameters.size() != network.parameter_count())
    throw Error(fmt::format("the parameters of a network have {} numbers; its layers have {}", parameters.size(),
                            network.parameter_count()));
  if (!parameters.allFinite()) throw Error("a parameter of a network is not finite; JSON cannot hold it");
  Json layers = Json::array();
  for (const Layer& layer : network.layers())
    layers.push_back({{"outputs", layer.outputs}, {"activation", name_of(layer.activation)}});
  return {{"inputs", network.inputs()},
          {"layers", std::move(layers)},
          {"number", sizeof(T) == sizeof(float) ? "float" : "double"},
          {"parameters", json_of(Eigen::VectorXd(parameters.template cast<double>()))}};
}

template <class T>
StoredNetwork<T> network_of(const Json& content) {
  const auto number = value_at<std::string>(content, "number");
  if (number != "float" && number != "double") bad_member("number", "is neither float nor double");
  if (number == "double" && sizeof(T) == sizeof(float))
    bad_member("number", "is double; a network of floats is needed");
  const Eigen::VectorXd stored = vector_at(content, "parameters");
  if (number == "float" && (stored.cast<float>().cast<double>().array() != stored.array()).any())
    bad_member("parameters", "holds a number that no float is");
  const Index inputs = size_at(content, "inputs", stored.size());
  std::vector<Layer> layers;
  for (const Json& layer : list_at(content, "layers"))
    layers.push_back({size_at(layer, "outputs", stored.size()), activation_at(layer)});
  Network network(inputs, std::move(layers));
  if (network.parameter_count() != stored.size()) bad_member("parameters", "has not as many numbers as the layers");
  return {std::move(network), stored.cast<T>()};
}

template <class T>
std::string network_to_json(const Network& network, const Vector<T>& parameters) {
  return seal(kFormat, kVersion, json_of(network, parameters));
}

template <class T>
StoredNetwork<T> network_from_json(std::string_view text) {
  return network_of<T>(unseal(text, kFormat, kVersion));
}

#define PLUMBLINE_INSTANTIATE(T)                                             \
  template Json json_of<T>(const Network&, const Vector<T>&);                \
  template StoredNetwork<T> network_of<T>(const Json&);                      \
  template std::string network_to_json<T>(const Network&, const Vector<T>&); \
  template StoredNetwork<T> network_from_json<T>(std::string_view);
PLUMBLINE_INSTANTIATE(double)
PLUMBLINE_INSTANTIATE(float)
#undef PLUMBLINE_INSTANTIATE

}  // namespace plumbline
