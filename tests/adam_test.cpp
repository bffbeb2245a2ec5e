#include "predict/adam.h"

#include <gtest/gtest.h>

#include <limits>

#include "message_of.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::message_of;
using testing::Random;

template <class T>
class AdamOf : public ::testing::Test {};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(AdamOf, Scalars);

TYPED_TEST(AdamOf, FollowsTheRecurrence) {
  using T = TypeParam;
  using Wide = Vector<long double>;
  Random random(1);
  for (const Index size : {1, 3, 16, 37, 200}) {
    const AdamOptions options{.learning_rate = random.uniform(1e-4, 1e-1),
                              .beta1 = random.uniform(0, 0.95),
                              .beta2 = random.uniform(0.5, 0.9999),
                              .epsilon = 1e-6};
    Adam<T> adam(size, options);
    Vector<T> parameters = random.matrix(size, 1).cast<T>();
    Wide expected = parameters.template cast<long double>(), m = Wide::Zero(size), v = m;
    for (int t = 1; t <= 60; ++t) {
      const Vector<T> gradient = random.matrix(size, 1).cast<T>();
      const Wide g = gradient.template cast<long double>();
      m = options.beta1 * m + (1 - options.beta1) * g;
      v = options.beta2 * v + (1 - options.beta2) * g.cwiseAbs2();
      const Wide m_hat = m / (1 - std::pow(options.beta1, t)), v_hat = v / (1 - std::pow(options.beta2, t));
      expected -= (options.learning_rate * m_hat.array() / (v_hat.array().sqrt() + options.epsilon)).matrix();
      adam.step(gradient, parameters);
      const double off =
          static_cast<double>((parameters.template cast<long double>() - expected).cwiseAbs().maxCoeff());
      EXPECT_LE(off, 100 * std::numeric_limits<T>::epsilon());
    }
  }
}

TYPED_TEST(AdamOf, TheFirstStepIsTheLearningRateWhateverTheSlope) {
  using T = TypeParam;
  Adam<T> adam(3, {.learning_rate = 0.25});
  Vector<T> parameters = Vector<T>::Zero(3), gradient(3);
  gradient << T{0.0078125}, T{-1}, T{1000000};
  adam.step(gradient, parameters);
  EXPECT_NEAR(parameters[0], -0.25, 1e-5);
  EXPECT_NEAR(parameters[1], 0.25, 1e-6);
  EXPECT_NEAR(parameters[2], -0.25, 1e-6);
}

TEST(Adam, RefusesOptionsAndSizesOutOfRange) {
  EXPECT_EQ(message_of([] { Adam<float>(1, {.learning_rate = 0}); }),
            "learning_rate is 0; it must be positive and finite");
  EXPECT_EQ(message_of([] { Adam<float>(1, {.beta1 = 1}); }), "beta1 is 1; it must be at least 0 and below 1");
  EXPECT_EQ(message_of([] { Adam<float>(1, {.beta2 = -1}); }), "beta2 is -1; it must be at least 0 and below 1");
  EXPECT_EQ(message_of([] { Adam<float>(1, {.epsilon = 0}); }), "epsilon is 0; it must be positive and finite");
  Adam<float> adam(2, {});
  Vector<float> two = Vector<float>::Zero(2), three = Vector<float>::Zero(3);
  EXPECT_EQ(message_of([&] { adam.step(three, two); }),
            "Adam of 2 parameters got 3 derivatives and 2 parameters; all must be as many");
}

}  // namespace
}  // namespace plumbline
