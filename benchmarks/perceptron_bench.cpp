// One training step of the network that the paper's regressions use, 121-64-32-16-1 with ReLU, on a batch of 256 rows:
// forward, mean squared error, backward, Adam. `gathered` also takes the rows from a table of 1,994, as an epoch does.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/random_stream.h"
#include "predict/training.h"

namespace {

using namespace plumbline;

constexpr Eigen::Index kInputs = 121, kRows = 1994, kBatch = 256;

Cells<float> table(Eigen::Index cols, RandomStream& random) {
  return Cells<float>::NullaryExpr(kRows, cols, [&] { return static_cast<float>(random.uniform()); });
}

void perceptron_step(benchmark::State& state) {
  const bool gathered = state.range(0) == 1;
  RandomStream random(1, 1, 0);
  const Cells<float> x = table(kInputs, random), t = table(1, random);
  std::vector<std::int32_t> rows(kBatch);
  for (std::int32_t& row : rows) row = static_cast<std::int32_t>(random.uniform() * kRows);

  const Network network(kInputs, {{64}, {32}, {16}, {1, Activation::linear}});
  const Vector<float> start = network.initial_parameters<float>(1);
  const AdamOptions options{.learning_rate = 1e-4};
  if (gathered) {
    Trainer<float> trainer(network, start, Loss::mse, options, x, t, kBatch);
    for (auto _ : state) benchmark::DoNotOptimize(trainer.step(rows));
    return;
  }
  Vector<float> parameters = start, gradient = start;
  Adam<float> adam(start.size(), options);
  Workspace<float> workspace(network, kBatch);
  Batch<float> in(kBatch, kInputs), target(kBatch, 1), dy(kBatch, 1);
  in.matrix() = x.topRows(kBatch);
  target.matrix() = t.topRows(kBatch);
  for (auto _ : state) {
    const auto y = network.forward(parameters, in.view(), workspace);
    benchmark::DoNotOptimize(loss_and_slope<float>(Loss::mse, y, target.view(), dy.view()));
    gradient.setZero();
    network.backward(parameters, dy.view(), workspace, gradient);
    adam.step(gradient, parameters);
  }
}
BENCHMARK(perceptron_step)->ArgName("gathered")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond)->MinTime(0.3);

}  // namespace
