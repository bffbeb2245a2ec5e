#include "plumbline/columns.h"

#include <gtest/gtest.h>

#include "plumbline/error.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::RowMajor;

TEST(Columns, EveryLayoutReadsTheSameCells) {
  Random random(1);
  const MatrixXd column_major = random.matrix(7, 4);
  const RowMajor row_major = column_major;
  const Eigen::MatrixXf narrow = column_major.cast<float>();
  std::vector<const double*> apart;
  for (Index j = 0; j < 4; ++j) apart.push_back(column_major.col(j).data());
  for (Index i = 0; i < 7; ++i)
    for (Index j = 0; j < 4; ++j) {
      EXPECT_EQ(Columns(column_major)(i, j), column_major(i, j));
      EXPECT_EQ(Columns(row_major)(i, j), column_major(i, j));
      EXPECT_EQ(Columns(apart, 7)(i, j), column_major(i, j));
      EXPECT_EQ(Columns(narrow)(i, j), static_cast<double>(narrow(i, j)));
      EXPECT_EQ(Columns(row_major.rightCols(2))(i, j / 2), column_major(i, 2 + j / 2));
    }
}

TEST(Columns, PartsAreViewsOfTheSameTable) {
  Random random(2);
  const RowMajor table = random.matrix(9, 5);
  const Columns part = Columns(table).select({4, 0, 2}).middle_rows(3, 4);
  ASSERT_EQ(part.rows(), 4);
  ASSERT_EQ(part.cols(), 3);
  for (Index i = 0; i < 4; ++i) {
    EXPECT_EQ(part(i, 0), table(i + 3, 4));
    EXPECT_EQ(part(i, 1), table(i + 3, 0));
    EXPECT_EQ(part(i, 2), table(i + 3, 2));
  }
}

TEST(Columns, RefusesWhatIsNotThere) {
  const MatrixXd table = MatrixXd::Zero(3, 2);
  EXPECT_THROW(Columns(table).select({2}), Error);
  EXPECT_THROW(Columns(table).middle_rows(1, 3), Error);
  EXPECT_THROW(Columns(static_cast<const double*>(nullptr), 3, 1, 1, 3), Error);
  EXPECT_THROW(Columns(table.data(), -1, 1, 1, 3), Error);
  EXPECT_THROW(Columns(table.data(), 1, -1, 1, 3), Error);
}

}  // namespace
}  // namespace plumbline
