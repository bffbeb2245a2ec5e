// What the library's training computes, step by step, for a test in another language to compare with its own.
//
// Reads from stdin a list of cases, and writes to stdout the list of their results. A case is
//
//   {layers: [{inputs, outputs, activation}], parameters: [θ], x: rows, t: rows, loss, learning_rate, batches: [[row]]}
//     → {parameters: [[θ after each batch]], losses: [that before each]}
//   or {error: message}
//
// Numbers are floats of the network; activation and loss are named as in predict/network.h and predict/loss.h.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "plumbline/error.h"
#include "predict/training.h"

namespace {

using namespace plumbline;
using Json = nlohmann::json;

template <class Value, std::size_t Count>
Value named(const std::string& name, const Value (&values)[Count]) {
  for (const Value value : values)
    if (name == name_of(value)) return value;
  throw Error(fmt::format("'{}' is not a name this program knows", name));
}

Cells<float> table_of(const Json& rows) {
  Cells<float> x(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows.at(0).size()));
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const auto row = rows[static_cast<std::size_t>(i)].get<std::vector<float>>();
    std::copy(row.begin(), row.end(), x.row(i).begin());
  }
  return x;
}

Json result_of(const Json& in) {
  constexpr Activation kActivations[] = {Activation::linear, Activation::relu, Activation::tanh, Activation::sigmoid};
  constexpr Loss kLosses[] = {Loss::mse, Loss::bce, Loss::bce_logits};
  std::vector<Layer> layers;
  for (const Json& layer : in.at("layers"))
    layers.push_back(
        {layer.at("outputs").get<Eigen::Index>(), named(layer.at("activation").get<std::string>(), kActivations)});
  const Network network(in["layers"].at(0).at("inputs").get<Eigen::Index>(), std::move(layers));
  const auto start = in.at("parameters").get<std::vector<float>>();
  const Cells<float> x = table_of(in.at("x")), t = table_of(in.at("t"));
  Trainer<float> trainer(network,
                         Eigen::Map<const Vector<float>>(start.data(), static_cast<Eigen::Index>(start.size())),
                         named(in.at("loss").get<std::string>(), kLosses),
                         {.learning_rate = in.at("learning_rate").get<double>()}, x, t, x.rows());
  Json out = {{"parameters", Json::array()}, {"losses", Json::array()}};
  for (const Json& batch : in.at("batches")) {
    out["losses"].push_back(trainer.step(batch.get<std::vector<std::int32_t>>()));
    out["parameters"].push_back(std::vector<float>(trainer.parameters().begin(), trainer.parameters().end()));
  }
  return out;
}

}  // namespace

int main() {
  try {
    Json results = Json::array();
    for (const Json& in : Json::parse(std::cin)) {
      try {
        results.push_back(result_of(in));
      } catch (const Error& error) {
        results.push_back({{"error", error.what()}});
      }
    }
    std::cout << results << '\n';
  } catch (const std::exception& error) {
    std::cerr << "plumbline_network_oracle: " << error.what() << '\n';
    return 2;
  }
}
