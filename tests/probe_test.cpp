#include "plumbline/probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "message_of.h"
#include "plumbline/certificate.h"
#include "probed_tables.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::independent_table;
using testing::indicator_table;
using testing::is_found;
using testing::message_of;
using testing::ProbedTable;
using testing::Random;
using testing::refitted;
using testing::squared_table;
using testing::unchanged;

MapWithout no_map() {
  return [](std::span<const Index>) { return unchanged(); };
}

TEST(Probe, FindsWhatALineLeaves) {
  int squares = 0, indicators = 0;
  constexpr int kRuns = 6;
  for (unsigned run = 0; run < kRuns; ++run) {
    Random random(run);
    const ProbedTable squared = squared_table(random, 2000), indicator = indicator_table(random, 2000);
    const Probe of_square = probe(squared.a, squared.b, squared.names(), refitted(squared));
    const Probe of_indicator = probe(indicator.a, indicator.b, indicator.names(), refitted(indicator));
    squares += is_found(of_square) ? 1 : 0;
    indicators += is_found(of_indicator) ? 1 : 0;
    EXPECT_LT(of_square.columns[0].after[0].value, 0.05) << "a line is all that the map takes, and what it takes";
    EXPECT_GT(of_square.columns[0].before[0].value, 0.3);
  }
  EXPECT_EQ(squares, kRuns);
  EXPECT_EQ(indicators, kRuns);
}

TEST(Probe, FindsNothingWhereThereIsNothing) {
  int readings = 0, found = 0;
  for (unsigned run = 0; run < 8; ++run) {
    Random random(100 + run);
    const ProbedTable table = independent_table(random, 600, 5);
    const Probe done = probe(table.a, table.b, table.names(), no_map());
    for (const ProbedColumn& column : done.columns)
      for (const auto* side : {&column.before, &column.after})
        for (const Reading& reading : *side) {
          ++readings;
          found += Probe::exposure(reading, column.read_as) > 0 ? 1 : 0;
          const double nothing = column.read_as == ReadAs::level ? 0.5 : 0.0;
          EXPECT_NEAR(reading.value, nothing, 0.15);
          EXPECT_LE(reading.low, reading.value);
          EXPECT_GE(reading.high, reading.value);
        }
  }
  EXPECT_LE(found, readings / 10);
}

TEST(Probe, SaysBeforeWhateverTheMapIs) {
  Random random(7);
  const ProbedTable table = squared_table(random, 500);
  const Probe one = probe(table.a, table.b, table.names(), refitted(table));
  const Probe other = probe(table.a, table.b, table.names(), no_map());
  ASSERT_EQ(one.columns.size(), other.columns.size());
  for (std::size_t c = 0; c < one.columns.size(); ++c) {
    EXPECT_EQ(one.columns[c].before, other.columns[c].before);
    EXPECT_EQ(other.columns[c].before, other.columns[c].after) << "a map that changes nothing";
  }
}

TEST(Probe, FitsEachMapWithoutTheRowsThatItIsTriedOn) {
  Random random(8);
  const ProbedTable table = independent_table(random, 301, 2);
  for (const int parts : {1, 2, 3}) {
    std::multiset<Index> held_out;
    int maps = 0;
    probe(table.a, table.b, table.names(),
          [&](std::span<const Index> rows) -> RowsMap {
            ++maps;
            EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
            held_out.insert(rows.begin(), rows.end());
            const Index count = static_cast<Index>(rows.size());
            return [count](const Columns& a, const Columns& b, const MutableColumns& out, const ApplyOptions& how) {
              EXPECT_EQ(a.rows(), count);
              unchanged()(a, b, out, how);
            };
          },
          {.parts = parts});
    EXPECT_EQ(maps, parts);
    EXPECT_EQ(held_out.size(), 301u);
    EXPECT_EQ(std::set<Index>(held_out.begin(), held_out.end()).size(), 301u);
  }
}

TEST(Probe, HasTheSameBitsOnAnyNumberOfThreads) {
  Random random(9);
  const ProbedTable table = squared_table(random, 700);
  const Probe one = probe(table.a, table.b, table.names(), refitted(table), {.threads = 1});
  for (const int threads : {2, 3, 8})
    EXPECT_EQ(probe(table.a, table.b, table.names(), refitted(table), {.threads = threads}), one);
}

