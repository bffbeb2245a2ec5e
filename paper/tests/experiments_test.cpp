#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "has.h"
#include "kernels/kernels.h"
#include "message_of.h"
#include "methods/method.h"
#include "paper/datasets/compas_data.h"
#include "paper/groups/comparison.h"
#include "paper/results/claims.h"
#include "paper/results/figures.h"
#include "paper/results/results_page.h"
#include "random_people.h"

namespace plumbline {
namespace {

using testing::has;
using testing::message_of;
using testing::Random;
using testing::random_people;

double value_of(const std::vector<Record>& records, Protocol protocol, std::string_view method,
                std::string_view metric) {
  for (const Record& record : records)
    if (record.protocol == protocol && record.method == method && record.metric == metric) return record.value;
  ADD_FAILURE() << method << ' ' << metric;
  return 0;
}

TEST(Experiments, AnUnknownOneListsTheKnownOnes) {
  const std::string message = message_of([] { find_experiment("adults"); });
  for (const Experiment* experiment : experiments()) EXPECT_TRUE(has(message, experiment->name)) << message;
  EXPECT_TRUE(has(message, "did you mean 'adult'?")) << message;
}

// Few people, so that runs cost little.
class Tiny final : public LoadedExperiment {
 public:
  RunResult run(const RunOptions& options) const override {
    Random random(options.seed);
    const Parts parts = split_sample(random_people(random, 400, 3, 3), options.seed);
    return compare(candidates(parts.training), {.parts = parts}, options);
  }
  int steps() const override { return steps_of(candidates({})); }

