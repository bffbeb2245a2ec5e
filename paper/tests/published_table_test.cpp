#include "paper/datasets/published_table.h"

#include <gtest/gtest.h>

#include "has.h"
#include "message_of.h"
#include "paper/datasets/adult_data.h"
#include "paper/datasets/compas_data.h"
#include "scoped_variable.h"
#include "scratch_folder.h"

namespace plumbline {
namespace {

using testing::has;
using testing::message_of;
using testing::ScopedVariable;
using testing::ScratchFolder;

constexpr const char* kAdult =
    "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, "
    "United-States, <=50K\n"
    "50, ?, 83311, Bachelors, 13, Married-civ-spouse, Exec-managerial, Husband, Black, Female, 0, 0, 13, "
    "United-States, >50K\n\n";

TEST(PublishedTable, AChangedFileIsRefusedUnlessItIsAllowed) {
  const ScratchFolder folder;
  folder.put("adult.data", kAdult);
  const DataSource strict{.data_dir = folder.path()}, lax{.data_dir = folder.path(), .allow_modified = true};
  const std::string message = message_of([&] { PublishedTable("adult.data", {"age"}, {}, strict); });
  for (const char* part : {"SHA-256", "--allow-modified-data", "plumbline data fetch adult"})
    EXPECT_TRUE(has(message, part)) << message;
  EXPECT_TRUE(has(PublishedTable("adult.data", {"age"}, {}, lax).warning(), "not the published"));
}

TEST(PublishedTable, ColumnsComeInTheOrderAskedForAndNothingIsMissing) {
  const ScratchFolder folder;
  folder.put("adult.data", kAdult);
  const PublishedTable table("adult.data", {"hours-per-week", "age"}, {"sex", "workclass"},
                             {.data_dir = folder.path(), .allow_modified = true});
  Eigen::MatrixXd expected(2, 2);
  expected << 40, 39, 13, 50;
  EXPECT_EQ(table.numbers(), expected);
  EXPECT_EQ(table.text(0), (TextColumn{"Male", "Female"}));
  EXPECT_EQ(table.text(1), (TextColumn{"State-gov", "?"}));
}

TEST(PublishedTable, AFileThatIsNowhereSaysHowToGetIt) {
  const ScratchFolder folder;
  const ScopedVariable variable("PLUMBLINE_DATA_DIR"), cache("XDG_CACHE_HOME", folder.path());
  const std::string message = message_of([&] { read_compas({.data_dir = folder.path()}); });
  for (const std::string& part : {folder.path().string(), std::string("plumbline data fetch compas")})
    EXPECT_TRUE(has(message, part)) << message;
}

TEST(PublishedTable, CodesAreThePlacesAmongTheLevels) {
  const TextColumn cells = {"b", "a", "?", "b"};
  const auto levels = levels_of(cells);
  EXPECT_EQ(levels, (std::vector<std::string>{"?", "a", "b"}));
  EXPECT_EQ(codes_of(cells, levels, "x"), Eigen::Vector4i(2, 1, 0, 2));
  EXPECT_TRUE(has(message_of([&] { codes_of({"c"}, levels, "x"); }), "column 'x' has 'c'"));
}

class PublishedData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("PLUMBLINE_DATA_DIR") == nullptr)
      GTEST_SKIP() << "PLUMBLINE_DATA_DIR is not set; set it to the folder that holds the published files";
  }
};

TEST_F(PublishedData, CompasHasThePublishedShape) {
  const CompasData data = read_compas({});
  EXPECT_TRUE(data.warnings.empty());
  EXPECT_EQ(data.people.a.rows(), 6787);
  EXPECT_EQ(data.people.a.cols(), 5);
  EXPECT_EQ(data.people.s.maxCoeff(), 5);
}

TEST_F(PublishedData, AdultHasThePublishedShapeAndNoPublishedOutcome) {
  const AdultData data = read_adult({});
  EXPECT_TRUE(data.warnings.empty());
  EXPECT_EQ(data.parts.training.a.rows(), 32561);
  EXPECT_EQ(data.parts.test.a.rows(), 16281);
  EXPECT_EQ(data.parts.training.a.cols(), 12);
  EXPECT_EQ(data.parts.training.levels, 10);
  EXPECT_EQ(data.published_outcome.maxCoeff(), 0) << "labels with a full stop are compared with one without";
  EXPECT_EQ(data.parts.test.y.sum(), 3846);
}

}  // namespace
}  // namespace plumbline
