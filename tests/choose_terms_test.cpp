#include "debias/choose_terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "message_of.h"
#include "plumbline/error.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::max_correlation;
using testing::message_of;
using testing::Random;
using testing::span_of;
using testing::VectorXd;
using Names = std::vector<std::string>;

constexpr ExpansionOptions kAutomatic = {.automatic = true};

Names numbered(const char* letter, Index count) {
  Names names;
  for (Index j = 0; j < count; ++j) names.push_back(letter + std::to_string(j));
  return names;
}

// Features that are a line in b, and noise that is correlated.
struct Line {
  explicit Line(unsigned seed, Index rows = 0) : random(seed) {
    n = rows > 0 ? rows : random.integer(150, 1500);
    p = random.integer(1, 4);
    q = random.integer(1, 12);
    b = random.matrix(n, p) * random.matrix(p, p);
    if (p > 1) b.col(p - 1) = (b.col(p - 1).array() > 0.3).cast<double>();
    a = b * random.matrix(p, q) + random.matrix(n, q) * random.matrix(q, q);
  }

  Random random;
  Index n, p, q;
  MatrixXd a, b;
};

ChosenTerms chosen(const MatrixXd& a, const MatrixXd& b, const ExpansionOptions& options = kAutomatic,
                   std::span<const double> weights = {}) {
  const Expansion phi = Expansion::fit(b, numbered("b", b.cols()), options, weights);
  Moments moments(numbered("a", a.cols()), phi.names());
  moments.update(a, phi.transform(b, weights), {1, weights});
  return choose_terms(moments, phi, weight_of_row(weights), term_rows(a, b, weights));
}

Names entered(const ChosenTerms& terms) {
  Names out;
  for (const TermTest& test : terms.tests)
    if (test.enters) out.push_back(test.name);
  return out;
}

// Of 500 tables 5 are expected to let something in if χ² holds exactly; more than 14 in 1 of 5,000 runs.
constexpr int kTables = 500, kMostWrong = 14;

TEST(ChooseTerms, NothingEntersWhereBActsAlongALine) {
  int wrong = 0, tests = 0;
  for (unsigned seed = 0; seed < kTables; ++seed) {
    const Line line(seed);
    const ChosenTerms terms = chosen(line.a, line.b);
    tests += static_cast<int>(terms.tests.size());
    wrong += entered(terms).empty() ? 0 : 1;
  }
  EXPECT_GT(tests, kTables);
  EXPECT_LE(wrong, kMostWrong);
}

TEST(ChooseTerms, ASpreadThatChangesWithBIsNoBend) {
  int wrong = 0, by_moments = 0;
  for (unsigned seed = 0; seed < kTables; ++seed) {
    Line line(seed);
    line.b.col(0) = line.random.matrix(line.n, 1);
    MatrixXd noise = line.random.matrix(line.n, line.q);
    for (Index j = 0; j < line.q; ++j)
      noise.col(j).array() *= (line.random.uniform(-0.5, 0.5) * line.b.col(0).array()).exp();
    line.a = line.b * line.random.matrix(line.p, line.q) + noise * line.random.matrix(line.q, line.q);
    wrong += entered(chosen(line.a, line.b)).empty() ? 0 : 1;
    const Expansion phi = Expansion::fit(line.b, numbered("b", line.p), kAutomatic);
    Moments moments(numbered("a", line.q), phi.names());
    moments.update(line.a, phi.transform(line.b));
    by_moments += entered(choose_terms(moments, phi)).empty() ? 0 : 1;
  }
  EXPECT_LE(wrong, kMostWrong);
  EXPECT_GT(by_moments, 4 * kMostWrong) << "which moments alone cannot tell";
}

TEST(ChooseTerms, UnequalWeightsCountAsFewerRowsInAnyUnit) {
  int wrong = 0;
  for (unsigned seed = 0; seed < kTables; ++seed) {
    Line line(seed);
    VectorXd weights(line.n);
    for (double& w : weights) w = std::exp(line.random.normal());
    const Names names = entered(chosen(line.a, line.b, kAutomatic, span_of(weights)));
    wrong += names.empty() ? 0 : 1;
    if (seed % 50 > 0) continue;
    weights *= 1e-3;
    EXPECT_EQ(entered(chosen(line.a, line.b, kAutomatic, span_of(weights))), names) << seed;
  }
  EXPECT_LE(wrong, kMostWrong);
}

TEST(ChooseTerms, ABendIsFoundAndOnlyWhereItIs) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Line line(seed, 3000);
    line.b = line.random.matrix(line.n, line.p);
    const Index bent = line.random.integer(0, line.p - 1), feature = line.random.integer(0, line.q - 1);
    const double spread = std::sqrt(line.a.col(feature).squaredNorm() / static_cast<double>(line.n));
    line.a.col(feature) += spread * line.b.col(bent).cwiseAbs2();
    const Names names = entered(chosen(line.a, line.b));
    EXPECT_NE(std::find(names.begin(), names.end(), "b" + std::to_string(bent)), names.end()) << seed;
    EXPECT_LE(names.size(), 2U) << seed;
    const ExpansionOptions squares = {.powers = 2, .automatic = true};
    const Fit fitted = fit(line.a, line.b, {}, {.expand = squares});
    const MatrixXd left = fitted.model.apply(line.a, line.b);
    EXPECT_LE(max_correlation(left, line.b.col(bent).cwiseAbs2()), 1e-9) << seed;
    EXPECT_LE(max_correlation(left, line.b), 1e-9) << seed;
  }
}

TEST(ChooseTerms, AnInteractionIsFound) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Line line(seed, 2000);
    line.b = line.random.matrix(line.n, 3);
    line.a.col(0) += 2 * std::sqrt(line.a.col(0).squaredNorm() / static_cast<double>(line.n)) *
                     line.b.col(0).cwiseProduct(line.b.col(2));
    const Names names = entered(chosen(line.a, line.b));
    EXPECT_NE(std::find(names.begin(), names.end(), "b0*b2"), names.end()) << seed;
  }
}

// Terms of any kind, of which some enter.
struct Bent : Line {
  explicit Bent(unsigned seed) : Line(seed) {
    options.powers = static_cast<int>(random.integer(1, 3));
    options.knots = random.integer(0, 1) == 1 ? 5 : 0;
    options.bins = random.integer(0, 1) == 1 ? 4 : 0;
    options.interactions = random.integer(0, 1) == 1;
    if (p > 2) options.one_hot = {p - 1};
    a.col(0) += 3 * std::sqrt(a.col(0).squaredNorm() / static_cast<double>(n)) * b.col(0).cwiseAbs2();
    phi = Expansion::fit(b, numbered("b", p), options);
    moments = Moments(numbered("a", q), phi.names());
    moments.update(a, phi.transform(b));
  }

  ExpansionOptions options = kAutomatic;
  Expansion phi;
  Moments moments;
};

class ChosenTermsLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Bent bent{GetParam()};
  ChosenTerms terms = choose_terms(bent.moments, bent.phi);
};

TEST_P(ChosenTermsLaw, MomentsAndOutputsAreThoseOfTheTermsAlone) {
  const MatrixXd all = bent.phi.transform(bent.b);
  const MatrixXd some = terms.expansion.transform(bent.b);
  const Names& names = terms.moments.sensitive_names();
  ASSERT_EQ(some.cols(), static_cast<Index>(names.size()));
  for (std::size_t j = 0; j < names.size(); ++j) {
    const auto at = std::find(bent.phi.names().begin(), bent.phi.names().end(), names[j]);
    ASSERT_NE(at, bent.phi.names().end());
    EXPECT_TRUE(some.col(Index(j)) == all.col(at - bent.phi.names().begin())) << names[j];
  }
  Moments alone(numbered("a", bent.q), names);
  alone.update(bent.a, some);
  EXPECT_EQ(alone, terms.moments);
}

TEST_P(ChosenTermsLaw, PartsMergedAreTheWhole) {
  const Index cut = bent.random.integer(1, bent.n - 1);
  Moments first(numbered("a", bent.q), bent.phi.names()), second = first;
  first.update(bent.a.topRows(cut), bent.phi.transform(bent.b.topRows(cut)));
  second.update(bent.a.bottomRows(bent.n - cut), bent.phi.transform(bent.b.bottomRows(bent.n - cut)));
  first.merge(second);
  const ChosenTerms merged = choose_terms(first, bent.phi);
  ASSERT_EQ(merged.tests.size(), terms.tests.size());
  EXPECT_EQ(merged.expansion, terms.expansion);
  for (std::size_t i = 0; i < terms.tests.size(); ++i) {
    EXPECT_EQ(merged.tests[i].enters, terms.tests[i].enters);
    EXPECT_EQ(merged.tests[i].directions, terms.tests[i].directions);
    EXPECT_NEAR(merged.tests[i].statistic, terms.tests[i].statistic, 1e-5 * (1 + terms.tests[i].statistic));
  }
}

