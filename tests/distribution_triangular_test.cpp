// A world that is triangular in the order of the map: the same noises at another b become the same row.
#include <gtest/gtest.h>

#include <cmath>

#include "plumbline/distribution.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::VectorXd;

const std::vector<std::string> kOrder = {"a0", "a1", "a2"};

// Rising in the noise, neither linear nor normal, three continuous b.
MatrixXd world(const MatrixXd& b, const MatrixXd& noise) {
  MatrixXd a(b.rows(), 3);
  for (Index i = 0; i < b.rows(); ++i) {
    const double e0 = std::exp(0.5 * noise(i, 0)), e1 = noise(i, 1), e2 = std::sinh(noise(i, 2));
    a(i, 0) = b(i, 0) + 0.5 * b(i, 1) * b(i, 1) + e0 * (1 + 0.3 * std::tanh(b(i, 2)));
    a(i, 1) = 0.8 * a(i, 0) + std::sin(b(i, 1)) + (1 + 0.4 * std::tanh(b(i, 0))) * e1;
    a(i, 2) = std::tanh(a(i, 1)) + 0.5 * b(i, 2) + 0.3 * e2;
  }
  return a;
}

// Mean |ã − ã'| in standard deviations of ã, of new rows and of the same noises at another b.
double gap(Index n, unsigned seed, const std::vector<std::string>& order) {
  Random random(seed);
  const MatrixXd b = random.matrix(n, 3), a = world(b, random.matrix(n, 3));
  const Distribution d = Distribution::fit(a, b, feature_groups(kOrder), {.order = order});
  const Index m = 4000;
  const MatrixXd here = random.matrix(m, 3), there = random.matrix(m, 3), noise = random.matrix(m, 3);
  MatrixXd one(m, 3), other(m, 3);
  d.apply(world(here, noise), here, one);
  d.apply(world(there, noise), there, other);
  double sum = 0;
  for (Index j = 0; j < 3; ++j) {
    const VectorXd x = one.col(j);
    sum += (x - other.col(j)).cwiseAbs().mean() / std::sqrt((x.array() - x.mean()).square().mean()) / 3;
  }
  return sum;
}

TEST(TriangularWorld, TheGapFallsWithTheRowsAndAWrongOrderKeepsIt) {
  double small = 0, large = 0, wrong = 0;
  for (unsigned seed = 0; seed < 3; ++seed) {
    small += gap(1000, seed, kOrder) / 3;
    large += gap(32'000, seed, kOrder) / 3;
    wrong += gap(32'000, seed, {"a2", "a1", "a0"}) / 3;
  }
  RecordProperty("small", std::to_string(small));
  RecordProperty("large", std::to_string(large));
  RecordProperty("wrong", std::to_string(wrong));
  EXPECT_LT(large, 0.6 * small);
  EXPECT_GT(wrong, 1.5 * large);
}

// What a row would be at another b, beside the world itself.
TEST(TriangularWorld, CounterfactualsAreThoseOfTheWorld) {
  Random random(9);
  const Index n = 32'000, m = 4000;
  const MatrixXd b = random.matrix(n, 3), a = world(b, random.matrix(n, 3));
  const Distribution d = Distribution::fit(a, b, feature_groups(kOrder), {.order = kOrder});
  const MatrixXd here = random.matrix(m, 3), there = random.matrix(m, 3), noise = random.matrix(m, 3);
  const MatrixXd rows = world(here, noise), truth = world(there, noise);
  MatrixXd out(m, 3);
  d.counterfactual(rows, here, there, out);
  for (Index j = 0; j < 3; ++j)
    EXPECT_LT((out.col(j) - truth.col(j)).cwiseAbs().mean(), 0.35 * (rows.col(j) - truth.col(j)).cwiseAbs().mean())
        << j;
}

}  // namespace
}  // namespace plumbline