 private:
  static Candidates candidates(const Sample& training) {
    Candidates list;
    add_baselines(list, Protocol::published, training);
    add_published_ob(list, training, 2);
    add_sound_ob(list, training, 3);
    return list;
  }
};

const Experiment kTiny = {
    .name = "tiny",
    .title = "Tiny",
    .text = "",
    .load = [](const DataSource&) -> std::unique_ptr<const LoadedExperiment> { return std::make_unique<Tiny>(); }};

// As if its parts were published ones.
const Experiment kFixed = {.name = "fixed", .title = "Fixed", .text = "", .is_split = false, .load = kTiny.load};

// Of two seeds unless others are asked for.
const Experiment kTwice = {.name = "twice", .title = "Twice", .text = "", .repeats = 2, .load = kTiny.load};

TEST(Reproduction, OptionsOutOfRangeAreRefused) {
  const auto message = [](const ReproductionOptions& options) {
    return message_of([&] { reproduce({&kTiny}, options); });
  };
  EXPECT_TRUE(has(message({.repeats = 0}), "repeats is 0"));
  EXPECT_TRUE(has(message({.seed = ~std::uint32_t{0}, .repeats = 2}), "below 2^32"));
  EXPECT_TRUE(has(message_of([] { reproduce({&kTwice}, {.seed = ~std::uint32_t{0}}); }), "below 2^32"));
  EXPECT_TRUE(has(message({.threads = -1}), "threads is -1"));
}

TEST(Reproduction, HasTheSameBitsForAnyNumberOfThreads) {
  for (const int repeats : {1, 5}) {
    const Reproduction once = reproduce({&kTiny}, {.repeats = repeats, .threads = 1});
    for (const int threads : {2, 7}) {
      const Reproduction again = reproduce({&kTiny}, {.repeats = repeats, .threads = threads});
      EXPECT_EQ(records_json(again.records), records_json(once.records));
    }
  }
}

TEST(Reproduction, RepeatsAreTheMeanOfTheirSeeds) {
  const Reproduction two = reproduce({&kTiny}, {.seed = 8, .repeats = 2});
  const Reproduction first = reproduce({&kTiny}, {.seed = 8}), second = reproduce({&kTiny}, {.seed = 9});
  for (std::size_t i = 0; i < two.records.size(); ++i) {
    const double one = first.records[i].value, other = second.records[i].value;
    EXPECT_NEAR(two.records[i].value, (one + other) / 2, 1e-15);
    EXPECT_NEAR(*two.records[i].sd, std::abs(one - other) / std::sqrt(2.0), 1e-15);
    EXPECT_FALSE(two.records[i].low);
    EXPECT_TRUE(first.records[i].low);
  }
}

TEST(Reproduction, AnExperimentHasItsOwnRepeatsUnlessOthersAreAskedFor) {
  const std::vector<const Experiment*> all = {&kTiny, &kTwice, &kFixed};
  const Reproduction own = reproduce(all), three = reproduce(all, {.repeats = 3});
  EXPECT_EQ(own.repeats, (std::vector<int>{1, 2, 1}));
  EXPECT_EQ(three.repeats, (std::vector<int>{3, 3, 1}));
  for (const Reproduction& run : {own, three})
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const Record* record : run.of(all[i]->name)) {
        EXPECT_EQ(record->runs, run.repeats[i]);
        EXPECT_EQ(record->repeats, run.repeats[i]);
      }
}

// Warns of its data and, in each run, of a method.
class Warning final : public LoadedExperiment {
 public:
  RunResult run(const RunOptions& options) const override {
    return {.measured = {},
            .warnings = {"X (sound): it has not converged", fmt::format("X (sound): seed {} is odd", options.seed)}};
  }
  int steps() const override { return 0; }
  std::vector<std::string> warnings() const override { return {"a file is not the published one"}; }
};

TEST(Reproduction, GathersWarningsOfDataAndMethodsOnce) {
  const Experiment one = {
      .name = "one", .title = "", .text = "", .load = [](const DataSource&) -> std::unique_ptr<const LoadedExperiment> {
        return std::make_unique<Warning>();
      }};
  Experiment two = one;
  two.name = "two";
  const std::vector<std::string> expected = {
      "a file is not the published one", "one: X (sound): it has not converged", "one: X (sound): seed 4 is odd",
      "one: X (sound): seed 5 is odd",   "two: X (sound): it has not converged", "two: X (sound): seed 4 is odd",
      "two: X (sound): seed 5 is odd"};
  EXPECT_EQ(reproduce({&one, &two}, {.seed = 4, .repeats = 2}).warnings, expected);
}

TEST(Reproduction, EveryStepIsCounted) {
  std::vector<std::uint64_t> seen;
  std::uint64_t all = 0;
  const auto progress = [&](std::uint64_t done, std::uint64_t total) {
    seen.push_back(done);
    all = total;
  };
  reproduce({&kTiny}, {.repeats = 3, .progress = progress});
  ASSERT_EQ(seen.size(), all + 1);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i);
}

class LoanRuns : public ::testing::Test {
 protected:
  static const Reproduction& once() {
    static const Reproduction run = reproduce({&kLoanExperiment});
    return run;
  }
};

// The marginal mapping estimates what the causal model knows.
TEST_F(LoanRuns, TheExactGapIsNearItsEstimate) {
  for (const Protocol protocol : {Protocol::published, Protocol::sound})
    for (const char* method : {"ML", "FTU", "EO", "FL", "AA", "FLAP_1(M)", "FLAP_2(O)"})
      EXPECT_NEAR(value_of(once().records, protocol, method, "CF"),
                  value_of(once().records, protocol, method, "CF_exact"), 0.03)
          << method;
}

TEST_F(LoanRuns, SoundOneHotIsFlap) {
  for (const char* metric : {"ACC", "AUC", "CF", "EO", "AA", "CF_exact"}) {
    const auto at = [&](const char* method) { return value_of(once().records, Protocol::sound, method, metric); };
    EXPECT_NEAR(at("OB_1[onehot]"), at("FLAP_1(O)"), 1e-8) << metric;
    EXPECT_NEAR(at("OB_2[onehot]"), at("FLAP_2(O)"), 1e-8) << metric;
  }
}

