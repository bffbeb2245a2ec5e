// The statistic of other columns than those that were read.
#include <gtest/gtest.h>

#include <numeric>

#include "message_of.h"
#include "moments_distance.h"
#include "plumbline/moments.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::distance;
using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::span_of;
using testing::VectorXd;
using Kind = Moments::Kind;

class MomentsColumns : public ::testing::TestWithParam<unsigned> {
 protected:
  Moments collected(const MatrixXd& features, Kind kind) const {
    Moments out(features.cols(), b.cols(), kind);
    out.update(features, b, {.weights = is_weighted ? span_of(w) : std::span<const double>()});
    return out;
  }

  Random random{GetParam()};
  Index n = random.integer(20, 9000), p = random.integer(1, 4);
  MatrixXd b = random.matrix(n, p);
  VectorXd w = VectorXd::NullaryExpr(n, [&] { return static_cast<double>(random.integer(0, 3)) / 2; });
  bool is_weighted = random.integer(0, 1) == 0;
};

TEST_P(MomentsColumns, SomeOfTheSensitiveColumnsHaveTheSameNumbers) {
  for (const Kind kind : {Kind::cross, Kind::full}) {
    const MatrixXd a = random.matrix(n, 3), all = b;
    const Moments whole = collected(a, kind);
    std::vector<Index> kept = {random.integer(0, p - 1)};
    for (Index l = kept[0] + 1; l < p; ++l)
      if (random.integer(0, 1) == 0) kept.push_back(l);
    std::vector<std::string> names;
    for (const Index l : kept) names.push_back(whole.sensitive_names()[static_cast<std::size_t>(l)]);
    Moments alone(whole.feature_names(), names, kind);
    alone.update(a, MatrixXd(all(Eigen::all, kept)), {.weights = is_weighted ? span_of(w) : std::span<const double>()});
    EXPECT_EQ(whole.of_sensitive(names), alone);
    EXPECT_EQ(whole.of_sensitive(whole.sensitive_names()), whole);
    EXPECT_NE(message_of([&] { whole.of_sensitive({"x"}); }).find("'x' is not among"), std::string::npos);
    EXPECT_NE(message_of([&] { whole.of_sensitive({"b0", "b0"}); }), "");
  }
}

TEST_P(MomentsColumns, WideningAddsColumnsOfZeros) {
  for (const Kind kind : {Kind::cross, Kind::full}) {
    MatrixXd a = random.matrix(n, 4);
    a.col(1).setZero();
    const Moments wide = collected(a, kind);
    Moments narrow({"a0", "a2", "a3"}, wide.sensitive_names(), kind);
    narrow.update(MatrixXd(a(Eigen::all, std::vector<Index>{0, 2, 3})), b,
                  {.weights = is_weighted ? span_of(w) : std::span<const double>()});
    EXPECT_EQ(narrow.widened(wide.feature_names(), wide.sensitive_names()), wide);
  }
  EXPECT_NE(message_of([] { Moments(2, 1).widened({"a1", "a0"}, {"b0"}); }).find("'a1'"), std::string::npos);
}

TEST_P(MomentsColumns, WideningAddsSensitiveColumnsOfZeros) {
  const MatrixXd a = random.matrix(n, 2);
  MatrixXd more(n, p + 1);
  more << VectorXd::Zero(n), b;
  for (const Kind kind : {Kind::cross, Kind::full}) {
    Moments wide(2, p + 1, kind);
    wide.update(a, more);
    std::vector<std::string> names = wide.sensitive_names();
    names.erase(names.begin());
    Moments narrow(wide.feature_names(), names, kind);
    narrow.update(a, b);
    EXPECT_EQ(narrow.widened(wide.feature_names(), wide.sensitive_names()), wide);
  }
}

