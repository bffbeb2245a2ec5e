// The theory's experiment: its models, the corrected lemma, and what the page says of both.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <sstream>

#include "paper/claims.h"
#include "paper/figures.h"
#include "paper/reconstruction.h"
#include "paper/results_page.h"
#include "paper/theory_page.h"
#include "paper/theory_scm.h"
#include "plumbline/error.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::VectorXd;

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

double correlation(const VectorXd& x, const VectorXd& y) {
  const VectorXd u = x.array() - x.mean(), v = y.array() - y.mean();
  return u.dot(v) / (u.norm() * v.norm());
}

TEST(TheoryScm, KeepingBKeepsTheFeatures) {
  for (const TheoryScm scm : theory_scms()) {
    const TheoryRows rows = theory_rows(scm, 3, 17, 50);
    EXPECT_EQ(TheoryCounterfactuals(scm, rows.noise).features(rows.sample.b), rows.sample.a) << name_of(scm);
    EXPECT_THROW(TheoryCounterfactuals(scm, rows.noise).features(rows.sample.b.topRows(49)), Error);
    EXPECT_THROW(theory_rows(scm, 3, -1, 50), Error);
  }
}

TEST(TheoryScm, RowsDoNotDependOnTheBlock) {
  for (const TheoryScm scm : theory_scms()) {
    const TheoryRows all = theory_rows(scm, 5, 0, 2100), some = theory_rows(scm, 5, 1000, 1100);
    EXPECT_EQ(some.sample.b, all.sample.b.bottomRows(1100)) << name_of(scm);
    EXPECT_LT((some.sample.a - all.sample.a.bottomRows(1100)).cwiseAbs().maxCoeff(), 1e-12) << name_of(scm);
  }
}

