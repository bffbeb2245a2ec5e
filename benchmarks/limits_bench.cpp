// What this machine can do at best, on all its cores: copy memory, and multiply matrices.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace {

int cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

template <class Work>
void on_every_core(const Work& work) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < cores(); ++t) threads.emplace_back([&work, t] { work(t); });
}

// bytes_per_second counts bytes read and bytes written. The size is that of the features which the engine transforms:
// what memory gives differs by half between sizes that are close, with where the system puts them.
void copy_bandwidth(benchmark::State& state) {
  const std::size_t bytes = sizeof(double) * 50 * 1'000'000, part = bytes / static_cast<std::size_t>(cores());
  std::unique_ptr<char[]> from(new char[bytes]), to(new char[bytes]);
  std::memset(from.get(), 1, bytes);
  std::memset(to.get(), 2, bytes);
  for (auto _ : state)
    on_every_core([&](int t) {
      const std::size_t first = static_cast<std::size_t>(t) * part;
      std::memcpy(to.get() + first, from.get() + first, part);
    });
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * 2 * static_cast<int64_t>(bytes));
}
BENCHMARK(copy_bandwidth)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.5);

void peak_gemm(benchmark::State& state) {
  constexpr int n = 768;
  std::vector<Eigen::MatrixXd> a, b, c;
  for (int t = 0; t < cores(); ++t) {
    a.push_back(Eigen::MatrixXd::Random(n, n));
    b.push_back(Eigen::MatrixXd::Random(n, n));
    c.push_back(Eigen::MatrixXd::Zero(n, n));
  }
  for (auto _ : state)
    on_every_core([&](int t) {
      const auto i = static_cast<std::size_t>(t);
      c[i].noalias() = a[i] * b[i];
    });
  state.counters["flops"] =
      benchmark::Counter(2.0 * n * n * n * cores(), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(peak_gemm)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.5);

}  // namespace
