// The generator, and the perceptron that is punished by it.
#include <gtest/gtest.h>

#include <limits>

#include "base/json.h"
#include "message_of.h"
#include "methods/adversarial_method.h"
#include "metrics/continuous_counterfactual.h"
#include "plumbline/error.h"
#include "plumbline/poll.h"
#include "predict/least_squares.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::VectorXd;

// Features that depend on b and on a latent of the row, all in one range; y on the features and on b.
ContinuousSample people(unsigned seed, Index n) {
  Random random(seed);
  const MatrixXd b = MatrixXd::NullaryExpr(n, 1, [&] { return random.uniform(-1, 1); });
  const MatrixXd u = random.matrix(n, 1), noise = 0.2 * random.matrix(n, 6);
  MatrixXd a(n, 6);
  for (Index j = 0; j < 6; ++j)
    a.col(j) = (j % 2 == 0 ? 1.0 : -0.5) * b + (1 - 0.1 * static_cast<double>(j)) * u + noise.col(j);
  return {a, b, a.rowwise().sum() / 3 + b + 0.1 * random.matrix(n, 1)};
}

const VaeOptions kQuickVae = {.encoder = {24},
                              .decoder = {24},
                              .latent = 2,
                              .adversary_weight = 10,
                              .epochs = 150,
                              .batch = 128,
                              .adversary_steps = 5,
                              .first_adversary_steps = 20,
                              .seed = 4};
const AdversarialOptions kQuick = {.draws = 4, .hidden = {16, 8}, .epochs = 150, .batch = 64, .learning_rate = 3e-3};

TEST(AdversarialVae, GivesRowsBackAndMovesThemWithB) {
  const ContinuousSample training = people(1, 800), later = people(2, 300);
  const AdversarialVae vae(training, kQuickVae);
  const MatrixXd z = vae.infer(later), same = vae.decode(z, later.b);
  const MatrixXd spread = later.a.rowwise() - later.a.colwise().mean();
  EXPECT_LE((same - later.a).squaredNorm(), 0.35 * spread.squaredNorm());
  // Column 0 rises with b and column 1 falls, as they do among people.
  const MatrixXd low = vae.decode(z, MatrixXd::Constant(300, 1, -0.8)),
                 high = vae.decode(z, MatrixXd::Constant(300, 1, 0.8));
  EXPECT_GT((high - low).col(0).mean(), 0.5);
  EXPECT_LT((high - low).col(1).mean(), -0.2);
  EXPECT_TRUE(low.allFinite() && high.allFinite());
}

TEST(AdversarialVae, AnAdversaryMakesTheLatentTellLessOfB) {
  const ContinuousSample training = people(3, 800), later = people(4, 400);
  const auto told = [&](double weight) {
    VaeOptions options = kQuickVae;
    options.adversary_weight = weight;
    const MatrixXd z = AdversarialVae(training, options).infer(later);
    const VectorXd rest = later.b.col(0) - LeastSquares(z, later.b.col(0)).predict(z);
    return 1 - rest.squaredNorm() / (later.b.array() - later.b.mean()).square().sum();
  };
  EXPECT_LT(told(10), told(0));
}

// Features are b and u, and y is v, which no feature tells: u is known to whoever sees a and b, and v to whoever sees
// y.
struct Hidden {
  ContinuousSample rows;
  VectorXd u, v;
};

Hidden people_with_latents(unsigned seed, Index n) {
  Random random(seed);
  const MatrixXd b = MatrixXd::NullaryExpr(n, 1, [&] { return random.uniform(-1, 1); });
  const MatrixXd u = random.matrix(n, 1), v = random.matrix(n, 1);
  const MatrixXd a = (b + u).replicate(1, 3) + 0.1 * random.matrix(n, 3);
  return {{a, b, v.col(0)}, u.col(0), v.col(0)};
}

// The share of x's spread that lines of z explain.
double share_told(const MatrixXd& z, const VectorXd& x) {
  const VectorXd rest = x - LeastSquares(z, x).predict(z);
  return 1 - rest.squaredNorm() / (x.array() - x.mean()).square().sum();
}

