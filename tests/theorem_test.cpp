// The theorem by simulation. In the model  a = Γ b + ε  with (ε, b) jointly elliptical, the counterfactual of a row
// keeps its ε and moves its b. A linear predictor cᵀã fitted on Ã then moves by  cᵀ T (Γ, I) (b' − b), which the fit
// makes vanish only up to the sampling error of its slopes: the gap falls like 1/√n. On A itself it does not fall.
#include <gtest/gtest.h>

#include "plumbline/fit.h"
#include "random_data.h"
#include "reference_algebra.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::VectorXd;

struct Law {
  const char* name;
  double degrees;  // of Student's t; 0: normal
};

MatrixXd elliptical(Random& random, Index rows, Index cols, double degrees) {
  MatrixXd x = random.matrix(rows, cols);
  if (degrees == 0) return x;
  for (Index i = 0; i < rows; ++i) {
    double chi = 0;
    for (int d = 0; d < static_cast<int>(degrees); ++d) chi += std::pow(random.normal(), 2);
    x.row(i) *= std::sqrt(degrees / chi);
  }
  return x;
}

// Root mean square over repetitions of the gap of a least-squares predictor of y, on Ã and on A.
struct Gap {
  double fair, raw;
};

// Shapes, influences and steps of b follow from the seed, whatever n is.
Gap gap(unsigned seed, Index n, double degrees) {
  Random worlds(seed), random(seed + 1000 + static_cast<unsigned>(n));
  Gap total{0, 0};
  constexpr int kRepeats = 60;
  for (int round = 0; round < kRepeats; ++round) {
    const Index q = worlds.integer(2, 6), p = worlds.integer(1, 3);
    const MatrixXd gamma = worlds.matrix(p, q);
    const VectorXd step = worlds.matrix(p, 1);  // b' − b, the same for every row
    const MatrixXd x = elliptical(random, n, q + p, degrees);
    const MatrixXd b = x.rightCols(p), a = b * gamma + x.leftCols(q);
    const VectorXd y = a.rowwise().sum() + 0.5 * b.rowwise().sum() + 0.1 * random.matrix(n, 1);
    const AffineModel model = fit(a, b).model;
    const auto predictor = [&](const MatrixXd& features) -> VectorXd {
      return testing::least_squares(testing::centred(features), VectorXd(y.array() - y.mean()));
    };
    const VectorXd moved_a = gamma.transpose() * step;
    const VectorXd moved_fair = model.dense_a() * moved_a + model.dense_b() * step;
    total.fair += std::pow(predictor(model.apply(a, b)).dot(moved_fair), 2);
    total.raw += std::pow(predictor(a).dot(moved_a), 2);
  }
  return {std::sqrt(total.fair / kRepeats), std::sqrt(total.raw / kRepeats)};
}

class Theorem : public ::testing::TestWithParam<std::tuple<Law, unsigned>> {};

TEST_P(Theorem, TheGapOnTheFairFeaturesFallsLikeTheRootOfN) {
  const auto& [law, seed] = GetParam();
  const Gap small = gap(seed, 200, law.degrees), large = gap(seed, 20000, law.degrees);
  // n grows 100-fold, so the gap should fall 10-fold; its estimate from 60 repetitions is good to about a factor 1.6.
  EXPECT_GT(small.fair / large.fair, 6);
  EXPECT_LT(small.fair / large.fair, 16);
  EXPECT_GT(large.raw, 0.5 * small.raw);
  EXPECT_GT(large.raw, 50 * large.fair);
}

INSTANTIATE_TEST_SUITE_P(Elliptical, Theorem,
                         ::testing::Combine(::testing::Values(Law{"Gaussian", 0}, Law{"StudentT5", 5}),
                                            ::testing::Range(0U, 4U)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + std::to_string(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace plumbline
