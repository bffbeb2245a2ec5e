#include "predict/training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

#include "message_of.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::message_of;
using testing::Random;

const Network kSmall(3, {{8, Activation::tanh}, {4}, {1, Activation::linear}});

struct Sample {
  Cells<float> x, t;
};

Sample sample(unsigned seed, Index rows) {
  Random random(seed);
  Sample out{random.matrix(rows, 3).cast<float>(), Cells<float>(rows, 1)};
  out.t = (out.x.col(0).array() * out.x.col(1).array() + 0.5F * out.x.col(2).array()).matrix();
  return out;
}

Training<float> run(const Sample& data, const TrainingOptions& options, const EpochCallback& callback = {}) {
  return train<float>(kSmall, kSmall.initial_parameters<float>(options.seed), data.x, data.t, options, callback);
}

bool same(const Vector<float>& a, const Vector<float>& b) { return (a.array() == b.array()).all(); }

TEST(Training, LearnsAProduct) {
  const Sample data = sample(1, 400);
  double first = 0;
  const Training<float> trained =
      run(data, {.epochs = 300, .batch = 32, .learning_rate = 5e-3}, [&](const Epoch& epoch) {
        if (epoch.number == 1) first = epoch.loss;
        return true;
      });
  EXPECT_EQ(trained.last.number, 300);
  EXPECT_EQ(trained.best.number, 300);
  EXPECT_EQ(trained.stopped, Stopped::at_last_epoch);
  EXPECT_LT(trained.last.loss, 0.03 * first);
}