TEST(Probe, WeightsOfOneSizeAreNone) {
  Random random(10);
  const ProbedTable table = squared_table(random, 400);
  const std::vector<double> weights(400, 2.0);
  const Probe plain = probe(table.a, table.b, table.names(), no_map());
  const Probe weighted = probe(table.a, table.b, table.names(), no_map(), {.weights = weights});
  for (std::size_t c = 0; c < plain.columns.size(); ++c)
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(plain.columns[c].after[k].value, weighted.columns[c].after[k].value, 1e-6);
      EXPECT_NEAR(plain.columns[c].after[k].low, weighted.columns[c].after[k].low, 1e-6);
    }
}

TEST(Probe, DoesNotSeeRowsWithoutWeight) {
  Random random(11);
  ProbedTable table = squared_table(random, 400);
  std::vector<double> weights(400, 1.0);
  for (std::size_t i = 0; i < 400; i += 3) weights[i] = 0;
  const Probe one = probe(table.a, table.b, table.names(), no_map(), {.weights = weights});
  for (Index i = 0; i < 400; i += 3) {
    table.a.row(i).setConstant(1e9);
    table.b.row(i).setConstant(-1e9);
  }
  EXPECT_EQ(probe(table.a, table.b, table.names(), no_map(), {.weights = weights}), one);
}

// An attacker that knows the answer reads all of it, and one that guesses nothing.
TEST(Probe, JudgesFurtherAttackers) {
  Random random(12);
  ProbedTable table = independent_table(random, 500, 2);
  table.a.col(0) = table.b.col(0);
  table.a.col(1) = table.b.col(1);
  ProbeOptions options;
  options.further.push_back({"knows", [](const MatrixXd&, const MatrixXd& y, const VectorXd&,
                                         std::span<const ReadAs> as, const MatrixXd& judged) {
                               MatrixXd out(judged.rows(), y.cols());
                               for (Index t = 0; t < y.cols(); ++t)
                                 out.col(t) = judged.col(as[static_cast<std::size_t>(t)] == ReadAs::level ? 1 : 0);
                               return out;
                             }});
  options.further.push_back(
      {"guesses",
       [](const MatrixXd&, const MatrixXd& y, const VectorXd&, std::span<const ReadAs>,
          const MatrixXd& judged) -> MatrixXd { return y.colwise().mean().replicate(judged.rows(), 1); }});
  std::uint64_t calls = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(all, 20u);
  };
  const Probe done = probe(table.a, table.b, table.names(), no_map(), options);
  EXPECT_EQ(calls, 20u);
  ASSERT_EQ(done.attackers, (std::vector<std::string>{"linear", "hinges", "knows", "guesses"}));
  for (const ProbedColumn& column : done.columns) {
    if (column.read_as == ReadAs::distance) continue;
    if (column.read_as == ReadAs::level) {
      EXPECT_EQ(column.after[2].value, 1);
      EXPECT_EQ(column.after[3].value, 0.5);
    } else {
      EXPECT_GT(column.after[2].value, 0.98) << "no further out than what was learned from";
      EXPECT_NEAR(column.after[3].value, 0, 0.02);
    }
  }
}

TEST(Probe, SaysWhatIsNotEstimable) {
  Random random(13);
  ProbedTable table = independent_table(random, 400, 3);
  table.b.conservativeResize(400, 5);
  table.b.col(2).setConstant(3);
  table.b.col(3) = VectorXd::Ones(400) - table.b.col(1);
  table.b.col(4).setZero();
  table.b.col(4).head(7).setOnes();
  const Probe done = probe(table.a, table.b, {"x", "y", "fixed", "not y", "rare"}, no_map());
  std::vector<std::string> names;
  for (const ProbedColumn& column : done.columns) names.push_back(column.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "x", "y"}));
  ASSERT_EQ(done.not_estimable.size(), 2u);
  EXPECT_NE(done.not_estimable[0].find("'fixed' is constant"), std::string::npos);
  EXPECT_NE(done.not_estimable[1].find("of 'rare' 7 of 400 rows"), std::string::npos);

  const MatrixXd few_a = table.a.topRows(40), few_b = table.b.topRows(40);
  const Probe few = probe(few_a, few_b, {"x", "y", "fixed", "not y", "rare"}, no_map());
  EXPECT_TRUE(few.columns.empty());
  ASSERT_EQ(few.not_estimable.size(), 1u);
  EXPECT_NE(few.not_estimable[0].find("40 rows are too few"), std::string::npos);

  const Probe no_fit = probe(table.a, table.b, {"x", "y", "fixed", "not y", "rare"},
                             [](std::span<const Index>) -> RowsMap { throw Error("there is no map"); });
  EXPECT_TRUE(no_fit.columns.empty());
  EXPECT_NE(no_fit.not_estimable.back().find("there is no map"), std::string::npos);
}

