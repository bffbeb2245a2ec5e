// The posterior where quadrature can follow, the latent where its parameters are known, and chains that do not meet.
#include "methods/linear_scm.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "methods/chain_diagnostics.h"
#include "methods/fair_learning.h"
#include "random_people.h"
#include "random_scm.h"

namespace plumbline {
namespace {

using Eigen::VectorXi;
using testing::largest;
using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::random_parameters;
using testing::simulated;
using testing::VectorXd;
using People = testing::LatentPeople;

class ScmLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
};

// One feature, one group: z ~ N(c, w² + σ²), c integrated out, so the posterior of (w, σ²) can be summed on a grid.
TEST_P(ScmLaw, ThePosteriorOfOneFeatureIsThatOfQuadrature) {
  const Index rows = 40;
  const MatrixXd a = random.matrix(rows, 1);
  const ScmPrior prior{.offset_sd = 2, .loading_sd = 0.8, .noise_shape = 3, .noise_scale = 1.5};
  const ScmOptions options{.draws = 2000, .thin = 10, .seed = GetParam(), .prior = prior};
  const LinearScm scm(a, VectorXi::Zero(rows), 1, options);

  // In units of z the mean is 0 and the sum of squares n.
  const double count = static_cast<double>(rows), offset = prior.offset_sd * prior.offset_sd;
  double total = 0, variance = 0, share = 0;
  for (double w = -4; w <= 4; w += 0.01)
    for (double log_noise = -7; log_noise <= 4; log_noise += 0.02) {
      const double noise = std::exp(log_noise), sum = w * w + noise;
      const double log_density = -0.5 * (count - 1) * std::log(sum) - 0.5 * std::log(sum + count * offset) -
                                 0.5 * count / sum - 0.5 * w * w / (prior.loading_sd * prior.loading_sd) -
                                 prior.noise_shape * log_noise - prior.noise_scale / noise;
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
  const int levels = static_cast<int>(random.integer(1, 4));
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
  EXPECT_NE(refused({.prior = {.offset_sd = 0}}).find("offset_sd is 0"), std::string::npos);
  EXPECT_NE(refused({.prior = {.noise_scale = -2}}).find("noise_scale is -2"), std::string::npos);
  EXPECT_NE(refused({.rhat_limit = 1}).find("rhat_limit is 1"), std::string::npos);
  EXPECT_NE(message_of([&] { LinearScm(people.a.topRows(1), people.s.head(1), 2); }).find("1 rows"), std::string::npos);
  const LinearScm scm(people.a, people.s, 3, short_run());
  EXPECT_NE(message_of([&] { scm.latent_mean(people.a, VectorXi::Constant(50, 2)); }).find("group 2"),
            std::string::npos);
  EXPECT_NE(message_of([&] { scm.latent_mean(people.a.leftCols(1), people.s); }).find("1 columns"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