TEST_P(ChosenTermsLaw, WholeWeightsAreRepeatedRows) {
  VectorXd weights(bent.n);
  std::vector<Index> rows;
  for (Index i = 0; i < bent.n; ++i) {
    weights[i] = static_cast<double>(bent.random.integer(0, 3));
    rows.insert(rows.end(), static_cast<std::size_t>(weights[i]), i);
  }
  const Fit weighted = fit(bent.a, bent.b, {}, {.expand = bent.options, .weights = span_of(weights)});
  const MatrixXd a = bent.a(rows, Eigen::all), b = bent.b(rows, Eigen::all);
  const Fit repeated = fit(a, b, {}, {.expand = bent.options});
  EXPECT_EQ(weighted.model.parts().sensitive_names, repeated.model.parts().sensitive_names);
  const MatrixXd by_weight = weighted.model.apply(bent.a, bent.b), by_rows = repeated.model.apply(bent.a, bent.b);
  EXPECT_LE((by_weight - by_rows).cwiseAbs().maxCoeff(), 1e-8 * by_rows.cwiseAbs().maxCoeff());
}

TEST_P(ChosenTermsLaw, AModelReadBackGivesTheSameBits) {
  for (const Mode mode : {Mode::aware, Mode::blind}) {
    const Fit fitted = fit(bent.a, bent.b, {.mode = mode}, {.expand = bent.options});
    const Fit read = Fit::from_json(fitted.to_json());
    EXPECT_EQ(read.model, fitted.model);
    EXPECT_EQ(read.to_json(), fitted.to_json());
    const MatrixXd none(bent.n, 0);
    const Columns b = mode == Mode::aware ? Columns(bent.b) : Columns(none);
    EXPECT_TRUE(read.model.apply(bent.a, b) == fitted.model.apply(bent.a, b));
    EXPECT_EQ(read.certificate.notes, fitted.certificate.notes);
  }
}

TEST_P(ChosenTermsLaw, NewRowsAreTransformedAsByHand) {
  const Fit fitted = fit(bent.a, bent.b, {}, {.expand = bent.options});
  MatrixXd b = bent.b.colwise().reverse() * 1.5;  // beyond the rows of the fit, too
  for (const Index code : bent.options.one_hot) b.col(code) = bent.b.col(code);
  const MatrixXd a = 10 * bent.random.matrix(bent.n, bent.q);
  AffineParts parts = fitted.model.parts();
  const MatrixXd phi = parts.expansion->transform(b);
  parts.expansion.reset();
  EXPECT_TRUE(fitted.model.apply(a, b) == AffineModel(parts).apply(a, phi));
}

TEST_P(ChosenTermsLaw, ThreadsLeaveNoTrace) {
  const Fit one = fit(bent.a, bent.b, {}, {.expand = bent.options, .threads = 1});
  EXPECT_EQ(one.to_json(), fit(bent.a, bent.b, {}, {.expand = bent.options, .threads = 3}).to_json());
}

INSTANTIATE_TEST_SUITE_P(Random, ChosenTermsLaw, ::testing::Range(0U, 20U));

TEST(ChooseTerms, WhereNothingEntersTheFitIsThatOfBItself) {
  int same = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Line line(seed);
    const Fit plain = fit(line.a, line.b), gated = fit(line.a, line.b, {}, {.expand = kAutomatic});
    AffineParts parts = gated.model.parts();
    if (!parts.expansion->groups().empty()) continue;
    ++same;
    parts.expansion.reset();
    EXPECT_EQ(AffineModel(parts), plain.model) << seed;
    EXPECT_TRUE(gated.model.apply(line.a, line.b) == plain.model.apply(line.a, line.b)) << seed;
    EXPECT_EQ(gated.certificate.notes.size(), plain.certificate.notes.size() + 1);
    EXPECT_NE(gated.certificate.notes[0].find("none enters"), std::string::npos) << gated.certificate.notes[0];
  }
  EXPECT_GE(same, 25);
}

