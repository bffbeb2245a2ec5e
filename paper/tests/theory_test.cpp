// The theory's experiment: its models and the corrected lemma.
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>

#include "paper/results/figures.h"
#include "paper/theory/reconstruction.h"
#include "paper/theory/theory_scm.h"
#include "plumbline/error.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::VectorXd;

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

TEST(Figures, AnExperimentWithoutItsOwnHasOne) {
  ASSERT_EQ(figure_kinds(kLoanExperiment).size(), 1u);
  EXPECT_EQ(figure_name(kLoanExperiment, figure_kinds(kLoanExperiment)[0]), "loan");
  EXPECT_EQ(figure_name(kTheoryExperiment, figure_kinds(kTheoryExperiment)[1]), "theory-lemma");
}

}  // namespace
}  // namespace plumbline
