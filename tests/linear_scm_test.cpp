// The sampler against closed forms: each conditional distribution, the sweep as a whole, and the posterior where
// quadrature can follow.
#include "methods/linear_scm.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "methods/chain_diagnostics.h"
#include "methods/fair_learning.h"
#include "methods/group_mapping.h"
#include "metrics/counterfactual.h"
#include "random_people.h"

namespace plumbline {
namespace {

using Eigen::VectorXi;
using testing::largest;
using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::VectorXd;

struct People {
  MatrixXd z;
  VectorXi s;
  VectorXd u;
};

ScmParameters random_parameters(Random& random, int levels, Index q) {
  return {random.matrix(levels, q), random.matrix(q, 1), random.matrix(q, 1).array().exp()};
}

People simulated(Random& random, const ScmParameters& truth, Index n) {
  const int levels = static_cast<int>(truth.offsets.rows());
  People out{MatrixXd(n, truth.loadings.size()), VectorXi(n), random.matrix(n, 1)};
  for (Index i = 0; i < n; ++i) {
    out.s[i] = static_cast<int>(i < levels ? i : random.integer(0, levels - 1));
    for (Index j = 0; j < out.z.cols(); ++j)
      out.z(i, j) =
          truth.offsets(out.s[i], j) + truth.loadings[j] * out.u[i] + std::sqrt(truth.variances[j]) * random.normal();
  }
  return out;
}

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

class ScmLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  static constexpr Index kDraws = 20000;
  Random random{GetParam()};
  ScmRandom draw{GetParam(), 0};
  int levels = static_cast<int>(random.integer(1, 4));
  Index q = random.integer(1, 4), n = random.integer(8, 60);
  ScmParameters truth = random_parameters(random, levels, q);
  People people = simulated(random, truth, n);
  ScmOptions options{.offset_sd = 2, .loading_sd = 0.8, .noise_shape = 3, .noise_scale = 1.5};
};

TEST_P(ScmLaw, TheLatentIsNormalGivenTheParameters) {
  // By the joint normal distribution of (U, z): mean wᵀ Σ⁻¹ (z − c), variance 1 − wᵀ Σ⁻¹ w, Σ = w wᵀ + diag(σ²).
  const MatrixXd joint = truth.loadings * truth.loadings.transpose() + MatrixXd(truth.variances.asDiagonal());
  const VectorXd slope = joint.inverse() * truth.loadings;
  EXPECT_LE(largest(truth.latent_slope() - slope), 1e-9);
  EXPECT_NEAR(truth.latent_variance(), 1 - truth.loadings.dot(slope), 1e-9);
}

TEST_P(ScmLaw, SumsOfTheLatentAreDrawnAsIfEveryRowWere) {
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
TEST_P(ScmLaw, EffectsAreThoseOfABayesianRegression) {
  const ScmStatistics data(people.z, people.s, levels);
  const LatentSums sums = sums_of(people.u, people, levels);
  MatrixXd design = MatrixXd::Zero(n, levels + 1);
  for (Index i = 0; i < n; ++i) design(i, people.s[i]) = 1;
  design.col(levels) = people.u;
  VectorXd prior = VectorXd::Constant(levels + 1, 1 / (options.offset_sd * options.offset_sd));
  prior[levels] = 1 / (options.loading_sd * options.loading_sd);
  std::vector<MatrixXd> draws(static_cast<std::size_t>(q), MatrixXd(kDraws, levels + 1));
  ScmParameters at = truth;
  for (Index d = 0; d < kDraws; ++d) {
    draw_effects(data, sums, options, draw, at);
    for (Index j = 0; j < q; ++j)
      draws[static_cast<std::size_t>(j)].row(d) << at.offsets.col(j).transpose(), at.loadings[j];
  }
  EXPECT_TRUE(at.variances == truth.variances);
  for (Index j = 0; j < q; ++j) {
    const MatrixXd& found = draws[static_cast<std::size_t>(j)];
    MatrixXd precision = design.transpose() * design / truth.variances[j];
    precision.diagonal() += prior;
    const MatrixXd covariance = precision.inverse();
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
TEST_P(ScmLaw, ShiftsKeepWhatIsExplainedAndFollowThePriors) {
  const ScmStatistics data(people.z, people.s, levels);
  const LatentSums before = sums_of(people.u, people, levels);
  MatrixXd draws(kDraws, levels);
  for (Index d = 0; d < kDraws; ++d) {
    LatentSums sums = before;
    ScmParameters at = truth;
    draw_shifts(data, options, draw, sums, at);
    const MatrixXd explained = at.offsets + sums.means * at.loadings.transpose();
    EXPECT_LE(largest(explained - truth.offsets - before.means * truth.loadings.transpose()), 1e-12);
    draws.row(d) = (sums.means - before.means).transpose();
  }
  VectorXd mean(levels), variance(levels);
  for (int g = 0; g < levels; ++g) {
    // −log of the priors is ½ Σ (u + δ)² + ½ Σ (c − w δ)² / sd², a parabola in δ.
    const double prior = 1 / (options.offset_sd * options.offset_sd);
    variance[g] = 1 / (data.counts[g] + prior * truth.loadings.squaredNorm());
    mean[g] = variance[g] * (prior * truth.offsets.row(g).dot(truth.loadings) - data.counts[g] * before.means[g]);
  }
  expect_moments(draws, mean, variance);
}

TEST_P(ScmLaw, PrecisionsOfTheNoiseAreGamma) {
  const ScmStatistics data(people.z, people.s, levels);
  const LatentSums sums = sums_of(people.u, people, levels);
  MatrixXd draws(kDraws, q);
  ScmParameters at = truth;
  for (Index d = 0; d < kDraws; ++d) {
    draw_noise(data, sums, options, draw, at);
    draws.row(d) = at.variances.cwiseInverse().transpose();
  }
  VectorXd mean(q), variance(q);
  for (Index j = 0; j < q; ++j) {
    double squares = 0;
    for (Index i = 0; i < n; ++i)
      squares += std::pow(people.z(i, j) - truth.offsets(people.s[i], j) - truth.loadings[j] * people.u[i], 2);
    const double shape = options.noise_shape + static_cast<double>(n) / 2, rate = options.noise_scale + squares / 2;
    mean[j] = shape / rate;
    variance[j] = shape / (rate * rate);
  }
  expect_moments(draws, mean, variance);
}

// Parameters from the prior, data from the parameters, sweeps from there: the parameters are still of the prior.
TEST_P(ScmLaw, SweepsLeaveTheJointDistributionAsItIs) {
  const Index rounds = 6000;
  MatrixXd draws(rounds, 4);
  for (Index round = 0; round < rounds; ++round) {
    ScmParameters at{options.offset_sd * random.matrix(2, 2), options.loading_sd * random.matrix(2, 1), VectorXd(2)};
    for (double& variance : at.variances) variance = options.noise_scale / draw.gamma(options.noise_shape);
    const People sample = simulated(random, at, 7);
    const ScmStatistics data(sample.z, sample.s, 2);
    LatentSums sums;
    for (int sweep = 0; sweep < 3; ++sweep) {
      draw_latent(data, at, draw, sums);
      draw_effects(data, sums, options, draw, at);
      draw_shifts(data, options, draw, sums, at);
      draw_noise(data, sums, options, draw, at);
    }
    draws.row(round) << at.offsets(0, 1), at.loadings[0], at.loadings[0] * at.loadings[1] * at.offsets(1, 0),
        1 / at.variances[1];
  }
  const double offset = options.offset_sd * options.offset_sd, loading = options.loading_sd * options.loading_sd;
  expect_moments(draws, VectorXd{{0, 0, 0, options.noise_shape / options.noise_scale}},
                 VectorXd{{offset, loading, loading * loading * offset,
                           options.noise_shape / (options.noise_scale * options.noise_scale)}});
}

// One feature, one group: z ~ N(c, w² + σ²), c integrated out, so the posterior of (w, σ²) can be summed on a grid.
TEST_P(ScmLaw, ThePosteriorOfOneFeatureIsThatOfQuadrature) {
  const Index rows = 40;
  const MatrixXd a = random.matrix(rows, 1);
  options.chains = 4;
  options.draws = 2000;
  options.thin = 10;
  options.seed = GetParam();
  const LinearScm scm(a, VectorXi::Zero(rows), 1, options);

  // In units of z the mean is 0 and the sum of squares n.
  const double count = static_cast<double>(rows), offset = options.offset_sd * options.offset_sd;
  double total = 0, variance = 0, share = 0;
  for (double w = -4; w <= 4; w += 0.01)
    for (double log_noise = -7; log_noise <= 4; log_noise += 0.02) {
      const double noise = std::exp(log_noise), sum = w * w + noise;
      const double log_density = -0.5 * (count - 1) * std::log(sum) - 0.5 * std::log(sum + count * offset) -
                                 0.5 * count / sum - 0.5 * w * w / (options.loading_sd * options.loading_sd) -
                                 options.noise_shape * log_noise - options.noise_scale / noise;
      const double density = std::exp(log_density);
      total += density;
      variance += density * noise;
      share += density * w * w / sum;
    }
  MatrixXd noises(options.draws, options.chains), shares = noises;
  for (std::size_t d = 0; d < scm.draws().size(); ++d) {
    const ScmParameters& at = scm.draws()[d];
    noises.data()[d] = at.variances[0];
    shares.data()[d] = at.loadings[0] * at.loadings[0] / (at.loadings[0] * at.loadings[0] + at.variances[0]);
  }
  const auto near = [](const MatrixXd& draws, double expected) {
    const double deviation = std::sqrt((draws.array() - draws.mean()).square().mean());
    EXPECT_LE(std::abs(draws.mean() - expected), 5 * deviation / std::sqrt(effective_sample_size(draws)));
  };
  near(noises, variance / total);
  near(shares, share / total);
}

TEST_P(ScmLaw, ManyRowsLeadToTheLatentOfTheTrueParameters) {
  const Index features = 6;
  ScmParameters at = random_parameters(random, levels, features);
  at.loadings = at.loadings.array().sign() * random.matrix(features, 1).array().abs().max(0.5);
  at.variances.setConstant(0.5);
  const People many = simulated(random, at, 4000);
  ScmOptions sampling{.draws = 1000, .thin = 10, .seed = GetParam()};
  const LinearScm scm(many.z, many.s, levels, sampling);
  EXPECT_EQ(scm.status(), ScmStatus::converged) << scm.warning();
  const VectorXd found = scm.latent_mean(many.z, many.s);
  VectorXd expected(4000);
  for (Index i = 0; i < 4000; ++i)
    expected[i] = at.latent_slope().dot((many.z.row(i) - at.offsets.row(many.s[i])).transpose());
  const double sign = found.dot(expected) < 0 ? -1 : 1;
  EXPECT_LE((found - sign * expected).norm() / expected.norm(), 0.1);

  // The group is gone from it: setting another group and moving the features along changes next to nothing.
  for (int g = 0; g < levels; ++g) {
    MatrixXd moved = many.z;
    for (Index i = 0; i < 4000; ++i) moved.row(i) += at.offsets.row(g) - at.offsets.row(many.s[i]);
    EXPECT_LE((scm.latent_mean(moved, VectorXi::Constant(4000, g)) - found).norm() / found.norm(), 0.2);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ScmLaw, ::testing::Range(1U, 9U));

ScmOptions short_run() { return {.warmup = 50, .draws = 50, .thin = 2, .seed = 3}; }

TEST(LinearScm, TheSameBitsForAnyNumberOfThreadsAndOthersForAnotherSeed) {
  Random random(1);
  const People people = simulated(random, random_parameters(random, 3, 4), 200);
  ScmOptions options = short_run();
  options.threads = 1;
  const VectorXd one = LinearScm(people.z, people.s, 3, options).latent_mean(people.z, people.s);
  options.threads = 3;
  EXPECT_TRUE(one == LinearScm(people.z, people.s, 3, options).latent_mean(people.z, people.s));
  options.seed = 4;
  EXPECT_FALSE(one == LinearScm(people.z, people.s, 3, options).latent_mean(people.z, people.s));
}

TEST(LinearScm, UnitsDoNotMatter) {
  Random random(2);
  const People people = simulated(random, random_parameters(random, 3, 4), 200);
  const MatrixXd scaled = (people.z * VectorXd{{1e-6, 1, 1e3, 50}}.asDiagonal()).array() + 7;
  EXPECT_LE(largest(LinearScm(people.z, people.s, 3, short_run()).latent_mean(people.z, people.s) -
                    LinearScm(scaled, people.s, 3, short_run()).latent_mean(scaled, people.s)),
            1e-6);
}

TEST(LinearScm, ChainsThatHaveNotMetAreAStatusAndAWarning) {
  Random random(3);
  Sample people = testing::random_people(random, 300, 3, 2);
  const ScmOptions hasty{.warmup = 0, .draws = 4, .thin = 1};
  const FairLearning method(people, logistic_learner(), hasty);
  EXPECT_EQ(method.scm().status(), ScmStatus::not_converged);
  ASSERT_EQ(method.warnings().size(), 1U);
  EXPECT_NE(method.warnings()[0].find("not converged"), std::string::npos);
  EXPECT_TRUE(method.predict(people.a, people.s).allFinite());
}

TEST(LinearScm, ConstantAndEqualFeaturesAreBorne) {
  Random random(4);
  Sample people = testing::random_people(random, 300, 4, 3);
  people.a.col(1).setConstant(5);
  people.a.col(2) = 3 * people.a.col(0);
  EXPECT_TRUE(LinearScm(people.a, people.s, 3, short_run()).latent_mean(people.a, people.s).allFinite());
}

TEST(LinearScm, RefusesWhatItCannotUse) {
  Random random(5);
  const Sample people = testing::random_people(random, 50, 2, 2);
  const auto refused = [&](const ScmOptions& options) {
    return message_of([&] { LinearScm(people.a, people.s, 2, options); });
  };
  EXPECT_NE(refused({.chains = 0}).find("chains is 0"), std::string::npos);
  EXPECT_NE(refused({.warmup = -1}).find("warmup is -1"), std::string::npos);
  EXPECT_NE(refused({.draws = 3}).find("draws is 3"), std::string::npos);
  EXPECT_NE(refused({.thin = 0}).find("thin is 0"), std::string::npos);
  EXPECT_NE(refused({.offset_sd = 0}).find("offset_sd is 0"), std::string::npos);
  EXPECT_NE(refused({.noise_scale = -2}).find("noise_scale is -2"), std::string::npos);
  EXPECT_NE(refused({.rhat_limit = 1}).find("rhat_limit is 1"), std::string::npos);
  EXPECT_NE(message_of([&] { LinearScm(people.a.topRows(1), people.s.head(1), 2); }).find("1 rows"), std::string::npos);
  const LinearScm scm(people.a, people.s, 3, short_run());
  EXPECT_NE(message_of([&] { scm.latent_mean(people.a, VectorXi::Constant(50, 2)); }).find("group 2"),
            std::string::npos);
  EXPECT_NE(message_of([&] { scm.latent_mean(people.a.leftCols(1), people.s); }).find("1 columns"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
