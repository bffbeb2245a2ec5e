// What removes more than means, and the probe that says what is left, on the shapes that the design sets targets for.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench_table.h"
#include "debias/choose_rows.h"
#include "debias/fit_spread.h"
#include "plumbline/fit.h"
#include "tables/memory_source.h"
#include "tables/table_fit.h"

namespace {

using namespace plumbline;
using bench::kFeatures, bench::kRows, bench::kSensitive, bench::RowMajor, bench::Table;

enum Certified { of_moments, of_rows };

// With equal spreads in six regions of one sensitive column, or with none: the target is six times as long. The
// certificate of equal means comes of the moments; that of equal spreads can too, or is measured on the rows.
void fit_transform_one_sensitive(benchmark::State& state) {
  Table<RowMajor> t(kRows, kFeatures, 1);
  FitOptions options;
  if (state.range(0) > 0) options.rank = Rank::count(state.range(0));
  if (state.range(1) > 0) {
    options.remove = Remove::spread;
    options.spread.diagonal = state.range(1) == 2;
    options.spread.partition.regions = 6;
  }
  const Moments names(kFeatures, 1);
  const auto fitted = [&] {
    if (options.remove == Remove::mean || state.range(2) == of_rows) return fit(t.a(), t.b(), options);
    RegionMoments moments(Partition::fit(choose_rows(t.b(), {}, kRegionSample).cells, options.spread.partition),
                          std::nullopt, names.feature_names(), names.sensitive_names(),
                          options.moments_for(kRows, kFeatures));
    moments.update(t.a(), t.b());
    return fit(moments, options);
  };
  for (auto _ : state) fitted().apply(t.a(), t.b(), t.out);
}
BENCHMARK(fit_transform_one_sensitive)
    ->ArgNames({"rank", "spread", "certified"})
    ->ArgsProduct({{0, 10}, {0, 1, 2}, {of_moments, of_rows}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3);

// Laws of a sample, and all rows through the map.
void equal_laws(benchmark::State& state) {
  Table<RowMajor> t(kRows, kFeatures, kSensitive);
  const std::vector<FeatureGroup> groups = feature_groups(Moments(kFeatures, kSensitive).feature_names());
  for (auto _ : state) {
    const ChosenRows a = choose_rows(t.a(), {}, kDistributionRows), b = choose_rows(t.b(), {}, kDistributionRows);
    Distribution::fit(a.cells, b.cells, groups).apply(t.a(), t.b(), t.out);
  }
}
BENCHMARK(equal_laws)->UseRealTime()->Unit(benchmark::kMillisecond)->Iterations(1);

TableFit fitted(Remove remove, Index rows) {
  Table<Eigen::MatrixXd> t(rows, kFeatures, kSensitive);
  std::vector<std::string> names;
  std::vector<MemorySource::Column> columns;
  Schema schema;
  for (Index j = 0; j < t.x.cols(); ++j) {
    names.push_back("x" + std::to_string(j));
    columns.push_back({Cells(t.x.col(j).data(), 1)});
    (j < kSensitive ? schema.sensitive : schema.features).push_back(j);
  }
  MemorySource source("table", names);
  source.add(rows, columns, nullptr);
  schema.kinds = known_kinds(source);
  return fit_table(source, schema, {.fit = {.remove = remove}, .probe_rows = kQuickProbeRows});
}

void quick_probe(benchmark::State& state) {
  static std::map<std::pair<std::int64_t, std::int64_t>, TableFit> fits;  // which take longer
  const std::pair key(state.range(0), state.range(1));
  if (!fits.contains(key)) fits.emplace(key, fitted(static_cast<Remove>(key.first), key.second));
  const TableFit& of = fits.at(key);
  for (auto _ : state) benchmark::DoNotOptimize(probe_fit(of.fit, *of.sample));
}
BENCHMARK(quick_probe)
    ->ArgNames({"remove", "rows"})
    ->ArgsProduct({{0, 1, 2}, {100'000, kRows}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
