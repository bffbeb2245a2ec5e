// The laws of the distance correlation.
#include "metrics/dependence.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::Random;

class DependenceLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
  Index n = random.integer(5, 80);
  MatrixXd x = random.matrix(n, random.integer(1, 3)), b = random.matrix(n, random.integer(1, 3));
};

TEST_P(DependenceLaw, ShiftsScalesAndSidesDoNotMatter) {
  const double plain = distance_correlation(x, b);
  EXPECT_GE(plain, 0);
  EXPECT_LE(plain, 1 + 1e-12);
  EXPECT_NEAR(distance_correlation(b, x), plain, 1e-12);
  EXPECT_NEAR(distance_correlation((-3 * x).array() + 7, b), plain, 1e-9);
}

TEST_P(DependenceLaw, AnythingDependsOnItselfAndNothingOnAConstant) {
  EXPECT_NEAR(distance_correlation(x, x), 1, 1e-12);
  EXPECT_EQ(distance_correlation(MatrixXd::Ones(n, 1), b), 0);
}

TEST_P(DependenceLaw, ThreadsLeaveNoTrace) { EXPECT_EQ(distance_correlation(x, b, 1), distance_correlation(x, b, 3)); }

INSTANTIATE_TEST_SUITE_P(Seeds, DependenceLaw, ::testing::Range(0U, 15U));

TEST(DependenceBadInput, IsNamed) {
  EXPECT_NE(message_of([] { distance_correlation(MatrixXd::Ones(2, 1), MatrixXd::Ones(3, 1)); }).find("2 rows"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              distance_correlation(MatrixXd::Constant(2, 1, std::numeric_limits<double>::quiet_NaN()),
                                   MatrixXd::Ones(2, 1));
            }).find("not finite"),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline
