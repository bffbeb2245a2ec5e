// The engine on the shapes that the design sets targets for.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <random>

#include "base/large_pages.h"
#include "bench_table.h"
#include "plumbline/fit.h"

namespace {

using namespace plumbline;
using bench::filled, bench::kFeatures, bench::kRows, bench::kSensitive, bench::RowMajor, bench::Table;

void report_bytes(benchmark::State& state, double bytes) {
  state.SetBytesProcessed(static_cast<int64_t>(static_cast<double>(state.iterations()) * bytes));
}

// One pass that reads x to fit; one that reads x and writes the result.
template <class M>
void fit_transform_full_rank(benchmark::State& state) {
  Table<M> t(kRows, kFeatures, kSensitive);
  for (auto _ : state) fit(t.a(), t.b()).model.apply(t.a(), t.b(), t.out);
  report_bytes(state, t.bytes() + static_cast<double>(t.x.size()) * sizeof(double));
}
BENCHMARK(fit_transform_full_rank<RowMajor>)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.5);
BENCHMARK(fit_transform_full_rank<Eigen::MatrixXd>)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.5);

// The same into a table that is made for it, in the large pages that NumPy asks for too. The first tables are not
// counted: a virtual machine gets memory from its host when it first touches it, which takes ten times as long as all
// else.
void fit_transform_into_new(benchmark::State& state) {
  Table<RowMajor> t(kRows, kFeatures, kSensitive);
  const auto call = [&] {
    RowMajor out(kRows, kFeatures);
    ask_for_large_pages(out.data(), static_cast<std::size_t>(out.size()) * sizeof(double));
    fit(t.a(), t.b()).model.apply(t.a(), t.b(), out);
    benchmark::DoNotOptimize(out.data());
  };
  for (int i = 0; i < 3; ++i) call();
  for (auto _ : state) call();
}
BENCHMARK(fit_transform_into_new)->UseRealTime()->Unit(benchmark::kMillisecond)->Iterations(3);

template <class M>
void fit_full_rank(benchmark::State& state) {
  Table<M> t(kRows, kFeatures, kSensitive);
  for (auto _ : state) benchmark::DoNotOptimize(fit(t.a(), t.b()));
  report_bytes(state, static_cast<double>(t.x.size()) * sizeof(double));
}
BENCHMARK(fit_full_rank<RowMajor>)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.3);
BENCHMARK(fit_full_rank<Eigen::MatrixXd>)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.3);

template <class M>
void transform_full_rank(benchmark::State& state) {
  Table<M> t(kRows, kFeatures, kSensitive);
  const AffineModel model = fit(t.a(), t.b()).model;
  for (auto _ : state) model.apply(t.a(), t.b(), t.out);
  report_bytes(state, t.bytes());
}
BENCHMARK(transform_full_rank<RowMajor>)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.3);
BENCHMARK(transform_full_rank<Eigen::MatrixXd>)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.3);

// Multiplications and additions of the lower triangle alone.
template <class M>
void gram(benchmark::State& state) {
  const Index q = state.range(0), n = 53'000'000 / q;
  Table<M> t(n, q, kSensitive);
  for (auto _ : state) {
    Moments m(q, kSensitive);
    m.update(t.a(), t.b());
    benchmark::DoNotOptimize(m);
  }
  const double columns = static_cast<double>(q + kSensitive);
  state.counters["flops"] = benchmark::Counter(static_cast<double>(n) * columns * (columns + 1),
                                               benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(gram<RowMajor>)->Arg(50)->Arg(200)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.3);
BENCHMARK(gram<Eigen::MatrixXd>)->Arg(50)->Arg(200)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.3);

void fit_rank_10(benchmark::State& state) {
  Table<RowMajor> t(kRows, kFeatures, kSensitive);
  for (auto _ : state) benchmark::DoNotOptimize(fit(t.a(), t.b(), {.rank = Rank::count(10)}));
}
BENCHMARK(fit_rank_10)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.3);

void fit_transform_rank_10(benchmark::State& state) {
  Table<RowMajor> t(kRows, kFeatures, kSensitive);
  for (auto _ : state) fit(t.a(), t.b(), {.rank = Rank::count(10)}).model.apply(t.a(), t.b(), t.out);
}
BENCHMARK(fit_transform_rank_10)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.3);

// Moments included. The features share `latent` causes; with none there is nothing sparse to find, and steps are many.
void sob(benchmark::State& state) {
  constexpr Index n = 5000, q = 200;
  const Index latent = state.range(1);
  const Eigen::MatrixXd b = filled<Eigen::MatrixXd>(n, 3);
  std::mt19937 engine(2);
  std::normal_distribution<double> normal;
  const auto draw = [&] { return normal(engine); };
  const Eigen::MatrixXd z = Eigen::MatrixXd::NullaryExpr(n, latent, draw),
                        load = Eigen::MatrixXd::NullaryExpr(latent, q, draw);
  const Eigen::MatrixXd a =
      z * load + Eigen::MatrixXd::NullaryExpr(n, q, draw) + b * Eigen::MatrixXd::NullaryExpr(3, q, draw);
  const double h = static_cast<double>(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(fit(a, b, {.method = Method::sob, .rank = Rank::count(30), .sob = {.l1_bound = h}}));
}
BENCHMARK(sob)
    ->ArgNames({"h", "latent"})
    ->ArgsProduct({{4, 7}, {40, 0}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->MinTime(0.3);

// A rank of a wide table, from its moments: decompositions of 2,000 × 2,000.
void fit_wide(benchmark::State& state) {
  constexpr Index n = 3000, q = 2000, p = 3;
  const Eigen::MatrixXd b = filled<Eigen::MatrixXd>(n, p), a = filled<Eigen::MatrixXd>(n, q + p).rightCols(q);
  Moments moments(q, p, Moments::Kind::full);
  moments.update(a, b);
  for (auto _ : state) benchmark::DoNotOptimize(fit(moments, {.rank = Rank::count(10)}));
}
BENCHMARK(fit_wide)->UseRealTime()->Unit(benchmark::kMillisecond)->Iterations(1);

void one_row(benchmark::State& state) {
  constexpr Index q = 100, p = 5;
  const Eigen::MatrixXd b = filled<Eigen::MatrixXd>(1000, p), a = filled<Eigen::MatrixXd>(1000, q + p).rightCols(q);
  const FitOptions options = state.range(0) == 0 ? FitOptions{} : FitOptions{.rank = Rank::count(state.range(0))};
  const AffineModel model = fit(a, b, options).model;
  const Eigen::VectorXd row_a = a.row(0), row_b = b.row(0);
  Eigen::VectorXd out(q);
  for (auto _ : state) {
    model.apply_row({row_a.data(), q}, {row_b.data(), p}, {out.data(), q});
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(one_row)->Arg(0)->Arg(20)->Arg(100)->Unit(benchmark::kNanosecond);

}  // namespace
