#include "paper/reproduction/kept_runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "base/json.h"
#include "io/files.h"
#include "message_of.h"
#include "paper/reproduction/reproduction.h"
#include "scratch_folder.h"

namespace plumbline {
namespace {

using testing::message_of;
using testing::ScratchFolder;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

// Numbers of all kinds, and some that are not there.
RunResult some_run() {
  RunResult out{.measured = {}, .warnings = {"ML (sound): \"it\"\nhas not converged", "fold 3 – ≠"}};
  for (const double value : {0.1, 1.0, -0.0, 5e-324, 1.7976931348623157e308, 1 / 3.0, kNan, kInfinity, -kInfinity}) {
    out.measured.push_back({.protocol = Protocol::sound, .method = "OB[powers]", .rank = 7, .metric = "CF"});
    out.measured.back().value = value;
    out.measured.push_back({.protocol = Protocol::published, .method = "ML", .rank = {}, .metric = "ACC"});
    out.measured.back().sd = value;
    out.measured.push_back({.protocol = Protocol::published, .method = "", .rank = 0, .metric = "AUC"});
    out.measured.back().interval = Interval{value, -value, 3};
    out.points.push_back({"OB, exact", -value, value});
  }
  return out;
}

void expect_same(double one, double other) {
  if (std::isnan(one)) {
    EXPECT_TRUE(std::isnan(other));
  } else {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(one), std::bit_cast<std::uint64_t>(other)) << one;
  }
}

void expect_same(const RunResult& one, const RunResult& other) {
  ASSERT_EQ(one.points.size(), other.points.size());
  for (std::size_t i = 0; i < one.points.size(); ++i) {
    EXPECT_EQ(one.points[i].curve, other.points[i].curve);
    expect_same(one.points[i].x, other.points[i].x);
    expect_same(one.points[i].y, other.points[i].y);
  }
  EXPECT_EQ(one.warnings, other.warnings);
  ASSERT_EQ(one.measured.size(), other.measured.size());
  for (std::size_t i = 0; i < one.measured.size(); ++i) {
    const Measured &a = one.measured[i], &b = other.measured[i];
    EXPECT_EQ(std::tie(a.protocol, a.method, a.rank, a.metric), std::tie(b.protocol, b.method, b.rank, b.metric));
    expect_same(a.value, b.value);
    ASSERT_EQ(a.sd.has_value(), b.sd.has_value());
    if (a.sd) expect_same(*a.sd, *b.sd);
    ASSERT_EQ(a.interval.has_value(), b.interval.has_value());
    if (!a.interval) continue;
    expect_same(a.interval->low, b.interval->low);
    expect_same(a.interval->high, b.interval->high);
    EXPECT_EQ(a.interval->undefined, b.interval->undefined);
  }
}

// How many are refused, and why: damaged, other setting, other build.
using Refusal = std::array<int, 3>;
constexpr Refusal kDamaged = {1, 0, 0}, kOtherSetting = {0, 1, 0}, kOtherBuild = {0, 0, 1};

Refusal refusal(const KeptRuns& kept, std::uint32_t seed) {
  RefusedRuns refused;
  EXPECT_FALSE(kept.find(seed, refused));
  return {refused.damaged, refused.other_setting, refused.other_build};
}

// None is there, or it is as it should be.
std::optional<RunResult> find(const KeptRuns& kept, std::uint32_t seed) {
  RefusedRuns refused;
  std::optional<RunResult> run = kept.find(seed, refused);
  EXPECT_EQ(refused.count(), 0);
  return run;
}

TEST(KeptRuns, AreReadBackExactly) {
  const ScratchFolder folder;
  const KeptRuns kept(folder / "runs", "crime", {});
  EXPECT_FALSE(find(kept, 5));
  EXPECT_TRUE(folder.names().empty()) << "to look makes no folder";
  for (const RunResult& run : {some_run(), RunResult{}, some_run()}) {
    kept.keep(5, run);
    const auto found = find(KeptRuns(folder / "runs", "crime", {}), 5);
    ASSERT_TRUE(found);
    expect_same(run, *found);
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"runs"});
  EXPECT_TRUE(std::filesystem::exists(folder / "runs/crime-5.json"));
}

TEST(KeptRuns, OfAnotherRunOrOtherDataAreNotTaken) {
  const ScratchFolder folder;
  const KeptRuns kept(folder.path(), "crime", {"its SHA-256 is 1"});
  kept.keep(5, some_run());
  EXPECT_TRUE(find(kept, 5));
  for (const std::vector<std::string>& data : {std::vector<std::string>{}, {"its SHA-256 is 2"}})
    EXPECT_EQ(refusal(KeptRuns(folder.path(), "crime", data), 5), kOtherSetting);
  std::filesystem::copy_file(folder / "crime-5.json", folder / "crime-6.json");
  std::filesystem::copy_file(folder / "crime-5.json", folder / "loan-5.json");
  EXPECT_EQ(refusal(kept, 6), kDamaged);
  EXPECT_EQ(refusal(KeptRuns(folder.path(), "loan", {"its SHA-256 is 1"}), 5), kDamaged);
}

