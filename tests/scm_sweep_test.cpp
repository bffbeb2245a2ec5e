// Each conditional distribution against its closed form, and the sweep as a whole against the joint distribution.
#include "methods/scm_sweep.h"

#include <gtest/gtest.h>

#include "random_people.h"
#include "random_scm.h"
#include "reference_algebra.h"

namespace plumbline {
namespace {

using Eigen::VectorXi;
using testing::inverse;
using testing::largest;
using testing::MatrixXd;
using testing::Random;
using testing::random_parameters;
using testing::reference_svd;
using testing::simulated;
using testing::VectorXd;
using People = testing::LatentPeople;

MatrixXd about_groups(const MatrixXd& x, const VectorXi& s, int levels) {
  MatrixXd out = x;
  for (int g = 0; g < levels; ++g) {
    const auto is_g = (s.array() == g).cast<double>().matrix().eval();
    if (is_g.sum() > 0) out -= is_g * (is_g.transpose() * x / is_g.sum());
  }
  return out;
}

LatentSums sums_of(const VectorXd& u, const People& people, int levels) {
  LatentSums out;
  out.means = VectorXd::Zero(levels);
  VectorXd counts = VectorXd::Zero(levels);
  for (Index i = 0; i < u.size(); ++i) {
    out.means[people.s[i]] += u[i];
    counts[people.s[i]] += 1;
  }
  out.means = out.means.array() / counts.array().max(1);
  const VectorXd within = about_groups(u, people.s, levels);
  out.cross = about_groups(people.z, people.s, levels).transpose() * within;
  out.square = within.squaredNorm();
  return out;
}

// Means and variances of the columns of many draws, against what they should be, in standard errors.
void expect_moments(const MatrixXd& draws, const VectorXd& mean, const VectorXd& variance) {
  const double n = static_cast<double>(draws.rows());
  for (Index j = 0; j < draws.cols(); ++j) {
    const auto centred = (draws.col(j).array() - mean[j]).eval();
    EXPECT_LE(std::abs(centred.mean()), 5 * std::sqrt(variance[j] / n)) << j;
    const double spread = centred.square().mean(), error = std::sqrt((centred.square() - spread).square().mean() / n);
    EXPECT_LE(std::abs(spread - variance[j]), 5 * error + 1e-12) << j;
  }
}

class SweepLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  static constexpr Index kDraws = 20000;
  Random random{GetParam()};
  ScmRandom draw{GetParam(), 0};
  int levels = static_cast<int>(random.integer(1, 4));
  Index q = random.integer(1, 4), n = random.integer(8, 60);
  ScmParameters truth = random_parameters(random, levels, q);
  People people = simulated(random, truth, n);
  ScmPrior prior{.offset_sd = 2, .loading_sd = 0.8, .noise_shape = 3, .noise_scale = 1.5};
};

TEST_P(SweepLaw, TheLatentIsNormalGivenTheParameters) {
  // By the joint normal distribution of (U, z): mean wᵀ Σ⁻¹ (z − c), variance 1 − wᵀ Σ⁻¹ w, Σ = w wᵀ + diag(σ²).
  const MatrixXd joint = truth.loadings * truth.loadings.transpose() + MatrixXd(truth.variances.asDiagonal());
  const VectorXd slope = inverse(joint) * truth.loadings;
  EXPECT_LE(largest(truth.latent_slope() - slope), 1e-9);
  EXPECT_NEAR(truth.latent_variance(), 1 - truth.loadings.dot(slope), 1e-9);
}

// The density itself, by the joint covariance of a row; what is left out of it does not depend on the parameters.
TEST_P(SweepLaw, TheDensityIsThatOfRowsWithoutTheLatent) {
  const ScmStatistics data(people.z, people.s, levels);
  const auto by_rows = [&](const ScmParameters& at) {
    const MatrixXd joint = at.loadings * at.loadings.transpose() + MatrixXd(at.variances.asDiagonal());
    const MatrixXd precision = inverse(joint);
    double sum = static_cast<double>(n) / 2 * reference_svd(precision).values.array().log().sum();
    for (Index i = 0; i < n; ++i) {
      const VectorXd off = (people.z.row(i) - at.offsets.row(people.s[i])).transpose();
      sum -= off.dot(precision * off) / 2;
    }
    for (Index j = 0; j < q; ++j)
      sum += -at.loadings[j] * at.loadings[j] / (2 * prior.loading_sd * prior.loading_sd) -
             (prior.noise_shape + 1) * std::log(at.variances[j]) - prior.noise_scale / at.variances[j];
    return sum;
  };
  ScmParameters other = random_parameters(random, levels, q);
  const double expected = by_rows(other) - by_rows(truth);
  EXPECT_NEAR(log_density(data, prior, other) - log_density(data, prior, truth), expected,
              1e-9 * (1 + std::abs(by_rows(other)) + std::abs(by_rows(truth))));
}

TEST_P(SweepLaw, ATradeKeepsVariancesAndTheCovarianceOfItsFeatures) {
  const ScmStatistics data(people.z, people.s, levels);
  ScmParameters at = truth;
  const auto joint = [&]() -> MatrixXd {
    return at.loadings * at.loadings.transpose() + MatrixXd(at.variances.asDiagonal());
  };
  const MatrixXd before = joint();
  int moved = 0;
  for (int step = 0; step < 200; ++step) {
    const VectorXd loadings = at.loadings;
    draw_trade(data, prior, draw, at);
    moved += at.loadings == loadings ? 0 : 1;
    EXPECT_LE(largest(VectorXd((joint() - before).diagonal())), 1e-9 * before.norm());
    if (q == 2) {
      EXPECT_LE(largest(joint() - before), 1e-9 * before.norm());
    }
    EXPECT_TRUE(at.offsets == truth.offsets && at.variances.minCoeff() > 0);
  }
  EXPECT_EQ(moved > 0, q > 1);
}

TEST_P(SweepLaw, SumsOfTheLatentAreDrawnAsIfEveryRowWere) {
  if (q > 1 && random.integer(0, 1) == 1) people.z.col(1) = 2 * people.z.col(0);  // a scatter without full rank
  const int wider = levels + 1;                                                   // one level has no rows
  ScmParameters at = random_parameters(random, wider, q);
  const ScmStatistics data(people.z, people.s, wider);
  VectorXd mean(n);
  for (Index i = 0; i < n; ++i)
    mean[i] = at.latent_slope().dot((people.z.row(i) - at.offsets.row(people.s[i])).transpose());
  const double v = at.latent_variance(), free = static_cast<double>(n - levels);
  const LatentSums expected = sums_of(mean, people, wider);
  const MatrixXd within = about_groups(people.z, people.s, wider);

  MatrixXd draws(kDraws, wider + q + 1);
  LatentSums sums;
  for (Index d = 0; d < kDraws; ++d) {
    draw_latent(data, at, draw, sums);
    draws.row(d) << sums.means.transpose(), sums.cross.transpose(), sums.square;
  }
  VectorXd means(wider + q + 1), variances(wider + q + 1);
  means << expected.means, expected.cross, expected.square + v * free;
  variances << v * data.counts.array().max(1).inverse(), v * within.colwise().squaredNorm().transpose(),
      2 * v * v * free + 4 * v * expected.square;
  variances[levels] = 0;
  expect_moments(draws, means, variances);
}

// A Bayesian regression of each feature on the indicators and U, with all matrices written out.
TEST_P(SweepLaw, EffectsAreThoseOfABayesianRegression) {
  const ScmStatistics data(people.z, people.s, levels);
  const LatentSums sums = sums_of(people.u, people, levels);
  MatrixXd design = MatrixXd::Zero(n, levels + 1);
  for (Index i = 0; i < n; ++i) design(i, people.s[i]) = 1;
  design.col(levels) = people.u;
  VectorXd shrinkage = VectorXd::Constant(levels + 1, 1 / (prior.offset_sd * prior.offset_sd));
  shrinkage[levels] = 1 / (prior.loading_sd * prior.loading_sd);
  std::vector<MatrixXd> draws(static_cast<std::size_t>(q), MatrixXd(kDraws, levels + 1));
  ScmParameters at = truth;
  for (Index d = 0; d < kDraws; ++d) {
    draw_effects(data, sums, prior, draw, at);
    for (Index j = 0; j < q; ++j)
      draws[static_cast<std::size_t>(j)].row(d) << at.offsets.col(j).transpose(), at.loadings[j];
  }
  EXPECT_TRUE(at.variances == truth.variances);
  for (Index j = 0; j < q; ++j) {
    const MatrixXd& found = draws[static_cast<std::size_t>(j)];
    MatrixXd precision = design.transpose() * design / truth.variances[j];
    precision.diagonal() += shrinkage;
    const MatrixXd covariance = inverse(precision);
    const VectorXd mean = covariance * (design.transpose() * people.z.col(j)) / truth.variances[j];
    expect_moments(found, mean, covariance.diagonal());
    // The loading and an offset move together as they should.
    const VectorXd sum = found.col(0) + found.col(levels);
    expect_moments(sum, VectorXd::Constant(1, mean[0] + mean[levels]),
                   VectorXd::Constant(1, covariance(0, 0) + covariance(levels, levels) + 2 * covariance(0, levels)));
  }
}

// Moving the latent and the offsets of a group against each other explains the features as before, and the moves are
// those that the priors of both allow.
TEST_P(SweepLaw, ShiftsKeepWhatIsExplainedAndFollowThePriors) {
  const ScmStatistics data(people.z, people.s, levels);
  const LatentSums before = sums_of(people.u, people, levels);
  MatrixXd draws(kDraws, levels);
  for (Index d = 0; d < kDraws; ++d) {
    LatentSums sums = before;
    ScmParameters at = truth;
    draw_shifts(data, prior, draw, sums, at);
    const MatrixXd explained = at.offsets + sums.means * at.loadings.transpose();
    EXPECT_LE(largest(explained - truth.offsets - before.means * truth.loadings.transpose()), 1e-12);
    draws.row(d) = (sums.means - before.means).transpose();
  }
  VectorXd mean(levels), variance(levels);
  for (int g = 0; g < levels; ++g) {
    // −log of the priors is ½ Σ (u + δ)² + ½ Σ (c − w δ)² / sd², a parabola in δ.
    const double shrinkage = 1 / (prior.offset_sd * prior.offset_sd);
    variance[g] = 1 / (data.counts[g] + shrinkage * truth.loadings.squaredNorm());
    mean[g] = variance[g] * (shrinkage * truth.offsets.row(g).dot(truth.loadings) - data.counts[g] * before.means[g]);
  }
  expect_moments(draws, mean, variance);
}

TEST_P(SweepLaw, PrecisionsOfTheNoiseAreGamma) {
  const ScmStatistics data(people.z, people.s, levels);
  const LatentSums sums = sums_of(people.u, people, levels);
  MatrixXd draws(kDraws, q);
  ScmParameters at = truth;
  for (Index d = 0; d < kDraws; ++d) {
    draw_noise(data, sums, prior, draw, at);
    draws.row(d) = at.variances.cwiseInverse().transpose();
  }
  VectorXd mean(q), variance(q);
  for (Index j = 0; j < q; ++j) {
    double squares = 0;
    for (Index i = 0; i < n; ++i)
      squares += std::pow(people.z(i, j) - truth.offsets(people.s[i], j) - truth.loadings[j] * people.u[i], 2);
    const double shape = prior.noise_shape + static_cast<double>(n) / 2, rate = prior.noise_scale + squares / 2;
    mean[j] = shape / rate;
    variance[j] = shape / (rate * rate);
  }
  expect_moments(draws, mean, variance);
}

// Parameters from the prior, data from the parameters, sweeps from there: the parameters are still of the prior.
TEST_P(SweepLaw, SweepsLeaveTheJointDistributionAsItIs) {
  const Index rounds = 6000;
  MatrixXd draws(rounds, 4);
  for (Index round = 0; round < rounds; ++round) {
    ScmParameters at{prior.offset_sd * random.matrix(2, 2), prior.loading_sd * random.matrix(2, 1), VectorXd(2)};
    for (double& variance : at.variances) variance = prior.noise_scale / draw.gamma(prior.noise_shape);
    const People sample = simulated(random, at, 7);
    const ScmStatistics data(sample.z, sample.s, 2);
    LatentSums sums;
    for (int sweep = 0; sweep < 3; ++sweep) {
      draw_trade(data, prior, draw, at);
      draw_latent(data, at, draw, sums);
      draw_effects(data, sums, prior, draw, at);
      draw_shifts(data, prior, draw, sums, at);
      draw_noise(data, sums, prior, draw, at);
    }
    draws.row(round) << at.offsets(0, 1), at.loadings[0], at.loadings[0] * at.loadings[1] * at.offsets(1, 0),
        1 / at.variances[1];
  }
  const double offset = prior.offset_sd * prior.offset_sd, loading = prior.loading_sd * prior.loading_sd;
  expect_moments(draws, VectorXd{{0, 0, 0, prior.noise_shape / prior.noise_scale}},
                 VectorXd{{offset, loading, loading * loading * offset,
                           prior.noise_shape / (prior.noise_scale * prior.noise_scale)}});
}

INSTANTIATE_TEST_SUITE_P(Seeds, SweepLaw, ::testing::Range(1U, 9U));

}  // namespace
}  // namespace plumbline