// The cells of a line of the page's table, each without its blanks.
std::vector<std::string> cells_of(const std::string& page, const Record& record) {
  const std::string start = fmt::format("\n| {} | `{}` | {} |", record.metric, record.method,
                                        record.rank ? std::to_string(*record.rank) : "");
  const std::size_t at = page.find(start);
  if (at == std::string::npos || page.find(start, at + 1) != std::string::npos) return {};
  std::vector<std::string> cells;
  const std::string line = page.substr(at + 3, page.find('\n', at + 1) - at - 3);
  for (std::size_t from = 0, to = 0; (to = line.find(" |", from)) != std::string::npos;
       from = std::min(to + 3, line.size()))
    cells.push_back(line.substr(from, to - from));
  return cells;
}

TEST_F(LoanRuns, ThePageHasEveryCellAndNoEmptyMark) {
  const std::string page = results_page(once(), {});
  for (const Record& record : once().records) {
    const std::vector<std::string> cells = cells_of(page, record);
    ASSERT_EQ(cells.size(), 9u) << record.method << ' ' << record.metric;
    const bool is_published = record.protocol == Protocol::published;
    EXPECT_EQ(cells[is_published ? 4 : 7], cell_text(record.value)) << record.method << ' ' << record.metric;
    if (record.paper) {
      EXPECT_EQ(cells[3], cell_text(*record.paper));
    }
    if (is_published && record.mark) {
      EXPECT_TRUE(cells[6].starts_with(name_of(*record.mark))) << cells[6];
    }
    if (is_published && record.note) {
      EXPECT_TRUE(cells[6].ends_with(fmt::format("[{0}](#note-{0})", *record.note))) << cells[6];
    }
    if (record.note) {
      EXPECT_TRUE(has(page, fmt::format("<a id=\"note-{0}\"></a>**{0}.** ", *record.note)));
    }
    if (!is_published) {
      EXPECT_EQ(cells[8], fmt::format("{} … {}", cell_text(*record.low), cell_text(*record.high)));
    }
  }
  EXPECT_TRUE(has(page, "Orders of the printed cells"));
  for (std::size_t at = 0; (at = page.find("| ≠ |", at)) != std::string::npos; ++at)
    EXPECT_TRUE(has(page.substr(at, 60), "the note says why") || has(page.substr(at, 20), "--- |"))
        << page.substr(at, 60);
}

