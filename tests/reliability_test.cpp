// Noise in the sensitive columns, which a fit takes away where it is known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "message_of.h"
#include "plumbline/error.h"
#include "plumbline/fit.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::centred;
using testing::MatrixXd;
using testing::max_correlation;
using testing::message_of;
using testing::Random;
using testing::VectorXd;

double variance(const VectorXd& x) { return (x.array() - x.mean()).square().mean(); }

// Features of a true b, and b as observed: with noise that in these very rows is uncorrelated with all else.
struct Noisy {
  explicit Noisy(unsigned seed) : random(seed) {
    const MatrixXd mixed = random.matrix(n, p) * random.matrix(p, p);
    truth = mixed.rowwise() + 3 * random.matrix(1, p).row(0);
    a = truth * random.matrix(p, q) + 2 * random.matrix(n, q);
    MatrixXd all(n, 2 * p + q);
    all << centred(truth), centred(a), centred(random.matrix(n, p));
    const MatrixXd basis = Eigen::HouseholderQR<MatrixXd>(all).householderQ() * MatrixXd::Identity(n, 2 * p + q);
    b = truth;
    for (Index l = 0; l < p; ++l) {
      const double rho = l == 0 ? random.uniform(0.6, 0.95) : random.uniform(0.9, 1);
      reliability.emplace_back("b" + std::to_string(l), rho);
      b.col(l) += basis.col(p + q + l) * std::sqrt(static_cast<double>(n) * variance(truth.col(l)) * (1 - rho) / rho);
    }
  }

  MatrixXd fair(const FitOptions& options) const { return fit(a, b, options).model.apply(a, b); }

  Random random;
  Index n = random.integer(100, 2000), p = random.integer(1, 3), q = random.integer(2, 8);
  MatrixXd truth, a, b;
  std::vector<std::pair<std::string, double>> reliability;
};

class ReliabilityLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Noisy rows{GetParam()};
  FitOptions known = {.reliability = rows.reliability};
};

TEST_P(ReliabilityLaw, NothingIsLeftOfTheTrueColumns) {
  EXPECT_LE(max_correlation(rows.fair(known), rows.truth), 1e-9);
  known.rank = Rank::count(1);
  EXPECT_LE(max_correlation(rows.fair(known), rows.truth), 1e-9);
  known.method = Method::sob;
  EXPECT_LE(max_correlation(rows.fair(known), rows.truth), 1e-9);
  EXPECT_GT(max_correlation(rows.fair({}), rows.truth), 1e-3) << "of which plain aware mode leaves some";
  EXPECT_LE(
      max_correlation(fit(rows.a, rows.b, {.mode = Mode::blind}).model.apply(rows.a, MatrixXd(rows.n, 0)), rows.truth),
      1e-9)
      << "and blind mode nothing";
}

TEST_P(ReliabilityLaw, TheMapIsThatOfTheTrueColumns) {
  const MatrixXd by_truth = fit(rows.a, rows.truth).model.dense_b(),
                 by_observed = fit(rows.a, rows.b, known).model.dense_b();
  EXPECT_LE((by_truth - by_observed).cwiseAbs().maxCoeff(), 1e-9 * by_truth.cwiseAbs().maxCoeff());
  known.rank = Rank::count(rows.q - 1);
  const Fit one = fit(rows.a, rows.truth, {.rank = known.rank}), two = fit(rows.a, rows.b, known);
  EXPECT_LE((one.model.dense_b() - two.model.dense_b()).cwiseAbs().maxCoeff(), 1e-7 * by_truth.cwiseAbs().maxCoeff());
  EXPECT_LE((one.model.dense_a() - two.model.dense_a()).cwiseAbs().maxCoeff(), 1e-7);
}

TEST_P(ReliabilityLaw, TheCertificateIsOfTheTrueColumns) {
  for (const Rank& rank : {Rank::all(), Rank::count(1)}) {
    known.rank = rank;
    const Fit fitted = fit(rows.a, rows.b, known);
    const Certificate& c = fitted.certificate;
    const MatrixXd fair = fitted.model.apply(rows.a, rows.b);
    EXPECT_TRUE(c.holds());
    EXPECT_LE(c.after.correlation.value, 1e-9);
    EXPECT_NEAR(c.before.correlation.value, max_correlation(rows.a, rows.truth), 1e-9);
    EXPECT_FALSE(c.minimum_change);
    const Certificate measured = certify(fitted.model, rows.a, rows.b);
    EXPECT_LE(measured.after.correlation.value, 1e-9);
    EXPECT_NEAR(measured.change, c.change, 1e-9);
    EXPECT_NEAR(measured.before.correlation.value, c.before.correlation.value, 1e-9);
    if (!rank.is_all()) continue;
    const std::string seen = fmt::format("up to {:.3g} at", max_correlation(fair, rows.b));
    EXPECT_NE(c.notes.at(0).find(seen), std::string::npos) << c.notes.at(0) << " or " << seen;
  }
}