TEST(KeptRuns, CutOrForeignFilesAreNotTakenAndReplaced) {
  const ScratchFolder folder;
  const KeptRuns kept(folder.path(), "crime", {});
  kept.keep(5, some_run());
  const std::string whole = folder.get("crime-5.json");
  for (std::size_t size = 0; size + 1 < whole.size(); size += 1 + whole.size() / 97) {
    folder.put("crime-5.json", whole.substr(0, size));
    EXPECT_EQ(refusal(kept, 5), kDamaged) << size;
  }
  std::string edited = whole;
  edited.replace(edited.find("0.1"), 3, "0.2");
  for (const std::string& text : {edited, std::string("[]"), std::string("null"), std::string(100, '\0')}) {
    folder.put("crime-5.json", text);
    EXPECT_EQ(refusal(kept, 5), kDamaged) << text;
  }
  kept.keep(5, some_run());
  EXPECT_EQ(folder.get("crime-5.json"), whole);
  std::filesystem::remove(folder / "crime-5.json");
  std::filesystem::create_directory(folder / "crime-5.json");
  EXPECT_FALSE(find(kept, 5));
}

TEST(KeptRuns, OfAnotherBuildAreTakenIfAskedFor) {
  const ScratchFolder folder;
  KeptRuns(folder.path(), "crime", {}).keep(5, some_run());
  Json run = unseal(read_file(folder / "crime-5.json"), "plumbline-run", 1);
  run["program"] = std::string(64, '0');
  for (const char* const member : {"format", "version", "checksum"}) run.erase(member);
  write_file(folder / "crime-5.json", seal("plumbline-run", 1, std::move(run)));
  EXPECT_EQ(refusal(KeptRuns(folder.path(), "crime", {}), 5), kOtherBuild);
  auto found = find(KeptRuns(folder.path(), "crime", {}, true), 5);
  ASSERT_TRUE(found);
  EXPECT_NE(found->warnings.back().find("another build"), std::string::npos);
  found->warnings.pop_back();
  expect_same(*found, some_run());
  EXPECT_EQ(refusal(KeptRuns(folder.path(), "crime", {"its SHA-256 is 1"}, true), 5), kOtherSetting) << "other data";
}

TEST(KeptRuns, WhatIsInTheWayIsSaidAtOnce) {
  const ScratchFolder folder;
  folder.put("runs", "a file");
  EXPECT_NE(message_of([&] { KeptRuns(folder / "runs", "crime", {}); }).find("not a folder"), std::string::npos);
}

// Counts how often it was run, and fails for one seed.
std::atomic<int> runs_made = 0;
std::atomic<std::int64_t> failing_seed = -1;

class Counting final : public LoadedExperiment {
 public:
  RunResult run(const RunOptions& options) const override {
    if (options.seed == failing_seed) throw Error("stopped");
    ++runs_made;
    options.step();
    const double value = options.seed % 3 == 0 ? kNan : 1.0 / (1 + options.seed);
    return {.measured = {{.protocol = Protocol::sound, .method = "ML", .rank = {}, .metric = "ACC", .value = value}},
            .warnings = {fmt::format("seed {}", options.seed)}};
  }
  int steps() const override { return 1; }
};

const Experiment kCounting = {
    .name = "counting",
    .title = "",
    .text = "",
    .load = [](const DataSource&) -> std::unique_ptr<const LoadedExperiment> { return std::make_unique<Counting>(); }};

class KeptReproduction : public ::testing::Test {
 protected:
  KeptReproduction() {
    runs_made = 0;
    failing_seed = -1;
  }

  Reproduction run(std::uint32_t seed, int repeats) {
    told.clear();
    done.clear();
    return reproduce({&kCounting}, {.seed = seed,
                                    .repeats = repeats,
                                    .threads = 1,
                                    .kept = folder / "runs",
                                    .progress = [&](std::uint64_t d, std::uint64_t) { done.push_back(d); },
                                    .on_kept = [&](int there, int total) { told.emplace_back(there, total); }});
  }

  ScratchFolder folder;
  std::vector<std::pair<int, int>> told;
  std::vector<std::uint64_t> done;
};

using Told = std::vector<std::pair<int, int>>;

TEST_F(KeptReproduction, GoesOnWhereItWasStopped) {
  const Reproduction whole = reproduce({&kCounting}, {.seed = 4, .repeats = 4});
  runs_made = 0;
  failing_seed = 6;
  EXPECT_THROW(run(4, 4), Error);
  EXPECT_EQ(runs_made, 2);
  failing_seed = -1;
  const Reproduction resumed = run(4, 4);
  EXPECT_EQ(runs_made, 4);
  EXPECT_EQ(records_json(resumed.records), records_json(whole.records));
  EXPECT_EQ(resumed.warnings, whole.warnings);
  EXPECT_EQ(told, (Told{{2, 4}, {3, 4}, {4, 4}}));
  EXPECT_EQ(done, (std::vector<std::uint64_t>{2, 3, 4}));
}

TEST_F(KeptReproduction, OtherSeedsUseThoseTheyShare) {
  run(0, 3);
  EXPECT_EQ(runs_made, 3);
  const Reproduction shifted = run(2, 3);
  EXPECT_EQ(runs_made, 5);
  EXPECT_EQ(told.front(), std::pair(1, 3));
  EXPECT_EQ(records_json(shifted.records), records_json(reproduce({&kCounting}, {.seed = 2, .repeats = 3}).records));
}

TEST_F(KeptReproduction, SingleRunsAreNotKept) {
  run(0, 1);
  EXPECT_TRUE(folder.names().empty());
  EXPECT_TRUE(told.empty());
  run(0, 2);
  runs_made = 0;
  run(0, 1);
  EXPECT_EQ(runs_made, 1) << "a single run has intervals, one of several has none";
}

}  // namespace
}  // namespace plumbline