TEST_F(LoanRuns, TheFigureHasItsDataBesideIt) {
  const FigureData figure{kLoanExperiment, once().of("loan")};
  const std::string csv = figure_csv(figure), script = figure_script(figure);
  EXPECT_TRUE(csv.starts_with("protocol,method,k,ACC,ACC_paper,ACC_low,ACC_high,ACC_sd,AUC,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + static_cast<long>(once().records.size()) / 6);
  for (std::size_t end = 0; (end = csv.find('\n', end)) != std::string::npos; ++end) {
    const std::size_t start = end == 0 ? 0 : csv.rfind('\n', end - 1) + 1;
    EXPECT_EQ(std::count(csv.begin() + static_cast<long>(start), csv.begin() + static_cast<long>(end), ','), 2 + 5 * 6);
  }
  std::istringstream lines(script);
  std::string line, cell;
  int drawn = 0;
  for (bool is_data = false; std::getline(lines, line);) {
    if (line.ends_with("<< EOD") || line == "EOD") {
      is_data = line != "EOD";
      continue;
    }
    std::istringstream cells(is_data ? line.substr(line.find(' ') + 1) : "");
    while (cells >> cell) {
      if (cell == "NaN" || std::stod(cell) == 1e-4) continue;  // 1e-4: 0, as a logarithmic axis shows it
      EXPECT_TRUE(has(csv, "," + cell)) << cell;
      ++drawn;
    }
  }
  EXPECT_GT(drawn, 100);
  std::string problem;
  EXPECT_FALSE(draw_figure(script, problem, "no-such-gnuplot"));
  EXPECT_TRUE(has(problem, "no-such-gnuplot") && has(problem, "install gnuplot")) << problem;
}

TEST(Page, SaysWhatWasRun) {
  const auto says = [](const std::vector<const Experiment*>& which, const ReproductionOptions& options,
                       const std::string& command, const std::string& seeds) {
    const std::string page = results_page(reproduce(which, options), {});
    EXPECT_TRUE(has(page, "Written by `plumbline reproduce " + command + "`: " + seeds + ".\n")) << page;
    EXPECT_TRUE(has(page, fmt::format("kernels of {}.", kernels::active().name))) << page;
  };
  says({&kTiny}, {}, "tiny", "one run, seed 0, which is the paper's");
  says({&kTiny}, {.seed = 3, .repeats = 1}, "tiny --seed 3 --repeats 1", "one run, seed 3, where the paper's is 0");
  says({&kTiny}, {.repeats = 2}, "tiny --repeats 2",
       "mean ± standard deviation over the seeds 0 to 1, where the paper's cells are of seed 0");
  says({&kTwice}, {.repeats = 1}, "twice --repeats 1", "one run, seed 0");
  says({&kTwice}, {.seed = 4}, "twice --seed 4", "mean ± standard deviation over the seeds 4 to 5");
  says({&kTiny, &kTwice, &kFixed}, {}, "tiny twice fixed",
       "`tiny`, `fixed`: one run, seed 0, which is the paper's; "
       "`twice`: mean ± standard deviation over the seeds 0 to 1");
  says({&kTiny, &kFixed}, {.seed = 3, .repeats = 2}, "tiny fixed --seed 3 --repeats 2",
       "`tiny`: mean ± standard deviation over the seeds 3 to 4, where the paper's cells are of seed 0; "
       "`fixed`: one run, seed 3, for the parts are published ones");
}

TEST(Page, SaysHowManyRunsACellIsOf) {
  Record record;
  record.value = 0.4534;
  record.sd = 0.011;
  record.runs = record.repeats = 10;
  EXPECT_EQ(value_text(&record), "0.4534 ± 0.0110");
  record.repeats = 8;
  EXPECT_EQ(value_text(&record), "0.4534 ± 0.0110 (8 of 10)");
  record.repeats = 0;
  record.value = std::nan("");
  record.sd.reset();
  EXPECT_EQ(value_text(&record), "– (0 of 10)");
}

TEST(Page, HasEveryWarningOnce) {
  Reproduction run = reproduce({&kTiny});
  run.warnings.clear();
  EXPECT_FALSE(has(results_page(run, {}), "## Warnings"));
  run.warnings = {"tiny: ML (sound): it has not converged", "tiny.csv is odd"};
  const std::string page = results_page(run, {});
  EXPECT_TRUE(page.ends_with("\n## Warnings\n\n- tiny: ML (sound): it has not converged\n- tiny.csv is odd\n")) << page;
}

TEST(Claims, OrdersOfCellsAreNotTakenForStatements) {
  const auto count = [](std::string_view experiment, bool is_of_text) {
    const auto claims = claims_of(experiment, {});
    return std::count_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.is_of_text == is_of_text; });
  };
  EXPECT_EQ(count("loan", false), 4);
  EXPECT_EQ(count("loan", true), 4);
  EXPECT_EQ(count("compas", true), 4);
  EXPECT_EQ(count("compas", false), 0);
  EXPECT_EQ(count("adult", true), 5);
  for (const Claim& claim : claims_of("loan", {}))
    if (!claim.is_of_text) {
      EXPECT_EQ(claim.in_print, Answer::yes) << claim.text;
    }
  for (const Claim& claim : claims_of("adult", {}))
    if (claim.text.starts_with("SOB's AA")) {
      EXPECT_EQ(claim.in_print, Answer::no) << ".0001 and .0004 beside 0";
    }
}

Record record_of(const char* method, std::optional<Index> rank, const char* metric, std::vector<double> by_run) {
  Record out;
  out.protocol = Protocol::sound;
  out.method = method;
  out.rank = rank;
  out.metric = metric;
  double runs = 0;
  for (const double value : by_run)
    if (std::isfinite(value)) out.value += value, ++runs;
  out.value /= runs;
  out.by_run = std::move(by_run);
  return out;
}