TEST_P(ReliabilityLaw, AModelReadBackIsEqual) {
  const Fit fitted = fit(rows.a, rows.b, known), read = Fit::from_json(fitted.to_json());
  EXPECT_EQ(read.model, fitted.model);
  EXPECT_EQ(read.options.reliability, known.reliability);
  EXPECT_EQ(read.to_json(), fitted.to_json());
  EXPECT_EQ(certify(read.model, rows.a, rows.b).after.correlation.value,
            certify(fitted.model, rows.a, rows.b).after.correlation.value);
}

TEST_P(ReliabilityLaw, FullReliabilityIsNone) {
  for (auto& [name, value] : known.reliability) value = 1;
  EXPECT_EQ(fit(rows.a, rows.b, known).model, fit(rows.a, rows.b).model);
}

INSTANTIATE_TEST_SUITE_P(Random, ReliabilityLaw, ::testing::Range(0U, 20U));

// a = 2 b + ε, b as observed = b + noise of half its variance.
struct Drawn {
  Drawn(Random& random, Index n) : truth(random.matrix(n, 1)), a(n, 3), b(n, 1) {
    a = truth * Eigen::RowVector3d(2, -1, 0.5) + random.matrix(n, 3);
    b = truth + std::sqrt(0.5) * random.matrix(n, 1);
  }
  MatrixXd truth, a, b;
};

TEST(Reliability, BlindModeLosesTheTrueColumnAsRowsGrowAndAwareModeDoesNot) {
  Random random(5);
  double blind = 1;
  for (const Index n : {2'000, 32'000, 512'000}) {
    const Drawn drawn(random, n);
    const double allowed = 6 / std::sqrt(static_cast<double>(n));
    blind =
        max_correlation(fit(drawn.a, drawn.b, {.mode = Mode::blind}).model.apply(drawn.a, MatrixXd(n, 0)), drawn.truth);
    const double aware = max_correlation(fit(drawn.a, drawn.b).model.apply(drawn.a, drawn.b), drawn.truth);
    const FitOptions known = {.reliability = {{"b0", 1 / 1.5}}};
    const double corrected = max_correlation(fit(drawn.a, drawn.b, known).model.apply(drawn.a, drawn.b), drawn.truth);
    EXPECT_LE(blind, allowed) << n;
    EXPECT_LE(corrected, allowed) << n;
    EXPECT_GT(aware, 0.3) << n;
  }
}

TEST(Reliability, NewRowsAreJudgedByTheTrueColumns) {
  Random random(6);
  int within = 0, wrong = 0;
  constexpr int kRuns = 100;
  for (int i = 0; i < kRuns; ++i) {
    const Drawn first(random, 1500), later(random, 1500);
    const auto judge = [&](const FitOptions& options) {
      const Fit fitted = fit(first.a, first.b, options);
      Measurement measurement(fitted.model);
      measurement.update(later.a, later.b);
      return measurement.certificate(1500).within_chance();
    };
    within += judge({.reliability = {{"b0", 1 / 1.5}}}) ? 1 : 0;
    wrong += judge({}) ? 1 : 0;
  }
  EXPECT_GE(within, 94);
  EXPECT_GE(wrong, 94) << "without a reliability b as observed is all that is judged";
}

TEST(Reliability, WhatCannotBeIsRefused) {
  Noisy rows(3);
  const auto message = [&](const FitOptions& options) { return message_of([&] { fit(rows.a, rows.b, options); }); };
  EXPECT_NE(message({.reliability = {{"b0", 0}}}).find("reliability of 'b0' is 0"), std::string::npos);
  EXPECT_NE(message({.reliability = {{"b0", 1.5}}}).find("at most 1"), std::string::npos);
  EXPECT_NE(message({.reliability = {{"b0", std::nan("")}}}).find("nan"), std::string::npos);
  EXPECT_NE(message({.reliability = {{"x", 0.5}}}).find("'x', which is no number among"), std::string::npos);
  EXPECT_NE(message({.reliability = {{"b0", 0.5}, {"b0", 0.6}}}).find("twice"), std::string::npos);
  EXPECT_NE(message({.mode = Mode::blind, .reliability = {{"b0", 0.5}}}).find("leave it out"), std::string::npos);
  EXPECT_NE(message_of([&] {
              fit(rows.a, rows.b, {.reliability = {{"b0", 0.5}}}, {.expand = ExpansionOptions{.automatic = true}});
            }).find("expanded"),
            std::string::npos);

  const MatrixXd alike =
      (MatrixXd(rows.n, 2) << rows.b.col(0), rows.b.col(0) + 0.1 * rows.random.matrix(rows.n, 1)).finished();
  EXPECT_NE(message_of([&] {
              fit(rows.a, alike, {.reliability = {{"b0", 0.5}, {"b1", 0.5}}});
            }).find("too low"),
            std::string::npos);
  const MatrixXd copies = (MatrixXd(rows.n, 2) << rows.b.col(0), rows.b.col(0)).finished();
  EXPECT_NE(message_of([&] {
              fit(rows.a, copies, {.reliability = {{"b0", 0.9}}});
            }).find("too low"),
            std::string::npos);
  const MatrixXd told = rows.b.col(0) + 0.1 * rows.random.matrix(rows.n, 1);
  EXPECT_NE(message_of([&] {
              fit(told, rows.b.col(0), {.reliability = {{"b0", 0.5}}});
            }).find("more than all"),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline
