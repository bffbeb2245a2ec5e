#include "predict/network.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "predict/loss.h"
#include "reference_network.h"

namespace plumbline {
namespace {

using testing::central_differences;
using testing::exact_in_float;
using testing::kGradientTolerance;
using testing::message_of;
using testing::Random;
using testing::reference_forward;
using testing::reference_loss;
using testing::relative_error;
using testing::Surrounded;
using testing::WideMatrix;
using testing::WideVector;

constexpr Activation kActivations[] = {Activation::linear, Activation::relu, Activation::tanh, Activation::sigmoid};
constexpr Loss kLosses[] = {Loss::mse, Loss::bce, Loss::bce_logits};

// A network, parameters, inputs and targets that float holds exactly, away from where relu has no derivative.
struct Problem {
  Network network{1, {{1}}};
  WideVector parameters;
  WideMatrix x, t;
  Loss loss = Loss::mse;
};

Problem draw(Random& random, Activation activation, Loss loss) {
  for (;;) {
    Problem p;
    const Index inputs = random.integer(1, 12), depth = random.integer(0, 2), rows = random.integer(1, 40);
    std::vector<Layer> layers;
    for (Index l = 0; l < depth; ++l) layers.push_back({random.integer(1, 14), activation});
    const Activation last = loss == Loss::bce          ? Activation::sigmoid
                            : loss == Loss::bce_logits ? Activation::linear
                                                       : activation;
    layers.push_back({random.integer(1, 5), last});
    p.network = Network(inputs, layers);
    p.parameters = exact_in_float(random.matrix(p.network.parameter_count(), 1) * 0.6);
    p.x = exact_in_float(random.matrix(rows, inputs));
    p.t = exact_in_float(random.matrix(rows, p.network.outputs()));
    if (loss != Loss::mse) p.t = p.t.unaryExpr([](long double z) { return z > 0.5L ? 1.0L : z > 0 ? 0.25L : 0.0L; });
    p.loss = loss;
    if (reference_forward(p.network, p.parameters, p.x).nearest_kink > 1e-4L) return p;
  }
}

template <class T>
class NetworkOf : public ::testing::Test {
 protected:
  static constexpr double kOutput = sizeof(T) == 4 ? 1e-5 : 1e-13;
};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(NetworkOf, Scalars);

TYPED_TEST(NetworkOf, OutputsAndLossAreThoseOfTheFormula) {
  using T = TypeParam;
  Random random(1);
  for (int round = 0; round < 20; ++round)
    for (const Activation activation : kActivations)
      for (const Loss loss : kLosses) {
        const Problem p = draw(random, activation, loss);
        Workspace<T> workspace(p.network, 64);
        Surrounded<T> x(p.x, 5), t(p.t, 0), dy(p.t, 0);
        const Vector<T> parameters = p.parameters.cast<T>();
        const auto y = p.network.forward(parameters, x.view(), workspace);
        const WideMatrix expected = reference_forward(p.network, p.parameters, p.x).y;
        EXPECT_LE(relative_error(y.matrix(), expected), this->kOutput) << name_of(activation);
        const double found = loss_and_slope<T>(loss, y, t.view(), dy.view());
        const double of_outputs =
            static_cast<double>(reference_loss(loss, y.matrix().template cast<long double>(), p.t));
        EXPECT_NEAR(found, of_outputs, this->kOutput * std::max(1.0, found)) << name_of(loss);
      }
}

TYPED_TEST(NetworkOf, DerivativesAreThoseOfCentralDifferences) {
  using T = TypeParam;
  Random random(2);
  for (int round = 0; round < 4; ++round)
    for (const Activation activation : kActivations)
      for (const Loss loss : kLosses) {
        const Problem p = draw(random, activation, loss);
        Workspace<T> workspace(p.network, 40);
        Surrounded<T> x(p.x, 3), t(p.t, 0), dy(p.t, 2), dx(p.x, 0);
        const Vector<T> parameters = p.parameters.cast<T>();
        Vector<T> gradient = Vector<T>::Zero(parameters.size());
        loss_and_slope<T>(loss, p.network.forward(parameters, x.view(), workspace), t.view(), dy.view(), 3);
        p.network.backward(parameters, dy.view(), workspace, gradient, dx.view());

        const WideVector by_parameters = central_differences(p.parameters, [&](const WideVector& at) {
          return 3 * reference_loss(loss, reference_forward(p.network, at, p.x).y, p.t);
        });
        const WideMatrix by_inputs = central_differences(p.x, [&](const WideMatrix& at) {
          return 3 * reference_loss(loss, reference_forward(p.network, p.parameters, at).y, p.t);
        });
        EXPECT_LE(relative_error(gradient, by_parameters), kGradientTolerance<T>)
            << name_of(activation) << name_of(loss);
        EXPECT_LE(relative_error(dx.view().matrix(), by_inputs), kGradientTolerance<T>)
            << name_of(activation) << name_of(loss);
      }
}

TYPED_TEST(NetworkOf, LossesAreFarFromOverflowAndAsSteepAsTheyAre) {
  using T = TypeParam;
  Batch<T> y(4, 1), t(4, 1), dy(4, 1);
  y.matrix() << T{-1000}, T{1000}, T{-20}, T{20};
  t.matrix() << 0, 0, 1, 1;
  const double loss = loss_and_slope<T>(Loss::bce_logits, y.view(), t.view(), dy.view(), 4);
  EXPECT_NEAR(loss, 1000 + 20 + std::log1p(std::exp(-20.0)), 1e-3);
  EXPECT_NEAR(dy.matrix()(0, 0), 0, 1e-30);
  EXPECT_EQ(dy.matrix()(1, 0), T{1});
  y.matrix() << 0, 1, T{0.5}, 1;
  t.matrix() << 0, 0, 1, 1;
  EXPECT_NEAR(loss_and_slope<T>(Loss::bce, y.view(), t.view(), dy.view(), 4), 100 + std::log(2), 1e-4);
  EXPECT_TRUE(dy.matrix().allFinite());
}

TYPED_TEST(NetworkOf, SlopesOfLogitsAreExactToARoundingOfOneAndWithoutATargetToTheirOwn) {
  using T = TypeParam;
  constexpr long double kStep = std::numeric_limits<T>::epsilon();
  Batch<T> y(1, 1), t(1, 1), dy(1, 1);
  for (const double target : {0.0, 0.25, 0.5, 1.0})
    for (double eta = -60; eta <= 60; eta += 0.5) {
      y.matrix()(0, 0) = static_cast<T>(eta);
      t.matrix()(0, 0) = static_cast<T>(target);
      loss_and_slope<T>(Loss::bce_logits, y.view(), t.view(), dy.view());
      const long double p = 1 / (1 + std::exp(-static_cast<long double>(eta))), found = dy.matrix()(0, 0);
      EXPECT_LE(std::abs(found - (p - target)), (target == 0 ? 4 * p : 2) * kStep) << eta << ' ' << target;
    }
}

TYPED_TEST(NetworkOf, DerivativesOfSeveralPassesAddUp) {
  using T = TypeParam;
  Random random(3);
  const Problem p = draw(random, Activation::tanh, Loss::mse);
  Workspace<T> workspace(p.network, 40);
  Surrounded<T> x(p.x, 3), dy(p.t, 2), dx(p.x, 0), alone(p.x, 0);
  const Vector<T> parameters = p.parameters.cast<T>();
  Vector<T> once = Vector<T>::Zero(parameters.size()), twice = once;
  p.network.forward(parameters, x.view(), workspace);
  p.network.backward(parameters, dy.view(), workspace, once);
  for (int i = 0; i < 2; ++i) p.network.backward(parameters, dy.view(), workspace, twice, dx.view());
  EXPECT_LE(relative_error(twice, (2 * once).template cast<long double>()), 4 * std::numeric_limits<T>::epsilon());
  p.network.backward_to_inputs(parameters, dy.view(), workspace, alone.view());
  EXPECT_TRUE((alone.view().matrix().array() == dx.view().matrix().array()).all());
}

TYPED_TEST(NetworkOf, ARowDoesNotDependOnTheRowsBesideIt) {
  using T = TypeParam;
  Random random(4);
  for (int round = 0; round < 20; ++round) {
    const Problem p = draw(random, kActivations[round % 4], Loss::mse);
    Workspace<T> workspace(p.network, 40), one(p.network, 1);
    Surrounded<T> x(p.x, 0), dy(p.t, 0), dx(p.x, 0);
    const Vector<T> parameters = p.parameters.cast<T>();
    const auto y = p.network.forward(parameters, x.view(), workspace);
    p.network.backward_to_inputs(parameters, dy.view(), workspace, dx.view());
    for (Index r = 0; r < p.x.rows(); ++r) {
      Surrounded<T> row(p.x.row(r), 0), dy_row(p.t.row(r), 0), dx_row(p.x.row(r), 0);
      const auto y_row = p.network.forward(parameters, row.view(), one);
      p.network.backward_to_inputs(parameters, dy_row.view(), one, dx_row.view());
      EXPECT_TRUE((y_row.matrix().array() == y.matrix().row(r).array()).all());
      EXPECT_TRUE((dx_row.view().matrix().array() == dx.view().matrix().row(r).array()).all());
    }
  }
}

// Encoder and decoder share z: what the decoder asks of its inputs is what the encoder is told of its outputs.
TYPED_TEST(NetworkOf, ComposeThroughPartsOfBatches) {
  using T = TypeParam;
  Random random(5);
  const Network encoder(3, {{4, Activation::tanh}, {2, Activation::linear}}), decoder(3, {{2, Activation::sigmoid}});
  const WideMatrix x = exact_in_float(random.matrix(9, 3)), b = exact_in_float(random.matrix(9, 1)),
                   t = exact_in_float(random.matrix(9, 2));
  const WideVector phi = exact_in_float(random.matrix(encoder.parameter_count(), 1));
  const WideVector theta = exact_in_float(random.matrix(decoder.parameter_count(), 1));
  const auto value = [&](const WideVector& at) {
    WideMatrix joined(9, 3);
    joined << reference_forward(encoder, at, x).y, b;
    return reference_loss(Loss::mse, reference_forward(decoder, theta, joined).y, t);
  };

  Workspace<T> of_encoder(encoder, 9), of_decoder(decoder, 9);
  Surrounded<T> in(x, 0), target(t, 0), dy(t, 0);
  Batch<T> joined(9, 3), d_joined(9, 3);
  const Vector<T> small_phi = phi.cast<T>(), small_theta = theta.cast<T>();
  Vector<T> gradient = Vector<T>::Zero(phi.size());
  joined.view().columns(0, 2).matrix() = encoder.forward(small_phi, in.view(), of_encoder).matrix();
  joined.view().columns(2, 1).matrix() = b.cast<T>();
  const auto y = decoder.forward(small_theta, joined.view(), of_decoder);
  loss_and_slope<T>(Loss::mse, y, target.view(), dy.view());
  decoder.backward_to_inputs(small_theta, dy.view(), of_decoder, d_joined.view());
  encoder.backward(small_phi, d_joined.view().columns(0, 2), of_encoder, gradient);
  EXPECT_LE(relative_error(gradient, central_differences(phi, value)), kGradientTolerance<T>);
}

TEST(Network, StartsFromTheSeedAlone) {
  const Network network(100, {{50}, {3, Activation::linear}});
  const Vector<double> one = network.initial_parameters<double>(7);
  EXPECT_EQ(one.size(), 100 * 50 + 50 + 50 * 3 + 3);
  EXPECT_TRUE((one.array() == network.initial_parameters<double>(7).array()).all());
  EXPECT_TRUE((one.cast<float>().array() == network.initial_parameters<float>(7).array()).all());
  EXPECT_FALSE((one.array() == network.initial_parameters<double>(8).array()).any());
  const auto first = one.head(5050), second = one.tail(153);
  EXPECT_LE(first.cwiseAbs().maxCoeff(), 0.1);
  EXPECT_GT(first.cwiseAbs().maxCoeff(), 0.0999);
  EXPECT_LE(second.cwiseAbs().maxCoeff(), 1 / std::sqrt(50.0));
  EXPECT_GT(second.cwiseAbs().maxCoeff(), 0.95 / std::sqrt(50.0));
  EXPECT_NEAR(first.mean(), 0, 4 * 0.1 / std::sqrt(3 * 5050.0));
}

TEST(Network, RefusesWhatDoesNotFit) {
  EXPECT_EQ(message_of([] { Network(0, {{1}}); }), "a network has 0 inputs; it must have at least 1");
  EXPECT_EQ(message_of([] { Network(2, {}); }), "a network has no layers; it must have at least 1");
  EXPECT_EQ(message_of([] { Network(2, {{1}, {0}}); }), "layer 1 of a network has 0 outputs; it must have at least 1");
  EXPECT_EQ(message_of([] { Batch<float>(0, 1); }), "the number of rows of a batch is 0; it must be at least 1");

  const Network network(2, {{3}, {1, Activation::linear}}), other(2, {{4}, {1}});
  const Vector<float> parameters = network.initial_parameters<float>(1);
  Workspace<float> workspace(network, 4), of_other(other, 4);
  Batch<float> x(4, 2), wide(4, 3), tall(5, 2), dy(4, 1);
  Vector<float> gradient = Vector<float>::Zero(network.parameter_count()), small = gradient.head(2);
  EXPECT_EQ(message_of([&] { network.backward(parameters, dy.view(), workspace, gradient); }),
            "backward was called before forward; it needs the outputs of the layers");
  EXPECT_EQ(message_of([&] { network.forward(parameters, wide.view(), workspace); }),
            "x of a network is 4 × 3; it must be 4 × 2");
  EXPECT_EQ(message_of([&] { network.forward(parameters, tall.view(), workspace); }),
            "a batch is to have 5 rows; it must be from 1 to 4");
  EXPECT_EQ(message_of([&] { network.forward(small, x.view(), workspace); }),
            "the parameters of a network have 2 numbers; its layers have 13");
  EXPECT_EQ(message_of([&] { network.forward(parameters, x.view(), of_other); }),
            "a workspace was made for a network of other layers; each network needs its own");
  network.forward(parameters, x.view(), workspace);
  EXPECT_EQ(message_of([&] { network.backward(parameters, x.view(), workspace, gradient); }),
            "dy of a network is 4 × 2; it must be 4 × 1");
  EXPECT_EQ(message_of([&] { network.backward(parameters, dy.view(), workspace, small); }),
            "the derivatives of a network have 2 numbers; its layers have 13");
  EXPECT_EQ(message_of([&] { x.view().columns(1, 2); }),
            "columns 1 to 3 of a batch of 2 are asked for; they must be among them");
}

}  // namespace
}  // namespace plumbline
