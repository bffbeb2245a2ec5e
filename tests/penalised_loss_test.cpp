#include "methods/penalised_loss.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "reference_network.h"

namespace plumbline {
namespace {

using testing::exact_in_float;
using testing::Random;
using testing::reference_forward;
using testing::Surrounded;
using testing::WideMatrix;
using testing::WideVector;

template <class T>
class PenalisedLossOf : public ::testing::Test {};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(PenalisedLossOf, Scalars);

// Rows with their counterfactuals, block by block, and a network of them away from where relu has no derivative.
struct Problem {
  Problem(unsigned seed, Index sensitive) {
    Random random(seed);
    const Index q = random.integer(1, 5);
    network = Network(q + sensitive, layers_of({7, 5}, Activation::relu, {1, Activation::linear}));
    n = random.integer(1, 9), m = random.integer(1, 6);
    penalty = random.uniform(0.1, 5);
    do {
      parameters = exact_in_float(0.7 * random.matrix(network.parameter_count(), 1));
      x = exact_in_float(random.matrix(n * (m + 2), q + sensitive));
    } while (reference_forward(network, parameters, x).nearest_kink < 1e-4L);
    t = exact_in_float(random.matrix(n, 1));
  }

  // By the formula of adversarial_method.h, the mean over these rows.
  long double loss(const WideVector& at) const {
    const WideMatrix y = reference_forward(network, at, x).y;
    long double sum = 0;
    for (Index i = 0; i < n; ++i) {
      const long double off = y(i, 0) - t(i, 0);
      sum += off * off;
      for (Index d = 0; d < m; ++d) {
        const long double apart = y((d + 2) * n + i, 0) - y(n + i, 0);
        sum += penalty / static_cast<double>(m) * apart * apart;
      }
    }
    return sum / static_cast<long double>(n);
  }

  Network network{1, {{1}}};
  WideVector parameters;
  WideMatrix x, t;
  Index n = 0, m = 0;
  double penalty = 0;
};

TYPED_TEST(PenalisedLossOf, IsTheFormulaAndItsDerivativesThoseOfCentralDifferences) {
  using T = TypeParam;
  for (const Index sensitive : {1, 2})
    for (unsigned seed = 1; seed <= 8; ++seed) {
      const Problem p(seed, sensitive);
      Workspace<T> workspace(p.network, p.x.rows());
      Surrounded<T> x(p.x, 0), t(p.t, 3), dy(WideMatrix::Zero(p.x.rows(), 1), 0);
      const Vector<T> parameters = p.parameters.cast<T>();
      Vector<T> gradient = Vector<T>::Zero(parameters.size());
      const double loss = penalised_loss_and_slope<T>(p.network.forward(parameters, x.view(), workspace), t.view(),
                                                      p.penalty, 1 / static_cast<T>(p.n), dy.view());
      p.network.backward(parameters, dy.view(), workspace, gradient);
      const auto expected = static_cast<double>(p.loss(p.parameters));
      EXPECT_NEAR(loss, expected, (sizeof(T) == 4 ? 1e-5 : 1e-13) * std::max(1.0, expected));
      const WideVector slopes =
          testing::central_differences(p.parameters, [&](const WideVector& at) { return p.loss(at); });
      EXPECT_LE(testing::relative_error(gradient, slopes), testing::kGradientTolerance<T>) << seed;
    }
}

TEST(PenalisedLoss, RefusesBlocksThatAreNotWhole) {
  Batch<float> y(12, 1), dy(12, 1), t(3, 1);
  const auto message = [&](Index rows) {
    y.set_rows(rows), dy.set_rows(rows);
    return testing::message_of([&] { penalised_loss_and_slope<float>(y.view(), t.view(), 1, 1.0F, dy.view()); });
  };
  EXPECT_EQ(message(12), "");
  for (const Index rows : {6, 10})
    EXPECT_EQ(message(rows),
              "y is " + std::to_string(rows) + " × 1, t is 3 × 1 and dy is " + std::to_string(rows) +
                  " × 1; each must have 1 column, y and dy at least three whole blocks of the rows of t");
}

}  // namespace
}  // namespace plumbline
