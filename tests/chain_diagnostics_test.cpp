// Chains of which the answer is known: independent draws, autoregressions, chains that disagree.
#include "methods/chain_diagnostics.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::Random;

// x_t = φ x_{t−1} + √(1 − φ²) ε_t, from its stationary distribution.
MatrixXd autoregression(Random& random, double phi, Index draws, Index chains) {
  MatrixXd x(draws, chains);
  for (Index k = 0; k < chains; ++k) {
    x(0, k) = random.normal();
    for (Index t = 1; t < draws; ++t) x(t, k) = phi * x(t - 1, k) + std::sqrt(1 - phi * phi) * random.normal();
  }
  return x;
}

class ChainLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
};

TEST_P(ChainLaw, AnAutoregressionIsWorthWhatTheoryAsksFor) {
  for (const double phi : {-0.5, 0.0, 0.5, 0.9}) {
    const MatrixXd x = autoregression(random, phi, 4000, 4);
    const double expected = 16000 * (1 - phi) / (1 + phi);
    EXPECT_NEAR(effective_sample_size(x) / expected, 1, 0.25) << phi;
    EXPECT_NEAR(split_rhat(x), 1, 0.02) << phi;
  }
}

TEST_P(ChainLaw, NeitherDependsOnUnits) {
  const MatrixXd x = autoregression(random, 0.7, 500, 3);
  const MatrixXd y = (1e-5 * x).array() + 3;
  EXPECT_NEAR(split_rhat(x), split_rhat(y), 1e-9);
  EXPECT_NEAR(effective_sample_size(x), effective_sample_size(y), 1e-4);
}

TEST_P(ChainLaw, ChainsThatDisagreeAreSeen) {
  MatrixXd x = autoregression(random, 0, 1000, 4);
  x.col(2).array() += 2;
  EXPECT_GT(split_rhat(x), 1.1);
  EXPECT_LT(effective_sample_size(x), 100);
  // One that drifts disagrees with itself.
  MatrixXd drift = autoregression(random, 0, 1000, 1);
  drift.col(0) += Eigen::VectorXd::LinSpaced(1000, -2, 2);
  EXPECT_GT(split_rhat(drift), 1.1);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ChainLaw, ::testing::Range(1U, 9U));

TEST(ChainDiagnostics, ConstantsAreTold) {
  MatrixXd x = MatrixXd::Constant(100, 4, 0.1);
  EXPECT_EQ(split_rhat(x), 1);
  EXPECT_EQ(effective_sample_size(x), 400);
  x.col(1).setConstant(0.2);
  EXPECT_TRUE(std::isinf(split_rhat(x)));
  EXPECT_EQ(effective_sample_size(x), 1);
}

TEST(ChainDiagnostics, RefuseWhatTheyCannotUse) {
  EXPECT_NE(message_of([] { split_rhat(MatrixXd::Zero(3, 4)); }).find("3 draws of 4 chains"), std::string::npos);
  EXPECT_NE(message_of([] { effective_sample_size(MatrixXd::Zero(9, 0)); }), "");
  MatrixXd x = MatrixXd::Zero(9, 2);
  x(4, 1) = std::nan("");
  EXPECT_NE(message_of([&] { split_rhat(x); }).find("not finite"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