TEST(TheoryScm, BHasMeanZeroAndVarianceOne) {
  for (const TheoryScm scm : theory_scms()) {
    const MatrixXd b = theory_rows(scm, 1, 0, 100'000).sample.b;
    EXPECT_LT(b.colwise().mean().cwiseAbs().maxCoeff(), 0.02) << name_of(scm);
    EXPECT_LT((b.colwise().squaredNorm().array() / 1e5 - 1).abs().maxCoeff(), 0.06) << name_of(scm);
  }
}

// One law of the data, two causal models. Only in one of them are the noises independent of b.
TEST(TheoryScm, TheStudentModelsDifferInNothingThatDataShow) {
  const TheoryRows shift = theory_rows(TheoryScm::student_t, 2, 0, 20'000);
  const TheoryRows scale = theory_rows(TheoryScm::student_t_scale, 2, 0, 20'000);
  EXPECT_EQ(shift.sample.b, scale.sample.b);
  EXPECT_LT((shift.sample.a - scale.sample.a).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((shift.sample.y - scale.sample.y).cwiseAbs().maxCoeff(), 1e-10);
  const VectorXd size = shift.sample.b.rowwise().norm().array().log();
  EXPECT_GT(correlation(size, shift.noise.rowwise().norm().array().log()), 0.1);
  EXPECT_LT(std::abs(correlation(size, scale.noise.rowwise().norm().array().log())), 0.03);
}

TEST(Reconstruction, TheCorrectedLemmaIsAnIdentity) {
  Random random(11);
  for (const auto& [n, q] : {std::pair<Index, Index>{9, 1}, {12, 5}, {60, 8}, {300, 12}}) {
    const VectorXd b = random.matrix(n, 1);
    const MatrixXd a = b * random.matrix(1, q) + random.matrix(n, q) * random.matrix(q, q);
    const MatrixXd centred = a.rowwise() - a.colwise().mean();
    const VectorXd line = (b.array() - b.mean()).matrix().normalized();
    const Eigen::JacobiSVD<MatrixXd> svd(centred, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const std::vector<Reconstruction> by_rank = reconstructions(a, b);
    ASSERT_EQ(static_cast<Index>(by_rank.size()), q);
    for (Index k = 1; k <= q; ++k) {
      const Reconstruction& at = by_rank[static_cast<std::size_t>(k - 1)];
      const MatrixXd u = svd.matrixV().leftCols(k), kept = centred * u * u.transpose();
      const double direct = (centred - (kept - line * (line.transpose() * kept))).squaredNorm() / centred.squaredNorm();
      EXPECT_NEAR(at.paper, direct, 1e-9) << n << ' ' << q << ' ' << k;
      EXPECT_NEAR(at.lemma, at.paper, 1e-9) << n << ' ' << q << ' ' << k;
      EXPECT_LE(at.optimal, at.paper + 1e-9);
      EXPECT_LE(at.lemma, at.printed_squared + 1e-12);
      EXPECT_LE(at.printed_squared, at.printed + 1e-12);
      EXPECT_LE(at.paper, 1 + 1e-12);
      if (k == 1) {
        EXPECT_NEAR(at.printed_squared, at.lemma, 1e-12);
      }
      if (k > 1) {
        EXPECT_GT(at.printed_squared, at.lemma + 1e-6);
        EXPECT_LE(at.optimal, by_rank[static_cast<std::size_t>(k - 2)].optimal + 1e-9);
      }
    }
    EXPECT_NEAR(by_rank.back().optimal, by_rank.back().paper, 1e-9);
  }
}

TEST(Reconstruction, ShapesThatDisagreeAreRefused) {
  Random random(12);
  EXPECT_THROW(reconstructions(random.matrix(5, 5), random.matrix(5, 1)), Error);
  EXPECT_THROW(reconstructions(random.matrix(9, 2), random.matrix(8, 1)), Error);
  EXPECT_THROW(reconstructions(random.matrix(9, 2), VectorXd::Ones(9)), Error);
}

double value_of(const Reproduction& run, std::string_view method, std::string_view metric,
                std::optional<Index> rank = {}) {
  for (const Record& record : run.records)
    if (record.method == method && record.metric == metric && record.rank == rank) return record.value;
  ADD_FAILURE() << method << ' ' << metric;
  return 0;
}

// What the theorem promises, where b only shifts the features, elliptical or not.
void expect_roots(const Reproduction& run) {
  for (const char* method :
       {"OB[gaussian]", "OB[student-t]", "OB[skewed]", "OB[powers][gaussian]", "OB[powers][squares]"}) {
    EXPECT_GT(value_of(run, method, "slope"), -0.6) << method;
    EXPECT_LT(value_of(run, method, "slope"), -0.4) << method;
  }
}

void expect_unawareness_does_not_fall(const Reproduction& run) {
  for (const TheoryScm scm : theory_scms()) {
    const std::string method = theory_method("FTU", name_of(scm));
    EXPECT_NEAR(value_of(run, method, "slope"), 0, 0.05) << method;
    EXPECT_GT(value_of(run, method, "CF_exact@64000"), 0.1) << method;
  }
}

// Same data, other causes: the scale of the noises is out of reach of whoever removes means. And what is not linear in
// b stays, but for what an expansion can express.
void expect_floors(const Reproduction& run) {
  const auto last = [&](const char* method) { return value_of(run, method, "CF_exact@64000"); };
  for (const char* method :
       {"OB[student-t-scale]", "OB[powers][student-t-scale]", "OB[squares]", "OB[hinge]", "OB[powers][hinge]"}) {
    EXPECT_GT(value_of(run, method, "slope"), -0.15) << method;
    EXPECT_GT(last(method), 0.8 * value_of(run, method, "CF_exact@16000")) << method;
    EXPECT_GT(last(method), 10 * last("OB[gaussian]")) << method;
  }
  EXPECT_LT(last("OB[powers][hinge]"), 0.7 * last("OB[hinge]"));
}

void expect_lemma(const Reproduction& run) {
  for (Index k = 1; k <= 8; ++k) {
    const auto at = [&](const char* method) { return value_of(run, method, "distance", k); };
    EXPECT_NEAR(at("lemma"), at("OB[paper basis]"), 1e-9) << k;
    EXPECT_LE(at("OB[optimal basis]"), at("OB[paper basis]") + 1e-9) << k;
    EXPECT_LE(at("lemma"), at("lemma[printed squared]") + 1e-12) << k;
    EXPECT_LE(at("lemma[printed squared]"), at("lemma[printed]") + 1e-12) << k;
  }
}

// One test for all: a run takes seconds.
TEST(TheoryRuns, RootsFloorsAndTheLemmaHoldForEverySeed) {
  for (const std::uint32_t seed : {0U, 1U, 2U}) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Reproduction run = reproduce({&kTheoryExperiment}, {.seed = seed});
    expect_roots(run);
    expect_unawareness_does_not_fall(run);
    expect_floors(run);
    expect_lemma(run);
  }
}

void expect_claims(const Reproduction& run) {
  std::vector<std::optional<bool>> answers;
  for (const Claim& claim : claims_of("theory", run.of("theory"))) {
    EXPECT_FALSE(claim.in_print || claim.as_published) << claim.text;
    answers.push_back(claim.sound);
  }
  EXPECT_EQ(answers, (std::vector<std::optional<bool>>{true, true, false, false, false, false}));
}

// The fields of the line that starts like this, between separators.
std::vector<std::string> fields(const std::string& text, const std::string& start, char separator) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(start)) continue;
    std::vector<std::string> out;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, separator);) out.push_back(cell);
    return out;
  }
  return {};
}

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

