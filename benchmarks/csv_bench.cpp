// Parsing alone, of a file of 20 columns of doubles with 6 to 17 digits, 100 MB: mapped, from the page cache.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "csv/csv_table.h"

namespace {

using namespace plumbline;

constexpr std::size_t kBytes = 100'000'000, kColumns = 20;

void write_table(const std::string& path) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> digits(6, 17);
  std::string text;
  for (std::size_t j = 0; j < kColumns; ++j) text += fmt::format("{}x{}", j == 0 ? "" : ",", j);
  text += '\n';
  while (text.size() < kBytes)
    for (std::size_t j = 0; j < kColumns; ++j)
      fmt::format_to(std::back_inserter(text), "{:.{}g}{}", normal(engine), digits(engine),
                     j + 1 < kColumns ? ',' : '\n');
  std::ofstream(path, std::ios::binary) << text;
}

// $PLUMBLINE_BENCH_CSV, so that others can be measured on the same file; made if it is not there.
std::string table_path() {
  const char* const given = std::getenv("PLUMBLINE_BENCH_CSV");
  std::string path =
      given != nullptr ? given : (std::filesystem::temp_directory_path() / "plumbline_bench.csv").string();
  if (!std::filesystem::exists(path)) write_table(path);
  return path;
}

void parse_csv(benchmark::State& state) {
  CsvTable table({table_path()});
  const std::vector<CellPlan> plan(table.names().size(), {CellKind::number});
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    Index rows = 0;
    table.scan(
        plan, static_cast<int>(state.range(0)), [](TableChunk&, int) {},
        [&](TableChunk& chunk, int) { rows += chunk.cells.rows; },
        [&](std::uint64_t done, std::optional<std::uint64_t>) { bytes = done; });
    benchmark::DoNotOptimize(rows);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}
BENCHMARK(parse_csv)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.5);

}  // namespace
