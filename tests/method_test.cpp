// The laws of the methods: what each of them is in terms of the others, and what they promise out of sample.
#include "methods/method.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "methods/group_mapping.h"
#include "metrics/counterfactual.h"
#include "random_people.h"
#include "reference_algebra.h"

namespace plumbline {
namespace {

using Eigen::VectorXi;
using testing::largest;
using testing::least_squares;
using testing::MatrixXd;
using testing::message_of;
using testing::permuted;
using testing::Random;
using testing::random_order;
using testing::random_people;
using testing::VectorXd;

// Chains that are long enough for the laws, which hold for any.
MethodOptions quick() {
  MethodOptions options;
  options.scm.warmup = 20;
  options.scm.draws = 20;
  options.scm.thin = 1;
  return options;
}

class MethodLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  VectorXd predictions(const char* name, const MethodOptions& options = quick()) const {
    return fit_method(name, training, options)->predict(later.a, later.s);
  }
  double gap(const char* name, Mapping kind) const {
    return counterfactual_gap(
        counterfactual_predictions(*fit_method(name, training, quick()), mapping, kind, later.a, later.s));
  }

  Random random{GetParam()};
  int levels = static_cast<int>(random.integer(2, 5));
  Index q = random.integer(1, 5);
  // One population, cut in two: later rows are of the same groups.
  Sample all = random_people(random, 700, q, levels);
  Sample training{all.a.topRows(500), all.s.head(500), all.y.head(500), levels};
  Sample later{all.a.bottomRows(200), all.s.tail(200), all.y.tail(200), levels};
  GroupMapping mapping{training.a, training.s, levels};
};

TEST_P(MethodLaw, SoundOrthogonalizationOfGroupsIsFlap) {
  EXPECT_LE(largest(predictions("OB_2") - predictions("FLAP_2(O)")), 1e-8);
  EXPECT_LE(largest(predictions("OB_1") - predictions("FLAP_1(O)")), 1e-8);
  EXPECT_LE(largest(predictions("FL") - predictions("FLAP_2(O)")), 1e-8);
}

// With a bound that does not bind, and as many components as features, nothing of the residual is lost.
TEST_P(MethodLaw, SparseOrthogonalizationThatIsNotSparseIsTheSame) {
  MethodOptions options;
  options.rank = Rank::count(q);
  options.sob.l1_bound = 10;
  options.sob.tolerance = 1e-12;
  options.sob.max_iterations = 100000;
  EXPECT_LE(largest(predictions("SOB_2", options) - predictions("OB_2")), 1e-5);
  EXPECT_LE(largest(predictions("SOB_1", options) - predictions("OB_1")), 1e-5);
}

TEST_P(MethodLaw, AveragesAreWhatTheySay) {
  const auto ml = fit_method("ML", training), eo = fit_method("EO", training);
  VectorXd averaged = VectorXd::Zero(later.rows()), twice = averaged;
  for (int g = 0; g < levels; ++g) {
    averaged += mapping.shares()[g] * ml->predict(later.a, VectorXi::Constant(later.rows(), g));
    twice += mapping.shares()[g] * eo->predict(mapping.to(Mapping::orthogonal, later.a, later.s, g), later.s);
  }
  EXPECT_LE(largest(predictions("EO") - averaged), 1e-12);
  EXPECT_LE(largest(predictions("AA") - twice), 1e-12);
}

TEST_P(MethodLaw, FtuAndEoDoNotLookAtTheGroup) {
  EXPECT_EQ(gap("FTU", Mapping::none), 0);
  EXPECT_EQ(gap("EO", Mapping::none), 0);
}

TEST_P(MethodLaw, WhatIsOrthogonalHasNoOrthogonalGap) {
  for (const char* name : {"FL", "AA", "FLAP_1(O)", "FLAP_2(O)", "OB_1", "OB_2", "SOB_1", "SOB_2"})
    EXPECT_LE(gap(name, Mapping::orthogonal), 1e-12) << name;
  EXPECT_LE(gap("FL[mcmc]", Mapping::orthogonal), 0.02);  // offsets are drawn, not the groups' means
}

TEST_P(MethodLaw, ARowsPredictionDoesNotDependOnTheRowsBesideIt) {
  const std::vector<Index> order = random_order(random, later.rows());
  for (const std::string& name : method_names()) {
    const auto method = fit_method(name, training, quick());
    const VectorXd p = method->predict(later.a, later.s);
    EXPECT_LE(largest(method->predict(permuted(later.a, order), permuted(later.s, order)) - permuted(p, order)), 1e-14)
        << name;
    for (const Index i : {Index{0}, Index{77}})
      EXPECT_LE(std::abs(method->predict(later.a.row(i), later.s.segment(i, 1))[0] - p[i]), 1e-14) << name;
  }
}

TEST_P(MethodLaw, NeitherTheOrderOfTrainingRowsNorNamesOfGroupsMatter) {
  const std::vector<Index> order = random_order(random, training.rows()), names = random_order(random, levels);
  const auto renamed = [&](const VectorXi& s) {
    return VectorXi(s.unaryExpr([&](int g) { return static_cast<int>(names[static_cast<std::size_t>(g)]); }));
  };
  const Sample other{permuted(training.a, order), renamed(permuted(training.s, order)), permuted(training.y, order),
                     levels};
  const GroupMapping other_mapping(other.a, other.s, levels);
  for (const std::string& name : method_names()) {
    if (name == "FL[mcmc]") continue;  // its draws are others
    const auto method = fit_method(name, training, quick()), twin = fit_method(name, other, quick());
    const VectorXi s = renamed(later.s);
    const double bound = name.starts_with("SOB") ? 1e-4 : 1e-8;
    EXPECT_LE(largest(method->predict(later.a, later.s) - twin->predict(later.a, s)), bound) << name;
    for (const Mapping kind : {Mapping::none, Mapping::orthogonal, Mapping::marginal})
      EXPECT_NEAR(counterfactual_gap(counterfactual_predictions(*method, mapping, kind, later.a, later.s)),
                  counterfactual_gap(counterfactual_predictions(*twin, other_mapping, kind, later.a, s)), bound)
          << name;
  }
}

TEST_P(MethodLaw, ProbabilitiesStayBetweenZeroAndOne) {
  for (const std::string& name : method_names()) {
    const VectorXd p = predictions(name.c_str());
    EXPECT_TRUE(p.minCoeff() >= 0 && p.maxCoeff() <= 1) << name;
  }
}

TEST_P(MethodLaw, CodedGroupsAreALine) {
  MethodOptions options;
  options.coding = GroupCoding::code;
  const VectorXd code = training.s.cast<double>();
  MatrixXd design(training.rows(), 2);
  design << VectorXd::Ones(training.rows()), code;
  const MatrixXd line = least_squares(design, training.a);
  const VectorXd later_code = later.s.cast<double>();
  const auto residual = [&](const MatrixXd& a, const VectorXd& s) -> MatrixXd { return a - s * line.row(1); };
  const LogisticRegression model = fit_logistic(residual(training.a, code), training.y);
  EXPECT_LE(largest(predictions("OB_2", options) - model.predict(residual(later.a, later_code))), 1e-8);
  if (levels == 2) {
    EXPECT_LE(largest(predictions("OB_2", options) - predictions("OB_2")), 1e-8);
  }
}

TEST_P(MethodLaw, ALevelWithoutTrainingRowsIsRefusedWhereItMatters) {
  Sample wider = training;
  ++wider.levels;
  VectorXi unseen = later.s;
  unseen[5] = levels;
  for (const std::string& name : method_names()) {
    const auto method = fit_method(name, wider, quick());
    if (name != "FL[mcmc]") {  // its draws are others
      const double bound = name.starts_with("SOB") ? 1e-4 : 1e-8;
      EXPECT_LE(largest(method->predict(later.a, later.s) - predictions(name.c_str())), bound) << name;
    }
    const std::string message = message_of([&] { method->predict(later.a, unseen); });
    const bool looks = name != "FTU" && name != "EO";
    EXPECT_EQ(message.find("row 5 is of group") != std::string::npos, looks) << name << ": " << message;
    const MatrixXd p = counterfactual_predictions(*method, GroupMapping(wider.a, wider.s, wider.levels),
                                                  Mapping::marginal, later.a, later.s);
    EXPECT_TRUE(p.leftCols(levels).allFinite() && p.col(levels).array().isNaN().all()) << name;
    EXPECT_TRUE(std::isfinite(counterfactual_gap(p))) << name;
  }
  MethodOptions coded;
  coded.coding = GroupCoding::code;
  EXPECT_TRUE(fit_method("OB_2", wider, coded)->predict(later.a, unseen).allFinite());
}

INSTANTIATE_TEST_SUITE_P(Seeds, MethodLaw, ::testing::Range(1U, 9U));

TEST(Methods, PassOnWhatTheLearnerWarnsOf) {
  Random random(3);
  Sample people = random_people(random, 300, 2, 2);
  EXPECT_TRUE(fit_method("ML", people)->warnings().empty());
  people.y = (people.a.col(0).array() > 0).cast<double>();
  for (const char* name : {"ML", "FTU", "EO", "AA"}) {
    const std::vector<std::string> warnings = fit_method(name, people, quick())->warnings();
    ASSERT_EQ(warnings.size(), 1U) << name;
    EXPECT_NE(warnings[0].find("separated"), std::string::npos);
  }
}

TEST(Methods, TakeAnyLearner) {
  struct Constant final : Predictor {
    explicit Constant(double mean) : value(mean) {}
    VectorXd predict(const MatrixXd& x) const override { return VectorXd::Constant(x.rows(), value); }
    double value;
  };
  Random random(4);
  Sample people = random_people(random, 100, 3, 3);
  people.y = 10 * random.matrix(100, 1);
  MethodOptions options = quick();
  options.learner = [](const MatrixXd&, const VectorXd& y) { return std::make_unique<const Constant>(y.mean()); };
  for (const std::string& name : method_names())
    EXPECT_LE(largest(fit_method(name, people, options)->predict(people.a, people.s).array() - people.y.mean()), 1e-12)
        << name;
}

TEST(Methods, RefuseWhatTheyCannotUse) {
  Random random(5);
  const Sample people = random_people(random, 50, 2, 2);
  const std::string unknown = message_of([&] { fit_method("XX", people); });
  for (const std::string& name : method_names()) EXPECT_NE(unknown.find(name), std::string::npos) << unknown;
  Sample bad = people;
  bad.s[7] = 2;
  EXPECT_NE(message_of([&] { fit_method("ML", bad); }).find("s is 2 in row 7"), std::string::npos);
  bad = people;
  bad.y.conservativeResize(20);
  EXPECT_NE(message_of([&] { fit_method("ML", bad); }).find("y has 20 rows"), std::string::npos);
  MethodOptions none;
  none.learner = nullptr;
  EXPECT_NE(message_of([&] { fit_method("ML", people, none); }).find("learner"), std::string::npos);
  for (const std::string& name : method_names()) {
    const auto method = fit_method(name, people, quick());
    EXPECT_NE(message_of([&] { method->predict(people.a.leftCols(1), people.s); }).find("a has 1 columns"),
              std::string::npos);
    EXPECT_NE(message_of([&] { method->predict(people.a, VectorXi::Constant(50, 9)); }).find("s is 9"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace plumbline