TEST(AdversarialVae, InfersWithTheRowsOwnBAndYAndDecodesWithTheGivenB) {
  const Hidden training = people_with_latents(21, 800), later = people_with_latents(22, 400);
  VaeOptions options = kQuickVae;
  options.latent = 4;
  options.adversary_weight = 1;
  options.epochs = 400;
  const AdversarialVae vae(training.rows, options);
  const MatrixXd z = vae.infer(later.rows);
  ContinuousSample others_b = later.rows, others_y = later.rows;
  others_b.b = later.rows.b.colwise().reverse();
  others_y.y = later.rows.y.reverse();
  EXPECT_GT(share_told(z, later.v), 0.5);
  EXPECT_LT(share_told(vae.infer(others_y), later.v), 0.1) << "y alone tells it";
  EXPECT_GT(share_told(z, later.u), share_told(vae.infer(others_b), later.u) + 0.1) << "a less b tells it";

  const VaeCounterfactuals world(vae, later.rows);
  EXPECT_TRUE(world.features(others_b.b) == vae.decode(z, others_b.b));
  EXPECT_FALSE(world.features(others_b.b) == vae.decode(vae.infer(others_b), others_b.b));
  // A row's features follow its z and its b', whatever the others have.
  MatrixXd same = later.rows.b;
  same.topRows(200) = others_b.b.topRows(200);
  EXPECT_TRUE(world.features(same).topRows(200) == world.features(others_b.b).topRows(200));
  EXPECT_TRUE(world.features(same).bottomRows(200) == world.features(later.rows.b).bottomRows(200));
}

TEST(AdversarialVae, TheSameSeedGivesTheSameBits) {
  const ContinuousSample training = people(5, 300);
  VaeOptions options = kQuickVae;
  options.epochs = 3;
  const MatrixXd first = AdversarialVae(training, options).infer(training);
  EXPECT_TRUE(first == AdversarialVae(training, options).infer(training));
  options.seed = 5;
  EXPECT_FALSE(first == AdversarialVae(training, options).infer(training));
}

TEST(AdversarialVae, CallbacksSeeEveryEpochAndStop) {
  int seen = 0;
  const AdversarialVae vae(people(6, 200), kQuickVae, [&](const VaeEpoch& epoch) {
    EXPECT_EQ(epoch.number, ++seen);
    EXPECT_GT(epoch.features, 0);
    return seen < 3;
  });
  EXPECT_EQ(vae.last().number, 3);
}

TEST(AdversarialVae, CallersEndATrainingBetweenBatches) {
  struct Stopped {};
  VaeOptions endless = kQuickVae;
  endless.epochs = std::numeric_limits<int>::max();
  const PollScope scope([] { throw Stopped(); });
  EXPECT_THROW(AdversarialVae(people(6, 200), endless), Stopped);
}

TEST(AdversarialVae, ReadBackItIsTheSame) {
  const ContinuousSample training = people(13, 120), later = people(14, 50);
  VaeOptions brief = kQuickVae;
  brief.epochs = 2;
  const AdversarialVae vae(training, brief);
  const AdversarialVae back = AdversarialVae::from_json(vae.to_json());
  EXPECT_EQ(back.to_json(), vae.to_json());
  const MatrixXd z = vae.infer(later);
  EXPECT_TRUE(back.infer(later) == z);
  EXPECT_TRUE(back.decode(z, later.b) == vae.decode(z, later.b));
  EXPECT_EQ(back.last().number, 2);
  EXPECT_EQ(back.last().features, vae.last().features);

  AdversarialOptions options = kQuick;
  options.epochs = 2;
  const auto method = fit_adversarial(training, vae, options);
  EXPECT_TRUE(AdversarialMethod::from_json(method->to_json()).predict(later.a, later.b) ==
              method->predict(later.a, later.b));
  EXPECT_NE(message_of([&] { AdversarialVae::from_json(method->to_json()); }).find("format"), std::string::npos);
  std::string cut = vae.to_json();
  cut.resize(cut.size() / 2);
  EXPECT_THROW(AdversarialVae::from_json(cut), Error);
}

TEST(AdversarialVae, RefusesPartsThatDoNotFitTogether) {
  const ContinuousSample training = people(15, 60);
  VaeOptions brief = kQuickVae;
  brief.epochs = 1;
  const AdversarialVae vae(training, brief);
  const std::string text = vae.to_json();
  const auto edited = [&](const char* part, const char* member, const Json& value) {
    Json content = unseal(text, "plumbline-adversarial-vae", 1);
    if (member == nullptr)
      content[part] = content[value.get<std::string>()];
    else
      content[part][member] = value;
    const std::string sealed = seal("plumbline-adversarial-vae", 1, content);
    return message_of([&] { AdversarialVae::from_json(sealed); });
  };
  EXPECT_NE(edited("encoder", nullptr, "decoder").find("'encoder'"), std::string::npos);
  EXPECT_NE(edited("decoder", nullptr, "encoder").find("'decoder'"), std::string::npos);
  EXPECT_NE(edited("scaling", "a_width", Json::array({1.0})).find("'a_width'"), std::string::npos);
  EXPECT_NE(edited("scaling", "y_sd", 0.0).find("'y_sd'"), std::string::npos);
}

