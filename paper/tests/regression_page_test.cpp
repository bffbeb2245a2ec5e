// What the page says of methods for numbers: who beats Adv, by which gap, and the curve of the trade-off.
#include "paper/regression/regression_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "paper/regression/tradeoff_page.h"
#include "paper/reproduction/printed_cells.h"
#include "paper/results/figures.h"
#include "paper/results/results_page.h"

namespace plumbline {
namespace {

// Of four runs around a mean.
Record record_of(std::string method, std::string metric, double value, double spread) {
  Record out;
  out.protocol = Protocol::sound;
  out.method = std::move(method);
  out.metric = std::move(metric);
  out.value = value;
  out.sd = spread;
  out.runs = out.repeats = 4;
  for (const double step : {-1.5, -0.5, 0.5, 1.5}) out.by_run.push_back(value + spread * step);
  return out;
}

TEST(RegressionPage, LowerIsByMoreThanTwoStandardErrorsOfPairedRuns) {
  const auto place = [](const std::vector<double>& differences, double between_seeds) {
    Record ours, theirs;
    double shared = 1;
    for (const double difference : differences) {
      theirs.by_run.push_back(shared);
      ours.by_run.push_back(shared + difference);
      shared += between_seeds;
    }
    return place_of(ours, theirs);
  };
  // Differences with mean d and standard deviation 1 over four runs: a standard error of a half.
  const double s = std::sqrt(0.75);
  for (const double between : {0.0, 100.0}) {
    const auto around = [&](double d) { return place({d - s, d - s, d + s, d + s}, between); };
    EXPECT_EQ(around(-1.05), Place::lower);
    EXPECT_EQ(around(-0.95), Place::even);
    EXPECT_EQ(around(0.95), Place::even);
    EXPECT_EQ(around(1.05), Place::higher);
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(place({nan, -2.0, -2.1, -1.9}, 0), Place::lower) << "a run that diverged is left out";
  EXPECT_EQ(place({-2.0}, 0), std::nullopt) << "one run has no spread";
}

TEST(RegressionPage, SaysByWhichGapAdvIsBeaten) {
  const std::vector<Record> records = {
      record_of("Adv(0.1)", "MSE", 1, 0.01),      record_of("Adv(0.1)", "CF_abs", 0.1, 0.01),
      record_of("Adv(0.1)", "CF_exact", 1, 0.01), record_of("OB", "MSE", 0.5, 0.01),
      record_of("OB", "CF_abs", 0.2, 0.01),       record_of("OB", "CF_exact", 0.2, 0.01),
      record_of("SOB", "MSE", 2, 0.01),           record_of("SOB", "CF_abs", 0.01, 0.001),
      record_of("SOB", "CF_exact", 0.2, 0.01)};
  RecordList list;
  for (const Record& record : records) list.push_back(&record);
  const std::string table = regression_table(list);
  EXPECT_NE(table.find("| `OB` |  | `Adv(0.1)` | lower | higher | lower | by CF_exact |"), std::string::npos) << table;
  EXPECT_NE(table.find("| `SOB` |  | `Adv(0.1)` | higher | lower | lower | no |"), std::string::npos) << table;
}

TEST(RegressionPage, SaysNothingOfAdvWhereNoTwoRunsCompare) {
  const auto table_of = [](const std::vector<double>& ours) {
    std::vector<Record> records;
    for (const char* method : {"Adv(0.1)", "OB"})
      for (const char* metric : {"MSE", "CF_abs"}) {
        records.push_back(record_of(method, metric, 1, 0.1));
        records.back().by_run.resize(ours.size());
        if (records.back().method == "OB") records.back().by_run = ours;
      }
    RecordList list;
    for (const Record& record : records) list.push_back(&record);
    return regression_table(list);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(table_of({0.5}).find("beats"), std::string::npos);
  EXPECT_NE(table_of({0.5, nan}).find("| `OB` |  | `Adv(0.1)` | – | – | – |"), std::string::npos);
}

TEST(RegressionFigure, LeavesOutWhatHasNothingToDrawAndSpreadsErrorsThatAreFarApart) {
  const auto script = [](double error) {
    const std::vector<Record> records = {record_of("FTU", "MSE", error, 0), record_of("OB", "MSE", 0.01, 0),
                                         record_of("FTU", "CF_abs", 0.2, 0), record_of("OB", "CF_abs", 0.1, 0),
                                         record_of("OB[linear]", "CF_exact@2000", 0.1, 0)};
    RecordList list;
    for (const Record& record : records) list.push_back(&record);
    return figure_script({kInsuranceExperiment, list});
  };
  const std::string near = script(0.9), far = script(2e-6);
  EXPECT_NE(near.find("'FTU' 0, 'OB' 1)"), std::string::npos) << near;
  EXPECT_EQ(near.find("linear"), std::string::npos);
  EXPECT_NE(far.find("0 NaN NaN 2e-06 "), std::string::npos) << far;
  const auto axes = [](const std::string& text) {
    int count = 0;
    for (std::size_t at = 0; (at = text.find("set logscale x", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(axes(near), 1) << "the gap's";
  EXPECT_EQ(axes(far), 2);
}

TEST(TradeoffPage, TheResidualIsOfLogarithms) {
  std::vector<Record> records;
  int number = 0;
  for (const double gap : {0.1, 0.2})
    for (const double off : {-0.3, 0.3}) {
      const std::string method = "Adv(" + std::to_string(++number) + ")";
      records.push_back(record_of(method, "CF_abs", gap, 0.01));
      records.push_back(record_of(method, "MSE", 5 * std::exp(2 * gap + off), 0.01));
    }
  RecordList list;
  for (const Record& record : records) list.push_back(&record);
  const auto curve = fitted_curve(list, "CF_abs");
  ASSERT_TRUE(curve);
  EXPECT_NEAR(curve->beta, 2, 1e-12);
  EXPECT_NEAR(curve->residual, 0.3, 1e-12);
}

TEST(TradeoffPage, TheCurveIsFoundAgain) {
  std::vector<Record> records;
  for (const double gap : {0.1, 0.2, 0.35, 0.6}) {
    const std::string method = "Adv(" + std::to_string(gap) + ")";
    records.push_back(record_of(method, "CF_abs", gap, 0.01));
    records.push_back(record_of(method, "MSE", 0.7 * std::exp(-3 * gap), 0.01));
  }
  records.push_back(record_of("OB", "CF_abs", 0.1, 0.01));
  records.push_back(record_of("OB", "MSE", 0.2, 0.01));
  records.push_back(record_of("FTU", "CF_abs", 0.1, 0.01));
  records.push_back(record_of("FTU", "MSE", 0.6, 0.01));
  for (const auto& [method, gap] : {std::pair{"ML", 0.7}, {"SOB", 0.05}}) {
    records.push_back(record_of(method, "CF_abs", gap, 0.01));
    records.push_back(record_of(method, "MSE", 0.001, 0.01));
  }
  RecordList list;
  for (const Record& record : records) list.push_back(&record);
  const auto curve = fitted_curve(list, "CF_abs");
  ASSERT_TRUE(curve);
  EXPECT_NEAR(curve->alpha, 0.7, 1e-12);
  EXPECT_NEAR(curve->beta, -3, 1e-12);
  EXPECT_FALSE(fitted_curve(list, "CF_exact")) << "of which there are no records";
  EXPECT_EQ(curve->low, 0.1);
  EXPECT_EQ(curve->high, 0.6);
  EXPECT_NEAR(curve->residual, 0, 1e-12);
  EXPECT_NE(tradeoff_table(list).find("Below it: `OB`. Above: `FTU`. Outside of Adv's range of CF_abs, 0.1000 to "
                                      "0.6000, and not compared: `ML`, `SOB`."),
            std::string::npos)
      << tradeoff_table(list);
  std::string problem;
  const FigureData figure{kTradeoffExperiment, list, {{"OB, exact", 1, 2}, {"OB, generator", 1, 2.5}}};
  for (const FigureKind& kind : figure_kinds(kTradeoffExperiment)) {
    const auto svg = draw_figure(kind.script(figure), problem);
    if (problem.find("not installed") != std::string::npos) GTEST_SKIP() << problem;
    EXPECT_TRUE(svg) << problem;
  }
  const std::string panels = predictions_script(figure);
  EXPECT_NE(panels.find("title 'OB'"), std::string::npos) << panels;
  EXPECT_EQ(panels.find("title 'OB,"), std::string::npos) << "keys of one length, so that panels have one height";
  EXPECT_EQ(predictions_csv(figure), "curve,b,prediction\n\"OB, exact\",1,2\n\"OB, generator\",1,2.5\n");
}

TEST(PrintedCells, OfNumbersHaveSpreads) {
  std::set<std::string_view> seen;
  for (const PrintedCell& cell : printed_cells())
    if (cell.metric == "MSE" || cell.metric == "CF_abs" || cell.metric == "train_s") {
      EXPECT_TRUE(cell.sd) << cell.experiment << ' ' << cell.method;
      seen.insert(cell.experiment);
    }
  EXPECT_EQ(seen, (std::set<std::string_view>{"crime", "insurance", "sensitivity-crime", "discretised"}));
  ASSERT_TRUE(printed_cell("crime", "SOB", 20, "CF_abs"));
  EXPECT_EQ(printed_cell("crime", "SOB", 20, "CF_abs")->value, .1051);
  EXPECT_EQ(printed_cell("crime", "SOB", 20, "CF_abs")->sd, .0328);
}

}  // namespace
}  // namespace plumbline