Claim claim_of(std::string_view experiment, std::string_view text, const std::vector<Record>& records) {
  RecordList list;
  for (const Record& record : records) list.push_back(&record);
  for (Claim& claim : claims_of(experiment, list))
    if (claim.text == text) return claim;
  ADD_FAILURE() << "there is no claim '" << text << "'";
  return {};
}

TEST(Claims, SeveralRunsDecideByTwoStandardErrorsOfPairedDifferences) {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto ask = [](std::vector<double> ob, std::vector<double> sob, std::vector<double> adv) {
    return claim_of("insurance", "CF_abs: OB and SOB are at most Adv(0.1)",
                    {record_of("OB", {}, "CF_abs", std::move(ob)), record_of("SOB", {}, "CF_abs", std::move(sob)),
                     record_of("Adv(0.1)", {}, "CF_abs", std::move(adv))});
  };
  // The means hold by the first run; the second has one method above, the third lacks a cell.
  const Claim mixed = ask({1, 6, 1}, {1, 1, nan}, {20, 5, 9});
  EXPECT_EQ(mixed.sound, Answer::even);
  EXPECT_EQ(mixed.sound_runs.held, 1);
  EXPECT_EQ(mixed.sound_runs.asked, 2);
  EXPECT_EQ(mixed.published_runs.asked, 0);
  EXPECT_EQ(ask({1, 2, 3}, {1, 2, 3}, {1, 2, 3}).sound, Answer::yes) << "equal is at most";
  EXPECT_EQ(ask({1, 101, 201}, {0, 100, 200}, {2, 102.1, 202.2}).sound, Answer::yes) << "paired";
  EXPECT_EQ(ask({1, 101, 201}, {0, 100, 200}, {0, 99.9, 199.8}).sound, Answer::no) << "one is above for sure";
  EXPECT_EQ(ask({1}, {6}, {7}).sound, Answer::yes) << "one run is as it is";
  EXPECT_EQ(ask({1}, {8}, {7}).sound, Answer::no);
}

// Adv on MSE = 5 e^{−20 gap} in every run, and OB and SOB, which are alike, at these points.
std::vector<Record> traded(const std::vector<double>& gaps, const std::vector<double>& errors) {
  std::vector<Record> out;
  double gap = 0.1;
  for (const char* method :
       {"Adv(0.02)", "Adv(0.05)", "Adv(0.1)", "Adv(0.2)", "Adv(0.5)", "Adv(1)", "Adv(2)", "Adv(5)"}) {
    gap -= 0.01;
    std::vector<double> x, y;
    for (std::size_t r = 0; r < gaps.size(); ++r) {
      x.push_back(gap * (1 + 0.01 * static_cast<double>(r)));
      y.push_back(5 * std::exp(-20 * x.back()));
    }
    out.push_back(record_of(method, {}, "CF_abs", x));
    out.push_back(record_of(method, {}, "MSE", y));
  }
  for (const char* method : {"OB", "SOB"}) {
    out.push_back(record_of(method, {}, "CF_abs", gaps));
    out.push_back(record_of(method, {}, "MSE", errors));
  }
  return out;
}

TEST(Claims, UnderTheCurveIsByTheCurveOfEachRun) {
  const auto ask = [](const std::vector<double>& gaps, const std::vector<double>& errors) {
    return claim_of("tradeoff",
                    "under the curve: OB's and SOB's MSE is at most that of the exponential, fitted to Adv, at their "
                    "CF_abs",
                    traded(gaps, errors));
  };
  const double curve = 5 * std::exp(-20 * 0.05);
  EXPECT_EQ(ask({0.05, 0.05, 0.05}, {0.8 * curve, 0.9 * curve, 0.7 * curve}).sound, Answer::yes);
  EXPECT_EQ(ask({0.05, 0.05, 0.05}, {1.8 * curve, 1.9 * curve, 1.7 * curve}).sound, Answer::no);
  const Claim mixed = ask({0.05, 0.05, 0.05}, {0.5 * curve, 1.1 * curve, 1.9 * curve});
  EXPECT_EQ(mixed.sound, Answer::even);
  EXPECT_EQ(mixed.sound_runs.held, 1);
  EXPECT_EQ(mixed.sound_runs.asked, 3);
  EXPECT_EQ(ask({0.005, 0.005, 0.005}, {curve, curve, curve}).sound, std::nullopt) << "Adv has no such gap";
  EXPECT_EQ(ask({0.05, 0.005, 0.1}, {curve, curve, curve}).sound, std::nullopt) << "but in one run";
  EXPECT_EQ(ask({0.05}, {0.8 * curve}).sound, Answer::yes);
}

