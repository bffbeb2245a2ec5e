// Whether intervals of the probe cover what they say, where the answer is known: attackers of normal features learn
// lines, and how well a line does on the population is a formula. PLUMBLINE_PROBE_RUNS=1000 tries as many tables.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <cstdlib>

#include "debias/auc.h"
#include "plumbline/probe.h"
#include "probed_tables.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::ProbedTable;
using testing::Random;

int runs(int light) {
  const char* const asked = std::getenv("PLUMBLINE_PROBE_RUNS");
  return asked != nullptr ? std::atoi(asked) : light;
}

// Between these shares of runs an interval that covers with probability .93 to .97 stays, five of its standard errors
// added.
void expect_covered(int covered, int all, const char* what) {
  const double share = covered / static_cast<double>(all), slack = 5 * std::sqrt(0.05 * 0.95 / all);
  ::testing::Test::RecordProperty("covered", fmt::format("{:.3f}", share));
  if (all >= 1000) {
    fmt::print("{}: {} of {} runs\n", what, covered, all);
    EXPECT_GE(share, 0.93) << what;
    EXPECT_LE(share, 0.97) << what;
  } else {
    EXPECT_GE(share, 0.95 - slack) << what;
  }
}

MatrixXd with_ones(const MatrixXd& x) {
  MatrixXd out(x.rows(), x.cols() + 1);
  out << x, VectorXd::Ones(x.rows());
  return out;
}

// Least squares, which notes what its line reaches on the population.
template <class Reach>
Attacker line(const Reach& reach) {
  return {"line", [reach](const MatrixXd& learned, const MatrixXd& y, const VectorXd&, std::span<const ReadAs>,
                          const MatrixXd& judged) {
            const MatrixXd slopes = with_ones(learned).householderQr().solve(y);
            reach(slopes);
            return MatrixXd(with_ones(judged) * slopes);
          }};
}

// b = βᵀa + noise of 0 mean and variance s², a standard normal: f = cᵀa + c₀ leaves |β − c|² + c₀² + s² of |β|² + s².
void cover_r2(Index rows, double strength, bool is_heavy, const char* what) {
  int covered = 0;
  const int all = runs(60);
  for (int run = 0; run < all; ++run) {
    Random random(static_cast<unsigned>(1000 + run));
    ProbedTable table{random.matrix(rows, 3), MatrixXd(rows, 1)};
    const VectorXd beta = VectorXd::Constant(3, strength);
    for (Index i = 0; i < rows; ++i)
      table.b(i, 0) = table.a.row(i) * beta + (is_heavy ? random.student(9) * std::sqrt(7.0 / 9) : random.normal());
    double reached = 0;
    int lines = 0;
    ProbeOptions options{.parts = 2};
    options.further.push_back(line([&](const MatrixXd& slopes) {
      const double left = (beta - slopes.col(0).head(3)).squaredNorm() + slopes(3, 0) * slopes(3, 0) + 1;
      reached += 1 - left / (beta.squaredNorm() + 1);
      ++lines;
    }));
    const Probe done = probe(
        table.a, table.b, {"b"}, [](std::span<const Index>) { return testing::unchanged(); }, options);
    const Reading& reading = done.columns[0].after[2];
    reached /= lines;
    covered += reading.low <= reached && reached <= reading.high ? 1 : 0;
  }
  expect_covered(covered, all, what);
}

TEST(ProbeCoverage, R2OfNormalNoise) { cover_r2(500, 0.4, false, "R2, normal noise, 500 rows"); }
TEST(ProbeCoverage, R2OfHeavyTails) { cover_r2(1000, 0.8, true, "R2, heavy tails, 1000 rows"); }

// a given b is normal with mean δ b and variance 1: f = cᵀa orders a pair rightly with probability Φ(cᵀδ / (√2 |c|)).
void cover_auc(Index rows, double share, double distance, const char* what) {
  int covered = 0;
  const int all = runs(60);
  for (int run = 0; run < all; ++run) {
    Random random(static_cast<unsigned>(2000 + run));
    ProbedTable table{random.matrix(rows, 3), MatrixXd(rows, 1)};
    const VectorXd delta = VectorXd::Constant(3, distance);
    for (Index i = 0; i < rows; ++i) {
      table.b(i, 0) = random.uniform(0, 1) < share ? 1.0 : 0.0;
      table.a.row(i) += table.b(i, 0) * delta.transpose();
    }
    double reached = 0;
    int lines = 0;
    ProbeOptions options{.parts = 2};
    options.further.push_back(line([&](const MatrixXd& slopes) {
      const VectorXd c = slopes.col(0).head(3);
      reached += 0.5 * std::erfc(-c.dot(delta) / c.norm() / 2);
      ++lines;
    }));
    const Probe done = probe(
        table.a, table.b, {"b"}, [](std::span<const Index>) { return testing::unchanged(); }, options);
    if (done.columns.empty()) continue;
    const Reading& reading = done.columns[0].after[2];
    reached /= lines;
    covered += reading.low <= reached && reached <= reading.high ? 1 : 0;
  }
  expect_covered(covered, all, what);
}

TEST(ProbeCoverage, AucOfHalves) { cover_auc(500, 0.5, 0.4, "AUC .69, halves, 500 rows"); }
TEST(ProbeCoverage, AucOfNothing) { cover_auc(500, 0.5, 0, "AUC .5, halves, 500 rows"); }
TEST(ProbeCoverage, AucOfNothingOfARareLevel) { cover_auc(2000, 0.1, 0, "AUC .5, one row in 10, 2000 rows"); }
TEST(ProbeCoverage, AucOfLittle) { cover_auc(1000, 0.5, 0.08, "AUC .54, halves, 1000 rows"); }
TEST(ProbeCoverage, AucOfARareLevel) { cover_auc(2000, 0.05, 0.8, "AUC .84, one row in 20, 2000 rows"); }

// How often each leak is found at 2,000 rows.
TEST(ProbePower, FindsBothLeaks) {
  if (runs(0) == 0) GTEST_SKIP() << "probe_test.cpp has a light form";
  int squares = 0, indicators = 0;
  const int all = std::min(runs(0), 100);
  for (int run = 0; run < all; ++run) {
    Random random(static_cast<unsigned>(run));
    const ProbedTable squared = testing::squared_table(random, 2000),
                      indicator = testing::indicator_table(random, 2000);
    squares += testing::is_found(probe(squared.a, squared.b, {"b"}, testing::refitted(squared))) ? 1 : 0;
    indicators += testing::is_found(probe(indicator.a, indicator.b, {"b"}, testing::refitted(indicator))) ? 1 : 0;
  }
  fmt::print("the square is found in {} of {} runs, the indicator in {}\n", squares, all, indicators);
  EXPECT_GE(squares, all * 95 / 100);
  EXPECT_GE(indicators, all * 95 / 100);
}

}  // namespace
}  // namespace plumbline