// What a row's prediction Σ ã would be, had its b been another: the mean of its change over pairs of rows, for a world
// a = f(b) + noise that is known.
double exact_gap(const std::optional<ExpansionOptions>& expand, double bend, unsigned seed) {
  Random random(seed);
  const Index n = 5000;
  const MatrixXd b = random.matrix(n, 1), noise = random.matrix(n, 3), other = random.matrix(n, 1);
  const auto features = [&](const MatrixXd& of_b) -> MatrixXd {
    return of_b * Eigen::RowVector3d(1, 0.5, -1) + bend * of_b.cwiseAbs2() * Eigen::RowVector3d(1, 0, 0) + noise;
  };
  const Fit fitted = fit(features(b), b, {}, {.expand = expand});
  const MatrixXd change = fitted.model.apply(features(other), other) - fitted.model.apply(features(b), b);
  return change.rowwise().sum().cwiseAbs().mean();
}

TEST(ChooseTerms, GapsAreThoseOfTheBetterChoice) {
  double line = 0, splines = 0, chosen_line = 0, bent_line = 0, bent_splines = 0, chosen_bent = 0;
  const ExpansionOptions all = {.knots = 5};
  for (unsigned seed = 0; seed < 20; ++seed) {
    line += exact_gap(std::nullopt, 0, seed);
    splines += exact_gap(all, 0, seed);
    chosen_line += exact_gap(kAutomatic, 0, seed);
    bent_line += exact_gap(std::nullopt, 0.5, seed);
    bent_splines += exact_gap(all, 0.5, seed);
    chosen_bent += exact_gap(kAutomatic, 0.5, seed);
  }
  EXPECT_GT(splines, 1.5 * line);
  EXPECT_LE(chosen_line, 1.1 * line);
  EXPECT_GT(bent_line, 3 * bent_splines);
  EXPECT_LE(chosen_bent, 1.1 * bent_splines);
}

TEST(ChooseTerms, ManyColumnsAreTestedAndKeepTheirDigits) {
  Random random(3);
  MatrixXd b = random.matrix(2000, 70);
  MatrixXd a = b * random.matrix(70, 3) + 30 * random.matrix(2000, 3);
  a.col(1) += 30 * b.col(40).cwiseAbs2();
  const Fit fitted = fit(a, b, {}, {.expand = ExpansionOptions{.powers = 2, .automatic = true}});
  ASSERT_TRUE(fitted.model.parts().expansion);
  EXPECT_EQ(fitted.model.parts().expansion->groups().size(), 1U);
  EXPECT_EQ(fitted.model.parts().sensitive_names[41], "b40^2");
  EXPECT_LE(max_correlation(fitted.model.apply(a, b), b.col(40).cwiseAbs2()), 1e-7);
}

TEST(ChooseTerms, ConstantsCopiesAndFewRowsAreNoTrouble) {
  Random random(1);
  MatrixXd b = random.matrix(50, 3);
  b.col(1).setConstant(4);
  b.col(2) = b.col(0);
  MatrixXd a = random.matrix(50, 5);
  a.col(1).setConstant(2);
  a.col(2) = a.col(0);
  a.col(3) = b.col(0);
  EXPECT_EQ(entered(chosen(a, b)), Names());
  EXPECT_NO_THROW(fit(a, b, {}, {.expand = kAutomatic}));
  EXPECT_EQ(entered(chosen(random.matrix(20, 60), random.matrix(20, 1))), Names()) << "more features than rows";
  for (const Index n : {1, 2, 3, 4, 5}) EXPECT_EQ(entered(chosen(random.matrix(n, 2), random.matrix(n, 1))), Names());
}

TEST(ChooseTerms, CrossMomentsAndOtherColumnsAreRefused) {
  const Bent bent(2);
  EXPECT_NE(message_of([&] { choose_terms(bent.moments.cross(), bent.phi); }).find("cross-only"), std::string::npos);
  const Moments other(bent.q, bent.p);
  EXPECT_NE(message_of([&] { choose_terms(other, bent.phi); }).find("outputs of the expansion"), std::string::npos);
  const FitOptions sob = {.method = Method::sob, .rank = Rank::count(1), .sob = {.form = SobForm::matrix_free}};
  EXPECT_NE(message_of([&] { fit(bent.a, bent.b, sob, {.expand = kAutomatic}); }).find("use gram"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
