#include "predict/network_json.h"

#include <gtest/gtest.h>

#include <limits>

#include "message_of.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::message_of;
using testing::Random;

const Network kNetwork(3, {{4}, {2, Activation::tanh}, {2, Activation::sigmoid}, {1, Activation::linear}});

Json content_of(const Network& network) { return json_of(network, network.initial_parameters<float>(1)); }

std::string refusal(Json content) {
  return message_of([&] { network_of<float>(content); });
}

template <class T>
class NetworkJsonOf : public ::testing::Test {};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(NetworkJsonOf, Scalars);

TYPED_TEST(NetworkJsonOf, ReadsBackExactly) {
  using T = TypeParam;
  Random random(1);
  Vector<T> parameters = random.matrix(kNetwork.parameter_count(), 1).cast<T>();
  parameters[0] = std::numeric_limits<T>::denorm_min();
  parameters[1] = std::numeric_limits<T>::max();
  parameters[2] = T{-0.0};
  const std::string text = network_to_json(kNetwork, parameters);
  const StoredNetwork<T> read = network_from_json<T>(text);
  EXPECT_TRUE((read.parameters.array() == parameters.array()).all());
  EXPECT_TRUE(std::signbit(read.parameters[2]));
  EXPECT_EQ(network_to_json(read.network, read.parameters), text);
  ASSERT_EQ(read.network.layers().size(), kNetwork.layers().size());
  for (std::size_t l = 0; l < kNetwork.layers().size(); ++l) {
    EXPECT_EQ(read.network.layers()[l].outputs, kNetwork.layers()[l].outputs);
    EXPECT_EQ(read.network.layers()[l].activation, kNetwork.layers()[l].activation);
  }
}

TEST(NetworkJson, FloatsMayBeReadAsDoublesAndNotTheOtherWay) {
  const Vector<float> parameters = kNetwork.initial_parameters<float>(2);
  const auto wide = network_from_json<double>(network_to_json(kNetwork, parameters));
  EXPECT_TRUE((wide.parameters.array() == parameters.cast<double>().array()).all());
  const std::string text = network_to_json(kNetwork, kNetwork.initial_parameters<double>(2));
  EXPECT_EQ(message_of([&] { network_from_json<float>(text); }),
            "'number' in the JSON is double; a network of floats is needed");
}

TEST(NetworkJson, RefusesWhatWasCutEditedOrDoesNotFit) {
  const std::string text = network_to_json(kNetwork, kNetwork.initial_parameters<float>(1));
  for (std::size_t size = 0; size + 2 < text.size(); size += 7)
    EXPECT_NE(message_of([&] { network_from_json<float>(text.substr(0, size)); }), "") << size;
  std::string edited = text;
  edited.replace(edited.find("tanh"), 4, "relu");
  EXPECT_EQ(message_of([&] { network_from_json<float>(edited); }),
            "the JSON was edited or damaged: its checksum does not match; write it again");

  Json content = content_of(kNetwork);
  EXPECT_EQ(refusal(content), "");
  content["parameters"].erase(0);
  EXPECT_EQ(refusal(content), "'parameters' in the JSON has not as many numbers as the layers");
  content = content_of(kNetwork);
  content["parameters"][0] = 0.1;
  EXPECT_EQ(refusal(content), "'parameters' in the JSON holds a number that no float is");
  content = content_of(kNetwork);
  content["layers"][1]["activation"] = "gelu";
  EXPECT_EQ(refusal(content), "'activation' in the JSON is 'gelu'; it must be linear, relu, tanh or sigmoid");
  content = content_of(kNetwork);
  content["layers"][1]["outputs"] = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(refusal(content), "'outputs' in the JSON does not fit the number of parameters");
  content = content_of(kNetwork);
  content["layers"] = Json::array();
  EXPECT_EQ(refusal(content), "a network has no layers; it must have at least 1");
  Vector<float> holes = kNetwork.initial_parameters<float>(1);
  holes[3] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(message_of([&] { network_to_json(kNetwork, holes); }),
            "a parameter of a network is not finite; JSON cannot hold it");
}

}  // namespace
}  // namespace plumbline