TEST(Claims, ErrorBarsAreOfSeveralRuns) {
  const auto ask = [](const std::vector<double>& gaps) {
    return claim_of("tradeoff", "narrow error bars of CF_abs", traded(gaps, std::vector<double>(gaps.size(), 1)));
  };
  EXPECT_EQ(ask({0.05, 0.05, 0.05, 0.05}).sound, Answer::yes);
  EXPECT_EQ(ask({0.02, 0.08, 0.03, 0.07}).sound, Answer::no);
  EXPECT_EQ(ask({0.05}).sound, std::nullopt);
  EXPECT_EQ(ask({0.02, 0.08}).sound, std::nullopt) << "two are equally far from their mean, whatever they are";
  EXPECT_EQ(ask({0.05, 0.05, 0.05, 0.05}).sound_runs.asked, 0);
}

// An order of printed cells is one that print has.
TEST(Claims, PrintHasTheOrdersOfItsCells) {
  for (const Experiment* experiment : experiments())
    for (const Claim& claim : claims_of(experiment->name, {}))
      if (!claim.is_of_text) {
        EXPECT_EQ(claim.in_print, Answer::yes) << experiment->name << ": " << claim.text;
      }
}

TEST(Claims, AMeanThatFewRunsHaveIsNotDecided) {
  std::vector<Record> records = {record_of("OB", 90, "MSE", {9, 1, 1, 1, 1})};
  for (const Index k : {100, 110, 120}) records.push_back(record_of("OB", k, "MSE", {1, 1.1, 1.1, 1.2, 1.1}));
  const Claim claim = claim_of("sensitivity-crime", "MSE is largest at k = 90", records);
  EXPECT_EQ(claim.sound, Answer::even);
  EXPECT_EQ(claim.sound_runs.held, 1);
}

TEST(Claims, WhatPrintSaysOfItselfNeedsNoRecords) {
  const auto claims = claims_of("sensitivity-compas", {});
  ASSERT_EQ(claims.size(), 3u);
  EXPECT_EQ(claims[0].in_print, Answer::yes);
  EXPECT_EQ(claims[1].in_print, Answer::no) << "CF is .0120, .0157, .0060 in print";
  for (const Claim& claim : claims) EXPECT_FALSE(claim.as_published || claim.sound);
}

// Prediction by prediction, not only in the metrics.
TEST(SoundCompas, FullRankObOfIndicatorsIsFlap) {
  if (std::getenv("PLUMBLINE_DATA_DIR") == nullptr)
    GTEST_SKIP() << "PLUMBLINE_DATA_DIR is not set; set it to the folder that holds compas-scores-two-years.csv";
  const Sample people = read_compas({}).people;
  for (const std::uint32_t seed : {0U, 1U, 77U}) {
    const Parts parts = split_sample(people, seed);
    for (const char* number : {"1", "2"}) {
      const auto ob = fit_method(std::string("OB_") + number, parts.training);
      const auto flap = fit_method(std::string("FLAP_") + number + "(O)", parts.training);
      const auto& test = parts.test;
      EXPECT_LT((ob->predict(test.a, test.s) - flap->predict(test.a, test.s)).cwiseAbs().maxCoeff(), 1e-8);
    }
  }
}

}  // namespace
}  // namespace plumbline
