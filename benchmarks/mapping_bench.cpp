// The marginal mapping of n rows, five features, six groups, to every group: learned from n rows, so O(n log n).
#include <benchmark/benchmark.h>

#include <random>

#include "methods/group_mapping.h"

namespace {

using namespace plumbline;

void marginal_mapping(benchmark::State& state) {
  constexpr int kGroups = 6;
  const Eigen::Index n = state.range(0);
  std::mt19937 engine(1);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> group(0, kGroups - 1);
  const Eigen::MatrixXd a = Eigen::MatrixXd::NullaryExpr(n, 5, [&] { return normal(engine); });
  const Eigen::VectorXi s = Eigen::VectorXi::NullaryExpr(n, [&] { return group(engine); });
  for (auto _ : state) benchmark::DoNotOptimize(GroupMapping(a, s, kGroups).averaged(Mapping::marginal, a, s));
}
BENCHMARK(marginal_mapping)->Arg(25'000)->Arg(100'000)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.3);

}  // namespace