TEST(Training, TheSameSeedGivesTheSameBitsOnAnyThread) {
  const Sample data = sample(2, 101);
  const TrainingOptions options{.epochs = 7, .batch = 16, .seed = 5, .validation = 0.2};
  const Training<float> one = run(data, options);
  std::vector<Training<float>> others(4);
  std::vector<std::thread> threads;
  for (auto& other : others) threads.emplace_back([&] { other = run(data, options); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& other : others) {
    EXPECT_TRUE(same(one.parameters, other.parameters));
    EXPECT_EQ(one.last.loss, other.last.loss);
  }
  TrainingOptions another = options;
  another.seed = 6;
  EXPECT_FALSE(same(one.parameters, run(data, another).parameters));
}

// One batch of all rows and one epoch: Adam's first step from the derivatives of all rows.
TEST(Training, AnEpochIsStepsOverAllRowsOnce) {
  const Sample data = sample(3, 50);
  const Vector<float> start = kSmall.initial_parameters<float>(0);
  std::vector<std::int32_t> all(50);
  std::iota(all.begin(), all.end(), 0);
  Trainer<float> trainer(kSmall, start, Loss::mse, {.learning_rate = 1e-2}, data.x, data.t, 50);
  const double before = trainer.step(all);
  const Training<float> trained = run(data, {.epochs = 1, .batch = 64, .learning_rate = 1e-2});
  EXPECT_NEAR(trained.last.loss, before, 1e-6);
  EXPECT_LE((trained.parameters - trainer.parameters()).cwiseAbs().maxCoeff(), 1e-5F);

  const Training<float> pieces = run(data, {.epochs = 1, .batch = 7, .learning_rate = 1e-9});
  EXPECT_NEAR(pieces.last.loss, before, 1e-6);  // 7 batches of 7 rows and one of 1 weigh by their rows
}

TEST(Training, TheCallbackStopsIt) {
  const Sample data = sample(4, 40);
  int calls = 0;
  const Training<float> trained = run(data, {.epochs = 50, .seed = 1}, [&](const Epoch& epoch) {
    EXPECT_EQ(epoch.number, ++calls);
    EXPECT_TRUE(std::isfinite(epoch.loss));
    return epoch.number < 3;
  });
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(trained.last.number, 3);
  EXPECT_EQ(trained.stopped, Stopped::by_callback);
  EXPECT_TRUE(same(trained.parameters, run(data, {.epochs = 3, .seed = 1}).parameters));
}

TEST(Training, StopsEarlyAndKeepsTheBest) {
  Random random(5);
  Sample data = sample(5, 60);
  data.t = random.matrix(60, 1).cast<float>();  // nothing to learn: training rows are learnt by heart
  const TrainingOptions options{
      .epochs = 2000, .batch = 16, .learning_rate = 1e-2, .seed = 3, .validation = 0.4, .patience = 20};
  std::vector<double> losses;
  const Training<float> trained = run(data, options, [&](const Epoch& epoch) {
    losses.push_back(epoch.validation_loss);
    return true;
  });
  EXPECT_EQ(trained.stopped, Stopped::early);
  ASSERT_EQ(trained.last.number, static_cast<int>(losses.size()));
  const auto best = std::min_element(losses.begin(), losses.end());
  EXPECT_EQ(trained.best.number, best - losses.begin() + 1);
  EXPECT_EQ(trained.best.validation_loss, *best);
  EXPECT_EQ(trained.last.number, trained.best.number + options.patience);

  TrainingOptions until_best = options;
  until_best.epochs = trained.best.number;
  EXPECT_TRUE(same(trained.parameters, run(data, until_best).parameters));
}

TEST(Training, SaysWhereItDiverged) {
  Sample data = sample(6, 40);
  data.t *= 1e30F;
  EXPECT_EQ(message_of([&] { run(data, {.epochs = 5, .learning_rate = 0.5}); }),
            "training diverged in epoch 1 at learning_rate 0.5: the loss is no longer finite; lower learning_rate, or "
            "scale inputs and targets to a spread near 1");
  const std::string later = message_of([&] { run(sample(6, 40), {.epochs = 5, .learning_rate = 1e38}); });
  EXPECT_EQ(later.rfind("training diverged in epoch ", 0), 0U) << later;
  EXPECT_NE(later.find("at learning_rate 1e+38"), std::string::npos) << later;
  // One step from a loss that is finite, further than a float reaches.
  const std::string first = message_of([&] { run(sample(6, 40), {.epochs = 1, .batch = 40, .learning_rate = 1e39}); });
  EXPECT_EQ(first.rfind("training diverged in epoch 1 at learning_rate 1e+39: parameters are no longer finite; ", 0),
            0U)
      << first;
}

TEST(Training, RefusesWhatDoesNotFit) {
  const Sample data = sample(7, 10);
  EXPECT_EQ(message_of([&] { run(data, {.epochs = 0}); }), "epochs is 0; it must be at least 1");
  EXPECT_EQ(message_of([&] { run(data, {.batch = 0}); }), "batch is 0; it must be at least 1");
  EXPECT_EQ(message_of([&] { run(data, {.learning_rate = -1}); }),
            "learning_rate is -1; it must be positive and finite");
  EXPECT_EQ(message_of([&] { run(data, {.validation = 1}); }), "validation is 1; it must be at least 0 and below 1");
  EXPECT_EQ(message_of([&] { run(data, {.patience = 0}); }), "patience is 0; it must be at least 1");
  EXPECT_EQ(message_of([&] { run(data, {.validation = 0.99}); }),
            "x has 10 rows, of which 10 are for validation; at least 1 must be left to train on");
  EXPECT_EQ(message_of([&] {
              run({data.x, Cells<float>(9, 1)}, {});
            }),
            "t is 9 × 1; for this network and these rows it must be 10 × 1");
  EXPECT_EQ(message_of([&] {
              run({data.x.leftCols(2), data.t}, {});
            }),
            "x is 10 × 2; for this network and these rows it must be 10 × 3");
  Sample hole = data;
  hole.x(4, 2) = std::nanf("");
  EXPECT_EQ(message_of([&] { run(hole, {}); }), "x is nan in row 4, column 2; cells must be finite");
  Trainer<float> trainer(kSmall, kSmall.initial_parameters<float>(0), Loss::mse, {}, data.x, data.t, 4);
  const std::vector<std::int32_t> outside = {1, 10};
  EXPECT_EQ(message_of([&] { trainer.step(outside); }), "row 10 is in a batch; x has rows 0 to 9");
}

}  // namespace
}  // namespace plumbline
