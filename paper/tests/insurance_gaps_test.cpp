// What is left of the gap on insurance prices is the sampling error of the slopes.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <map>
#include <numbers>

#include "paper/datasets/insurance.h"
#include "paper/regression/regression_setting.h"
#include "random_data.h"

namespace plumbline {
namespace {

constexpr int kSeeds = 3;

using Gaps = std::map<std::string, std::map<double, double>>;

Gaps mean_gaps() {
  Gaps out;
  std::size_t steps = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed)
    for (const Measured& cell : insurance_gaps(seed, [&] { ++steps; }))
      out[cell.method][std::stod(cell.metric.substr(cell.metric.find('@') + 1))] += cell.value / kSeeds;
  EXPECT_EQ(steps, kSeeds * kGapRows.size());
  return out;
}

double slope_of(const std::map<double, double>& gaps) {
  testing::MatrixXd line(gaps.size(), 2);
  testing::VectorXd logs(gaps.size());
  Index i = 0;
  for (const auto& [n, gap] : gaps) {
    line.row(i) << 1, std::log(n);
    logs[i++] = std::log(gap);
  }
  return line.colPivHouseholderQr().solve(logs)[1];
}

// y = 14 b + 40 Σ a: a predictor of residuals moves by 40 times the error of the summed slopes for each unit of b. That
// error has the standard deviation of the sum's noises, √(1 + 4·4 + 36·2 + 3 + 2 + 1² + 10² + 20² + 1000²), over
// sd(b) √n.
double predicted_gap(double n) {
  const double noise = std::sqrt(1 + 16 + 72 + 3 + 2 + 1 + 100 + 400 + 1e6);
  testing::Random random(1);
  double apart = 0;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) {
    const double uniform = random.uniform(30, 60), b = 45 + 5 * random.normal();
    apart += std::abs(uniform - b) / kDraws;
  }
  const double outcome = std::hypot(40 * noise, (14 + 40 * 11.1) * 5);
  return std::sqrt(2 / std::numbers::pi) * 40 * noise / (5 * std::sqrt(n)) * apart / outcome;
}

TEST(InsuranceGaps, FallLikeOneOverTheRootOfRowsAndAreTheSlopesSamplingError) {
  const Gaps gaps = mean_gaps();
  for (const char* method : {"OB[linear]", "SOB[linear]"}) {
    EXPECT_NEAR(slope_of(gaps.at(method)), -0.5, 0.15) << method;
    EXPECT_LE(gaps.at(method).at(200'000), 0.05 * gaps.at("FTU[linear]").at(200'000)) << method;
    // The mean of |N(0, 1)| over 4 × 24 samples has a relative standard deviation of 0.08.
    double ratio = 0;
    for (const Index rows : kGapRows) {
      const auto n = static_cast<double>(rows);
      ratio += gaps.at(method).at(n) / predicted_gap(n) / kGapRows.size();
    }
    EXPECT_NEAR(ratio, 1, 0.25) << method;
  }
  EXPECT_NEAR(slope_of(gaps.at("FTU[linear]")), 0, 0.01);
}

// Well under half: of one seed the share may come near to it, for the slopes of 7,500 rows are as uncertain as that.
TEST(InsuranceGaps, OfPerceptronsAtTheDefaultSizeAreWellUnderHalfOfUnawareOnesInTheMean) {
  const SharedSetting setting = insurance_setting();
  FitOptions sparse;
  sparse.method = Method::sob;
  sparse.rank = Rank::count(setting->rank());
  double unaware = 0, ob = 0, sob = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const RegressionTrial trial = setting->trial(Protocol::sound, seed);
    const Learner learner = perceptron_learner(setting->network(Protocol::sound, seed));
    const GapOptions draws = GapOptions::within(trial.training.b, 100, seed);
    const auto gap = [&](const FittedContinuous& method) {
      return continuous_gap(*method, *trial.exact, trial.test.b, draws).absolute;
    };
    unaware += gap(fit_unaware(trial.training, learner));
    ob += gap(fit_debiased(trial.training, learner, {}));
    sob += gap(fit_debiased(trial.training, learner, sparse));
  }
  EXPECT_LT(ob, unaware / 3);
  EXPECT_LT(sob, unaware / 3);
}

}  // namespace
}  // namespace plumbline
