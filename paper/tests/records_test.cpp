#include "paper/reproduction/records.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "message_of.h"
#include "paper/datasets/loan.h"
#include "paper/reproduction/experiment.h"
#include "paper/reproduction/notes.h"
#include "paper/reproduction/printed_cells.h"

namespace plumbline {
namespace {

using testing::message_of;

Measured cell(const std::string& method, const std::string& metric, double value, std::optional<Index> rank = {}) {
  return {.protocol = Protocol::published, .method = method, .rank = rank, .metric = metric, .value = value};
}

TEST(Marks, FourDecimalsThenSpreadsThenDifference) {
  EXPECT_EQ(mark_of(0.57436, 0.5744, {}, {}), Mark::equal);
  EXPECT_EQ(mark_of(0.57434, 0.5744, {}, {}), Mark::different);
  EXPECT_EQ(mark_of(3e-17, 1.6e-16, {}, {}), Mark::equal);
  EXPECT_EQ(mark_of(0.50, 0.52, 0.011, {}), Mark::near);
  EXPECT_EQ(mark_of(0.50, 0.52, 0.009, {}), Mark::different);
  EXPECT_EQ(mark_of(0.50, 0.52, {}, 0.011), Mark::near);
}

TEST(Marks, AMeanOverRandomStartsIsNearAtBest) {
  for (const double value : {0.7655, 0.76552, 0.7660, 0.7670}) {
    const Mark mark = mark_of(value, 0.7655, 0.0004, {}), of_starts = mark_of(value, 0.7655, 0.0004, {}, true);
    EXPECT_EQ(of_starts, mark == Mark::equal ? Mark::near : mark) << value;
    Measured measured = cell("SOB_1", "ACC", value, 2);
    EXPECT_EQ(summarise("adult", 0, {{measured}})[0].mark == Mark::equal, mark == Mark::equal);
    measured.sd = 0.0004;
    EXPECT_EQ(summarise("adult", 0, {{measured}})[0].mark, of_starts);
  }
}

TEST(Records, SummariseSeedsByMeanAndDeviation) {
  const auto records = summarise("compas", 3, {{cell("ML", "ACC", 1)}, {cell("ML", "ACC", 2)}, {cell("ML", "ACC", 6)}});
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].repeats, 3);
  EXPECT_EQ(records[0].seed, 3u);
  EXPECT_DOUBLE_EQ(records[0].value, 3);
  EXPECT_DOUBLE_EQ(*records[0].sd, std::sqrt(7.0));
  EXPECT_DOUBLE_EQ(*records[0].paper, 0.5744);
}

TEST(Records, ARunThatDivergedIsLeftOutAndCounted) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto records =
      summarise("compas", 0, {{cell("ML", "ACC", 1)}, {cell("ML", "ACC", nan)}, {cell("ML", "ACC", 3)}});
  EXPECT_EQ(records[0].runs, 3);
  EXPECT_EQ(records[0].repeats, 2);
  EXPECT_DOUBLE_EQ(records[0].value, 2);
  EXPECT_DOUBLE_EQ(*records[0].sd, std::sqrt(2.0));
  const Record none = summarise("compas", 0, {{cell("ML", "ACC", nan)}, {cell("ML", "ACC", nan)}}).at(0);
  EXPECT_EQ(none.runs, 2);
  EXPECT_EQ(none.repeats, 0);
  EXPECT_TRUE(std::isnan(none.value));
  EXPECT_FALSE(none.sd || none.mark);
}

TEST(Records, RunsThatMeasuredDifferentThingsAreRefused) {
  EXPECT_NE(message_of([] {
              summarise("compas", 0, {{cell("ML", "ACC", 1)}, {cell("FTU", "ACC", 1)}});
            }).find("different cells"),
            std::string::npos);
  EXPECT_THROW(summarise("compas", 0, {{cell("ML", "ACC", 1)}, {}}), Error);
}

TEST(Records, JsonHasEveryFieldAndNullWhereNothingIsKnown) {
  const auto records =
      summarise("compas", 0, {{cell("ML", "AUC", std::numeric_limits<double>::quiet_NaN()), cell("X", "ACC", 0.1, 4)}});
  const Json json = records_json(records);
  ASSERT_EQ(json.size(), 2u);
  for (const char* field : {"experiment", "protocol", "method", "rank", "seed", "repeats", "metric", "value", "sd",
                            "paper", "mark", "note", "low", "high", "paper_sd"})
    EXPECT_TRUE(json[0].contains(field)) << field;
  EXPECT_TRUE(json[0]["value"].is_null());
  EXPECT_TRUE(json[0]["mark"].is_null()) << "nothing can be said of a number that is not defined";
  EXPECT_TRUE(json[0]["rank"].is_null());
  EXPECT_EQ(json[1]["rank"], 4);
  EXPECT_TRUE(json[1]["paper"].is_null());
  EXPECT_EQ(json[1]["value"].get<double>(), 0.1);
}

