// Logistic regression on the table at $PLUMBLINE_BENCH_REGRESSION: rows and columns as 64-bit integers, the columns of
// x, then y, as doubles. The coefficients, intercept first, are written beside it, for others to compare with.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "predict/logistic.h"

namespace {

using namespace plumbline;

template <class T>
void read(std::ifstream& file, T* to, Eigen::Index count) {
  file.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count) * static_cast<std::streamsize>(sizeof(T)));
}

void logistic(benchmark::State& state) {
  const char* const path = std::getenv("PLUMBLINE_BENCH_REGRESSION");
  std::int64_t size[2] = {0, 0};
  std::ifstream file;
  if (path != nullptr) file.open(path, std::ios::binary);
  read(file, size, 2);
  if (!file) {
    state.SkipWithError("PLUMBLINE_BENCH_REGRESSION names no table");
    return;
  }
  Eigen::MatrixXd x(size[0], size[1]);
  Eigen::VectorXd y(size[0]);
  read(file, x.data(), x.size());
  read(file, y.data(), y.size());
  const LogisticOptions options{.threads = static_cast<int>(state.range(0))};
  LogisticFit fit;
  for (auto _ : state) fit = fit_logistic(x, y, options).fit();
  std::ofstream out(std::string(path) + ".coefficients");
  out.precision(17);
  out << fit.intercept << '\n' << fit.coefficients << '\n';
}
BENCHMARK(logistic)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.3);

}  // namespace