TEST(AdversarialVae, RefusesWhatItCannotUse) {
  ContinuousSample training = people(7, 60);
  const auto message = [&](VaeOptions options) { return message_of([&] { AdversarialVae(training, options); }); };
  EXPECT_NE(message({.latent = 0}).find("latent is 0"), std::string::npos);
  EXPECT_NE(message({.adversary_weight = -1}).find("adversary_weight is -1"), std::string::npos);
  EXPECT_NE(message({.epochs = 0}).find("epochs is 0"), std::string::npos);
  EXPECT_NE(message({.learning_rate = 1e30}).find("diverged in epoch 1"), std::string::npos);
  training.a(3, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message({}).find("a has a cell that is not finite"), std::string::npos);
}

TEST(AdversarialMethod, APenaltyBringsTheGapDownAndCostsError) {
  const ContinuousSample training = people(8, 800), later = people(9, 300);
  const AdversarialVae vae(training, kQuickVae);
  const VaeCounterfactuals world(vae, later);
  const GapOptions draws = GapOptions::within(training.b, 100, 1);
  double last_gap = std::numeric_limits<double>::infinity(), last_error = 0;
  for (const double penalty : {0.0, 0.5, 50.0}) {
    AdversarialOptions options = kQuick;
    options.penalty = penalty;
    const FittedContinuous method = fit_adversarial(training, vae, options);
    const double gap = continuous_gap(*method, world, later.b, draws).absolute;
    const double error = (method->predict(later.a, later.b) - later.y).squaredNorm() / 300;
    EXPECT_LT(gap, last_gap) << penalty;
    EXPECT_GT(error, last_error) << penalty;
    last_gap = gap;
    last_error = error;
  }
}

TEST(AdversarialMethod, WithoutAPenaltyItIsAPerceptronOfBoth) {
  const ContinuousSample training = people(10, 400), later = people(11, 200);
  VaeOptions untrained = kQuickVae;
  untrained.epochs = 1;
  AdversarialOptions options = kQuick;
  options.penalty = 0;
  const VectorXd p = fit_adversarial(training, AdversarialVae(training, untrained), options)->predict(later.a, later.b);
  EXPECT_LE((p - later.y).squaredNorm(), 0.1 * (later.y.array() - later.y.mean()).square().sum());
}

TEST(AdversarialMethod, ThreadsLeaveNoTrace) {
  const ContinuousSample training = people(13, 210);
  VaeOptions brief = kQuickVae;
  brief.epochs = 2;
  const AdversarialVae vae(training, brief);
  for (const int draws : {1, 4, 20, 400})
    for (const Eigen::Index batch : {1, 7, 64, 1000}) {
      AdversarialOptions options = kQuick;
      options.epochs = 2;
      options.draws = draws;
      options.batch = batch;
      options.threads = 1;
      const VectorXd alone = fit_adversarial(training, vae, options)->predict(training.a, training.b);
      EXPECT_TRUE(alone.allFinite());
      for (const int threads : {2, 5}) {
        options.threads = threads;
        EXPECT_TRUE(alone == fit_adversarial(training, vae, options)->predict(training.a, training.b));
      }
    }
  EXPECT_NE(message_of([&] { fit_adversarial(training, vae, {.threads = -1}); }).find("threads is -1"),
            std::string::npos);
}

TEST(AdversarialMethod, TheSameSeedGivesTheSameBits) {
  const ContinuousSample training = people(12, 200);
  VaeOptions brief = kQuickVae;
  brief.epochs = 2;
  const AdversarialVae vae(training, brief);
  AdversarialOptions options = kQuick;
  options.epochs = 3;
  const auto predict = [&] { return fit_adversarial(training, vae, options)->predict(training.a, training.b); };
  const VectorXd first = predict();
  EXPECT_TRUE(first == predict());
  options.seed = 1;
  EXPECT_FALSE(first == predict());
  EXPECT_NE(message_of([&] { fit_adversarial(training, vae, {.penalty = -1}); }).find("penalty is -1"),
            std::string::npos);
  EXPECT_NE(message_of([&] { fit_adversarial(training, vae, {.draws = 0}); }).find("draws is 0"), std::string::npos);
}

TEST(AdversarialMethod, RefusesRowsOfOtherColumnsThanTheGenerators) {
  const ContinuousSample training = people(16, 60);
  VaeOptions brief = kQuickVae;
  brief.epochs = 1;
  const AdversarialVae vae(training, brief);
  ContinuousSample narrow = training, wide = training, more = training;
  narrow.a = training.a.leftCols(2);
  wide.a = training.a.replicate(1, 50);
  more.b = training.b.replicate(1, 2);
  for (const auto& [rows, found] :
       {std::pair{narrow, "2 features and 1"}, {wide, "300 features and 1"}, {more, "6 features and 2"}})
    EXPECT_EQ(message_of([&, &sample = rows] { fit_adversarial(sample, vae, kQuick); }),
              std::string("the rows have ") + found + " sensitive columns; the generator was fitted to 6 and 1");
}

}  // namespace
}  // namespace plumbline