TEST(PrintedCells, EachIsFoundUnderItsOwnNameAndNoOther) {
  std::set<std::tuple<std::string_view, std::string_view, Index, std::string_view>> keys;
  for (const PrintedCell& printed : printed_cells()) {
    EXPECT_TRUE(keys.emplace(printed.experiment, printed.method, printed.rank.value_or(0), printed.metric).second)
        << printed.experiment << ' ' << printed.method << ' ' << printed.metric;
    EXPECT_EQ(printed_cell(printed.experiment, printed.method, printed.rank, printed.metric), &printed);
    EXPECT_EQ(find_experiment(printed.experiment).name, printed.experiment);
    EXPECT_GE(printed.value, 0);
    EXPECT_LE(printed.value, printed.metric == "train_s" ? 200 : 1);
  }
  const auto count = [](std::string_view name) {
    return std::count_if(printed_cells().begin(), printed_cells().end(),
                         [&](const PrintedCell& printed) { return printed.experiment == name; });
  };
  EXPECT_EQ(count("compas"), 55 + 16) << "the table, and ranks 3 and 4 of the table of ranks";
  EXPECT_EQ(count("adult"), 55);
  EXPECT_EQ(count("loan"), 55);
  EXPECT_EQ(count("sensitivity-compas"), 24);
  EXPECT_EQ(printed_cell("compas", "OB_1", 5, "AUC"), nullptr) << "the printed row is of rank 2";
  EXPECT_EQ(printed_cell("compas", "OB_2[onehot]", 5, "ACC"), nullptr);
}

bool says(const Record& record, std::string_view words) {
  return record.note && note_text(*record.note).find(words) != std::string_view::npos;
}

// A reader who sees ≠ is told why, for any seed and any value.
TEST(Notes, ADifferenceAlwaysHasANote) {
  for (const PrintedCell& printed : printed_cells()) {
    const bool is_time = printed.metric == "train_s";
    for (const Protocol protocol : {Protocol::published, Protocol::sound})
      for (const std::uint32_t seed : {0U, 5U}) {
        Measured measured = cell(std::string(printed.method), std::string(printed.metric), 2, printed.rank);
        measured.protocol = protocol;
        const Record record = summarise(printed.experiment, seed, {{measured}}).at(0);
        EXPECT_EQ(record.mark, is_time ? std::nullopt : std::optional(Mark::different));
        ASSERT_TRUE(record.note) << record.experiment << ' ' << record.method << ' ' << record.metric;
        EXPECT_FALSE(note_text(*record.note).empty());
        EXPECT_EQ(says(record, "Print's are of a T4 GPU"), is_time);
        EXPECT_EQ(record.paper, printed.value);
      }
  }
}

// What we know of is explained by it; what we do not know of is not explained by something else.
TEST(Notes, OneThatSpeaksOfAValueIsOfThatValueAlone) {
  const auto of = [](const char* experiment, const char* method, const char* metric, double value, std::uint32_t seed) {
    return summarise(experiment, seed, {{cell(method, metric, value)}}).at(0);
  };
  EXPECT_TRUE(says(of("compas", "FLAP_2(O)", "ACC", 0.55979, 0), "differ by a constant"));
  EXPECT_TRUE(says(of("compas", "FLAP_2(O)", "ACC", 0.5612, 0), "not the published ones"));
  EXPECT_TRUE(says(of("compas", "FLAP_2(O)", "ACC", 0.5612, 1), "another split"));
  EXPECT_TRUE(says(of("compas", "ML", "ACC", 0.5612, 0), "not the published ones"));
  EXPECT_TRUE(says(of("adult", "FLAP_1(O)", "ACC", 0.7548, 0), "could not be reproduced"));
  EXPECT_TRUE(says(of("adult", "FLAP_1(O)", "ACC", 0.7600, 0), "not the published ones"));
  EXPECT_TRUE(says(of("adult", "ML", "CF", 0.3, 7), "not the published ones"));
}

// Print repeats OB and SOB beside the methods on bins: what is said of them is what their own tables say.
TEST(Notes, AmongMethodsOnBinsOursAreExplainedAsInTheirOwnTables) {
  for (const std::string where : {"crime", "insurance"})
    for (const std::string method : {"OB", "SOB"})
      for (const char* metric : {"MSE", "CF_abs"}) {
        const Index rank = where == "crime" ? 20 : 4;
        const auto note = [&](const std::string& experiment, const std::string& name) {
          return summarise(experiment, 0, {{cell(name, metric, 2, rank)}}).at(0).note;
        };
        EXPECT_EQ(note("discretised", method + '[' + where + ']'), note(where, method)) << where << metric;
        // A unit of y, if print has another, is that of all CF on Crime.
        const bool shares_units = where == "crime" && std::string_view(metric) == "CF_abs";
        for (const std::string other : {"FLAP-o", "FLAP-m", "FL", "EO", "AA"})
          EXPECT_EQ(note("discretised", other + '[' + where + ']') == note(where, method), shares_units)
              << other << where << metric;
      }
  EXPECT_TRUE(says(summarise("crime", 0, {{cell("OB[refitted]", "CF_abs", 0.1, 20)}}).at(0), "line in b' of its own"));
}

TEST(Notes, TheLoanNoteHasTheParametersThatAreUsed) {
  const Record record = summarise("loan", 0, {{cell("ML", "ACC", 0.67)}}).at(0);
  const LoanOptions options;
  std::vector<double> numbers = {options.education_noise, options.income_education, options.income_noise,
                                 options.beta_e, options.beta_i};
  for (const auto& list : {options.share, options.lambda_e, options.lambda_i, options.beta})
    numbers.insert(numbers.end(), list.begin(), list.end());
  for (const double number : numbers)
    EXPECT_TRUE(says(record, fmt::format("{}{:g}", number < 0 ? "−" : "", std::abs(number)))) << number;
}

}  // namespace
}  // namespace plumbline