void expect_every_cell(const Reproduction& run) {
  const std::string page = results_page(run, {"theory.svg", "theory-lemma.svg"});
  const RecordList records = run.of("theory");
  const std::string gaps = theory_gap_csv(records), distances = theory_distance_csv(records);
  EXPECT_TRUE(has(page, "(theory.svg)") && has(page, "(theory-lemma.svg)"));
  for (const Record* record : records) {
    const std::size_t open = record->method.rfind('[');
    const std::string method = record->method.substr(0, open), full = figure_number(record->value);
    const std::string text = ' ' + value_text(record) + ' ';
    if (record->rank) {
      const std::string k = std::to_string(*record->rank);
      EXPECT_TRUE(contains(fields(page, "| " + k + " |", '|'), text)) << record->method << ' ' << k;
      EXPECT_TRUE(contains(fields(distances, k + ',', ','), full)) << record->method << ' ' << k;
    } else {
      const std::string model = record->method.substr(open + 1, record->method.size() - open - 2);
      const auto line = fields(page, fmt::format("| {} | `{}` |", model, method), '|');
      EXPECT_TRUE(contains(line, text)) << record->method << ' ' << record->metric;
      EXPECT_TRUE(contains(fields(gaps, fmt::format("{},{},", model, method), ','), full)) << record->method;
      ASSERT_TRUE(record->note) << record->method;
      EXPECT_TRUE(contains(line, ' ' + note_link(*record->note) + ' ')) << record->method;
    }
    ASSERT_TRUE(record->note) << record->method;
    EXPECT_TRUE(has(page, fmt::format("<a id=\"note-{}\">", *record->note)));
  }
  EXPECT_EQ(std::count(gaps.begin(), gaps.end(), '\n'), 1 + 3 * static_cast<long>(theory_scms().size()));
  EXPECT_EQ(std::count(distances.begin(), distances.end(), '\n'), 1 + 8);
}

void expect_figures_of_their_data(const Reproduction& run) {
  const RecordList records = run.of("theory");
  int drawn = 0;
  ASSERT_EQ(figure_kinds(kTheoryExperiment).size(), 2u);
  for (const FigureKind& kind : figure_kinds(kTheoryExperiment)) {
    const std::string csv = kind.csv(records);
    std::istringstream script(kind.script(kTheoryExperiment, records));
    bool is_data = false;
    for (std::string line; std::getline(script, line);) {
      if (line.ends_with("<< EOD") || line == "EOD") {
        is_data = line != "EOD";
        continue;
      }
      if (!is_data) continue;
      EXPECT_TRUE(has(csv, ',' + line.substr(line.find(' ') + 1))) << line;
      ++drawn;
    }
  }
  EXPECT_EQ(drawn, 3 * 5 * static_cast<int>(theory_scms().size()) + 5 * 8);
}

TEST(TheoryRuns, ClaimsPageAndFilesAreOfTheRunForAnyNumberOfThreads) {
  int steps = 0;
  const auto progress = [&](std::uint64_t, std::uint64_t) { ++steps; };
  const Reproduction run = reproduce({&kTheoryExperiment}, {.threads = 3, .progress = progress});
  EXPECT_EQ(steps, kTheoryExperiment.load({})->steps());
  EXPECT_EQ(records_json(reproduce({&kTheoryExperiment}, {.threads = 1}).records), records_json(run.records));
  expect_claims(run);
  expect_every_cell(run);
  expect_figures_of_their_data(run);
}

TEST(Figures, AnExperimentWithoutItsOwnHasOne) {
  ASSERT_EQ(figure_kinds(kLoanExperiment).size(), 1u);
  EXPECT_EQ(figure_name(kLoanExperiment, figure_kinds(kLoanExperiment)[0]), "loan");
  EXPECT_EQ(figure_name(kTheoryExperiment, figure_kinds(kTheoryExperiment)[1]), "theory-lemma");
}

}  // namespace
}  // namespace plumbline
