// The two maps to another group: the definition word by word, what stays, and groups that were never seen.
#include "methods/group_mapping.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "random_people.h"

namespace plumbline {
namespace {

using Eigen::VectorXi;
using testing::largest;
using testing::MatrixXd;
using testing::message_of;
using testing::permuted;
using testing::Random;
using testing::random_order;
using testing::random_people;
using testing::VectorXd;

// As protocol and header say it, with a loop over all training rows for each cell.
double marginal_by_definition(const Sample& training, Index feature, double value, int from, int to) {
  std::vector<double> source, target;
  for (Index i = 0; i < training.rows(); ++i) {
    if (training.s[i] == from) source.push_back(training.a(i, feature));
    if (training.s[i] == to) target.push_back(training.a(i, feature));
  }
  std::sort(target.begin(), target.end());
  std::size_t below = 0;
  for (const double x : source) below += x <= value ? 1 : 0;
  return target[(target.size() - 1) * below / source.size()];
}

Sample with_ties(Sample people) {
  people.a = (2 * people.a).array().round();
  return people;
}

class MappingLaw : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
  int levels = static_cast<int>(random.integer(2, 5));
  Index q = random.integer(1, 4);
  Sample training = random_people(random, random.integer(20, 300), q, levels);
  Sample other = random_people(random, random.integer(10, 100), q, levels);
  GroupMapping mapping{training.a, training.s, levels};
};

TEST_P(MappingLaw, MarginalIsItsDefinitionWithAndWithoutTies) {
  for (const bool ties : {false, true}) {
    const Sample from = ties ? with_ties(training) : training, rows = ties ? with_ties(other) : other;
    const GroupMapping map(from.a, from.s, levels);
    for (int g = 0; g < levels; ++g) {
      const MatrixXd mapped = map.to(Mapping::marginal, rows.a, rows.s, g);
      for (Index i = 0; i < rows.rows(); ++i)
        for (Index j = 0; j < q; ++j)
          EXPECT_EQ(mapped(i, j), marginal_by_definition(from, j, rows.a(i, j), rows.s[i], g));
    }
  }
}

TEST_P(MappingLaw, OrthogonalMovesGroupMeansOntoEachOther) {
  for (int g = 0; g < levels; ++g) {
    const GroupMapping moved(mapping.to(Mapping::orthogonal, training.a, training.s, g), training.s, levels);
    EXPECT_LE(largest(moved.means().rowwise() - mapping.means().row(g)), 1e-12);
  }
  const GroupMapping averaged(mapping.averaged(Mapping::orthogonal, training.a, training.s), training.s, levels);
  EXPECT_LE(largest(averaged.means().rowwise() - mapping.mean()), 1e-12);
}

TEST_P(MappingLaw, TheOwnGroupIsTheIdentity) {
  for (int g = 0; g < levels; ++g) {
    const VectorXi own = VectorXi::Constant(other.rows(), g);
    EXPECT_TRUE(mapping.to(Mapping::orthogonal, other.a, own, g) == other.a);
    const MatrixXd mapped = mapping.to(Mapping::marginal, training.a, training.s, g);
    for (Index i = 0; i < training.rows(); ++i) EXPECT_TRUE(training.s[i] != g || mapped.row(i) == training.a.row(i));
  }
}

TEST_P(MappingLaw, AveragesAreSumsOverTheGroupsWithTheirShares) {
  EXPECT_NEAR(mapping.shares().sum(), 1, 1e-15);
  for (const Mapping kind : {Mapping::none, Mapping::orthogonal, Mapping::marginal}) {
    MatrixXd sum = MatrixXd::Zero(other.rows(), q);
    for (int g = 0; g < levels; ++g) sum += mapping.shares()[g] * mapping.to(kind, other.a, other.s, g);
    EXPECT_LE(largest(mapping.averaged(kind, other.a, other.s) - sum), 1e-12);
    mapping.for_each_group(kind, other.a, other.s, [&](int g, const MatrixXd& mapped) {
      EXPECT_TRUE(mapped == mapping.to(kind, other.a, other.s, g));
    });
  }
}

TEST_P(MappingLaw, MarginalFollowsAnyIncreasingScale) {
  const GroupMapping scaled(training.a.array().exp(), training.s, levels);
  for (int g = 0; g < levels; ++g)
    EXPECT_LE(largest(scaled.to(Mapping::marginal, other.a.array().exp(), other.s, g).array().log() -
                      mapping.to(Mapping::marginal, other.a, other.s, g).array()),
              1e-12);
}

TEST_P(MappingLaw, TheOrderOfTrainingRowsDoesNotMatter) {
  const std::vector<Index> order = random_order(random, training.rows());
  const GroupMapping shuffled(permuted(training.a, order), permuted(training.s, order), levels);
  for (int g = 0; g < levels; ++g) {
    EXPECT_TRUE(shuffled.to(Mapping::marginal, other.a, other.s, g) ==
                mapping.to(Mapping::marginal, other.a, other.s, g));
    EXPECT_LE(largest(shuffled.to(Mapping::orthogonal, other.a, other.s, g) -
                      mapping.to(Mapping::orthogonal, other.a, other.s, g)),
              1e-12);
  }
}

TEST_P(MappingLaw, ALevelWithoutRowsHasNoShareAndIsRefused) {
  const GroupMapping wider(training.a, training.s, levels + 1);
  EXPECT_EQ(wider.shares()[levels], 0);
  EXPECT_FALSE(wider.is_known(levels));
  VectorXi unseen = other.s;
  unseen[3] = levels;
  for (const Mapping kind : {Mapping::orthogonal, Mapping::marginal}) {
    EXPECT_TRUE(wider.averaged(kind, other.a, other.s) == mapping.averaged(kind, other.a, other.s));
    EXPECT_NE(message_of([&] { wider.to(kind, other.a, other.s, levels); }).find("has no row"), std::string::npos);
    EXPECT_NE(message_of([&] { wider.to(kind, other.a, unseen, 0); }).find("row 3 is of group"), std::string::npos);
  }
  EXPECT_TRUE(wider.to(Mapping::none, other.a, unseen, levels) == other.a);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MappingLaw, ::testing::Range(1U, 11U));

TEST(GroupMapping, RefusesWhatItCannotUse) {
  const MatrixXd a = MatrixXd::Random(4, 2);
  const VectorXi s{{0, 1, 1, 0}};
  EXPECT_NE(message_of([&] { GroupMapping(a, s, 1); }).find("s is 1 in row 1"), std::string::npos);
  EXPECT_NE(message_of([&] { GroupMapping(a, s, 0); }).find("levels is 0"), std::string::npos);
  EXPECT_NE(message_of([&] { GroupMapping(a, s.head(2), 2); }).find("same rows"), std::string::npos);
  EXPECT_NE(message_of([&] { GroupMapping(MatrixXd(4, 0), s, 2); }).find("no columns"), std::string::npos);
  EXPECT_NE(message_of([&] { GroupMapping(MatrixXd(0, 2), VectorXi(), 2); }).find("no rows"), std::string::npos);
  const GroupMapping mapping(a, s, 2);
  EXPECT_NE(message_of([&] { mapping.to(Mapping::none, a.leftCols(1), s, 0); }).find("1 columns"), std::string::npos);
  EXPECT_NE(message_of([&] { mapping.to(Mapping::none, a, s, 2); }).find("map to is 2"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
