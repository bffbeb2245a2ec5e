// Communities and Crime: what is read, and how a fold is cut and scaled.
#include "paper/datasets/crime_data.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "message_of.h"

namespace plumbline {
namespace {

using Eigen::Index;
using testing::message_of;

class Crime : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("PLUMBLINE_DATA_DIR") == nullptr)
      GTEST_SKIP() << "PLUMBLINE_DATA_DIR is not set; set it to the folder that holds communities.data";
    data = read_crime({});
  }

  CrimeData data;
};

// First and last line of the file: 8,?,?,Lakewoodcity,1,0.19,0.33,0.02 … 0.2, and fold 10 with 0.48.
TEST_F(Crime, ReadsWhatTheFileSays) {
  ASSERT_EQ(data.rows.a.rows(), 1994);
  EXPECT_EQ(data.rows.a.cols(), 121);
  EXPECT_TRUE(data.warnings.empty());
  EXPECT_EQ(data.rows.a(0, 0), 0.19);
  EXPECT_EQ(data.rows.a(0, 1), 0.33);
  EXPECT_EQ(data.rows.b(0, 0), 0.02);
  EXPECT_EQ(data.rows.a(0, 2), 0.9);
  EXPECT_EQ(data.rows.y[0], 0.2);
  EXPECT_EQ(data.fold[0], 1);
  EXPECT_EQ(data.fold.maxCoeff(), 10);
  EXPECT_EQ(data.rows.a.minCoeff(), 0);
  EXPECT_EQ(data.rows.a.maxCoeff(), 1);
}

TEST_F(Crime, EveryRowIsTestedOnceAndTrainedOnElse) {
  Index tested = 0;
  for (int fold = 1; fold <= 10; ++fold) {
    const ContinuousParts parts = split_crime(data, fold);
    EXPECT_EQ(parts.training.rows() + parts.test.rows(), 1994);
    EXPECT_NEAR(static_cast<double>(parts.test.rows()), 199.4, 1);
    tested += parts.test.rows();
  }
  EXPECT_EQ(tested, 1994);
  EXPECT_NE(message_of([&] { split_crime(data, 11); }).find("fold 11 has 0 rows"), std::string::npos);
}

TEST_F(Crime, ScalesAreOfTheTrainingPart) {
  const ContinuousParts parts = split_crime(data, 3);
  EXPECT_EQ(parts.training.a.minCoeff(), 0);
  EXPECT_EQ(parts.training.a.maxCoeff(), 1);
  for (Index j = 0; j < 121; ++j) {
    EXPECT_EQ(parts.training.a.col(j).minCoeff(), 0) << j;
    EXPECT_EQ(parts.training.a.col(j).maxCoeff(), 1) << j;
  }
  EXPECT_TRUE(parts.test.a.minCoeff() >= 0 && parts.test.a.maxCoeff() <= 1);
  EXPECT_NEAR(parts.training.y.mean(), 0, 1e-12);
  EXPECT_NEAR(parts.training.y.squaredNorm(), static_cast<double>(parts.training.rows()), 1e-8);
  EXPECT_GT(std::abs(parts.test.y.mean()), 1e-6);
  Index outside = 0;
  for (const double b : parts.test.b.reshaped())
    outside += b < parts.training.b.minCoeff() || b > parts.training.b.maxCoeff() ? 1 : 0;
  EXPECT_EQ(parts.outside, outside);
}

}  // namespace
}  // namespace plumbline
