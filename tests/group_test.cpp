// The laws of differences between groups.
#include "metrics/group.h"

#include <gtest/gtest.h>

#include <cmath>

#include "message_of.h"
#include "random_data.h"

namespace plumbline {
namespace {

using Eigen::VectorXi;
using testing::message_of;
using testing::Random;
using testing::VectorXd;

struct People {
  VectorXd p, y;
  VectorXi s;
  int levels;
};

People random_people(unsigned seed) {
  Random random(seed);
  const Index n = random.integer(20, 60);
  const int levels = static_cast<int>(random.integer(1, 4));
  People out{random.matrix(n, 1), VectorXd(n), VectorXi(n), levels};
  for (Index i = 0; i < n; ++i) {
    out.y[i] = static_cast<double>(random.integer(0, 1));
    out.s[i] = static_cast<int>(random.integer(0, levels - 1));
  }
  return out;
}

class GroupLaw : public ::testing::TestWithParam<unsigned> {};

TEST_P(GroupLaw, ADifferenceIsTheLargestOfAllPairs) {
  const People x = random_people(GetParam());
  const VectorXd means = group_means(x.p, x.s, x.levels);
  double largest = 0;
  for (const double one : means)
    for (const double two : means)
      if (!std::isnan(one) && !std::isnan(two)) largest = std::max(largest, one - two);
  EXPECT_EQ(demographic_parity(x.p, x.s, x.levels), largest);
}

TEST_P(GroupLaw, WholeWeightsAreRepeatedRows) {
  const People x = random_people(GetParam());
  Random random(GetParam() + 100);
  VectorXd w(x.p.size());
  std::vector<Index> rows;
  for (Index i = 0; i < w.size(); ++i) {
    w[i] = static_cast<double>(random.integer(0, 3));
    rows.insert(rows.end(), static_cast<std::size_t>(w[i]), i);
  }
  const VectorXd p = x.p(rows), y = x.y(rows);
  const VectorXi s = x.s(rows);
  EXPECT_NEAR(demographic_parity(x.p, x.s, x.levels, w), demographic_parity(p, s, x.levels), 1e-14);
  EXPECT_NEAR(equalized_odds(x.p, x.y, x.s, x.levels, w), equalized_odds(p, y, s, x.levels), 1e-14);
}

TEST_P(GroupLaw, OddsAreTheLargerOfBothOutcomes) {
  const People x = random_people(GetParam());
  const VectorXd flipped = VectorXd::Ones(x.y.size()) - x.y;
  EXPECT_EQ(equalized_odds(x.p, x.y, x.s, x.levels),
            std::max(equal_opportunity(x.p, x.y, x.s, x.levels), equal_opportunity(x.p, flipped, x.s, x.levels)));
}

INSTANTIATE_TEST_SUITE_P(Seeds, GroupLaw, ::testing::Range(0U, 20U));

TEST(GroupBadInput, IsNamed) {
  const VectorXd p = VectorXd::Ones(3), two = VectorXd::Constant(3, 2);
  const VectorXi s = VectorXi::Zero(3);
  EXPECT_NE(message_of([&] { group_means(p.head(2), s, 1); }).find("2 predictions and 3 groups"), std::string::npos);
  EXPECT_NE(message_of([&] { group_means(p, VectorXi::Constant(3, 1), 1); }).find("group 1 of 1"), std::string::npos);
  EXPECT_NE(message_of([&] { equalized_odds(p, two, s, 1); }).find("outcomes must be 0 or 1"), std::string::npos);
  EXPECT_TRUE(std::isnan(equal_opportunity(p, VectorXd::Zero(3), s, 1)));
}

}  // namespace
}  // namespace plumbline