// Levels of two categories with a number between them; the levels of each go into fewer columns.
TEST_P(MomentsColumns, MergedIsTheStatisticOfTheSums) {
  const Index first = random.integer(2, 7), second = random.integer(2, 7);
  MatrixXd a(n, first + 1 + second);
  a << random.one_hot(n, first), random.features(b, 1), random.one_hot(n, second);
  std::vector<Index> into;
  const Index left = random.integer(1, first), right = random.integer(1, second);
  for (Index j = 0; j < first; ++j) into.push_back(j < left ? j : random.integer(0, left - 1));
  into.push_back(left);
  for (Index j = 0; j < second; ++j) into.push_back(left + 1 + (j < right ? j : random.integer(0, right - 1)));
  std::shuffle(into.begin(), into.begin() + first, std::mt19937(GetParam()));
  MatrixXd sums = MatrixXd::Zero(n, left + 1 + right);
  for (std::size_t j = 0; j < into.size(); ++j) sums.col(into[j]) += a.col(static_cast<Index>(j));
  for (const Kind kind : {Kind::cross, Kind::full}) {
    const Moments expected = collected(sums, kind);
    const Moments found = collected(a, kind).merged(expected.feature_names(), into);
    EXPECT_EQ(found.kind(), kind);
    EXPECT_EQ(found.rows(), expected.rows());
    // All levels merged are a column of ones, whose scatter is rounding of n.
    for (Index j = 0; j < sums.cols(); ++j)
      if (sums.col(j).minCoeff() == sums.col(j).maxCoeff())
        EXPECT_LE(std::abs(found.scatter_diagonal_a()[j]), 1e-12 * static_cast<double>(n));
    if ((expected.scatter_diagonal_a().array() > 0).all()) EXPECT_LE(distance(found, expected), 1e-12);
  }
}

TEST_P(MomentsColumns, MergingEachIntoItselfChangesNothing) {
  const MatrixXd a = random.features(b, random.integer(1, 5));
  std::vector<Index> into(static_cast<std::size_t>(a.cols()));
  std::iota(into.begin(), into.end(), Index{0});
  for (const Kind kind : {Kind::cross, Kind::full}) {
    const Moments whole = collected(a, kind);
    EXPECT_EQ(whole.merged(whole.feature_names(), into), whole);
  }
}

TEST_P(MomentsColumns, HoldIsTheStatisticOfAConstant) {
  MatrixXd a = random.features(b, random.integer(1, 5));
  const Index held = random.integer(0, a.cols() - 1);
  const double value = random.normal();
  std::vector<Moments> before;
  for (const Kind kind : {Kind::cross, Kind::full}) before.push_back(collected(a, kind));
  a.col(held).setConstant(value);
  for (Moments& found : before) {
    found.hold(held, value);
    EXPECT_EQ(found, collected(a, found.kind()));
  }
}

TEST_P(MomentsColumns, CrossIsWhatCrossCollects) {
  const MatrixXd a = random.features(b, random.integer(1, 12));
  const Moments found = collected(a, Kind::full).cross(), expected = collected(a, Kind::cross);
  EXPECT_EQ(found.kind(), Kind::cross);
  EXPECT_EQ(found.rows(), expected.rows());
  EXPECT_LE(distance(found, expected), 1e-14);
  EXPECT_EQ(found.cross(), found);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MomentsColumns, ::testing::Range(0U, 20U));

TEST(MomentsColumnsBadInput, PlacesOfMergedFeaturesAreChecked) {
  const Moments moments(3, 1);
  const auto message = [&](const std::vector<std::string>& names, const std::vector<Index>& into) {
    return message_of([&] { moments.merged(names, into); });
  };
  EXPECT_EQ(message({"x", "y"}, {0, 1, 0}), "");
  EXPECT_NE(message({"x", "y"}, {0, 1}), "");
  EXPECT_NE(message({"x", "y"}, {0, 2, 1}), "");
  EXPECT_NE(message({"x", "y"}, {0, -1, 1}), "");
  EXPECT_NE(message({"x", "y"}, {0, 0, 0}), "");
  EXPECT_NE(message({"x", "x"}, {0, 1, 0}), "");
}

}  // namespace
}  // namespace plumbline