TEST(Probe, RefusesWhatDoesNotFit) {
  Random random(14);
  const ProbedTable table = independent_table(random, 200, 2);
  const auto refused = [&](const ProbeOptions& options, const std::vector<std::string>& names) {
    return message_of([&] { probe(table.a, table.b, names, no_map(), options); });
  };
  EXPECT_NE(refused({.parts = 0}, {"x", "y"}).find("parts is 0"), std::string::npos);
  EXPECT_NE(refused({.threads = -1}, {"x", "y"}).find("threads is -1"), std::string::npos);
  EXPECT_NE(refused({}, {"x"}).find("2 columns and 1 names"), std::string::npos);
  ProbeOptions wrong;
  wrong.further.push_back({"odd", [](const MatrixXd&, const MatrixXd&, const VectorXd&, std::span<const ReadAs>,
                                     const MatrixXd&) { return MatrixXd(1, 1); }});
  EXPECT_NE(refused(wrong, {"x", "y"}).find("'odd' predicts 1 × 1 numbers"), std::string::npos);
}

TEST(Probe, IsPartOfACertificateAndItsFile) {
  Random random(16);
  const ProbedTable table = indicator_table(random, 600);
  Certificate certificate = fit(table.a, table.b).certificate;
  EXPECT_NE(certificate.in_words().find("was not measured"), std::string::npos);
  EXPECT_FALSE(Certificate::from_json(certificate.to_json()).probe);
  certificate.probe = probe(table.a, table.b, table.names(), refitted(table));
  const Certificate again = Certificate::from_json(certificate.to_json());
  EXPECT_EQ(again.probe, certificate.probe);
  EXPECT_EQ(again.to_text(), certificate.to_text());
  EXPECT_NE(certificate.in_words().find("'b0'"), std::string::npos);
  EXPECT_EQ(certificate.in_words().find("was not measured"), std::string::npos);

  Certificate wrong = certificate;
  wrong.probe->columns[0].before[0].low = 2;
  EXPECT_NE(message_of([&] { Certificate::from_json(wrong.to_json()); }).find("no reading"), std::string::npos);
  wrong = certificate;
  wrong.probe->columns[0].after.pop_back();
  EXPECT_NE(message_of([&] { Certificate::from_json(wrong.to_json()); }).find("for each attacker"), std::string::npos);
}

TEST(Probe, NamesTheColumnThatIsMostExposed) {
  Probe made{.attackers = {"linear", "hinges"}};
  made.columns.push_back({"x", ReadAs::number, {{0.5, 0.4, 0.6}, {0.5, 0.4, 0.6}}, {{0, -0.1, 0.1}, {0.3, 0.2, 0.4}}});
  made.columns.push_back({"y", ReadAs::level, {{0.9, 0.8, 1}, {0.9, 0.8, 1}}, {{0.6, 0.55, 0.7}, {0.7, 0.6, 0.8}}});
  EXPECT_EQ(made.most_exposed(true).column, 1);
  EXPECT_EQ(made.most_exposed(false).column, 0) << "√.2 is more than 2 · .6 − 1";
  EXPECT_EQ(made.most_exposed(false).attacker, 1);
  for (ProbedColumn& column : made.columns) column.after = {{0.5, -0.1, 0.6}, {0.4, -0.2, 0.6}};
  EXPECT_EQ(made.most_exposed(false).column, -1);
}

TEST(Probe, ShowsAttackersSomeOfVeryManyFeatures) {
  Random random(15);
  const ProbedTable table = independent_table(random, 120, kMostProbedFeatures + 44);
  EXPECT_EQ(probe(table.a, table.b, table.names(), no_map()).features, kMostProbedFeatures);
}

}  // namespace
}  // namespace plumbline
