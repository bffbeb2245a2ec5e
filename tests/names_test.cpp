#include "base/names.h"

#include <gtest/gtest.h>

#include <string>

#include "message_of.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::message_of;
using testing::Random;

using Names = std::vector<std::string>;

std::string random_word(Random& random, std::string_view letters, Index longest) {
  std::string word;
  for (Index i = random.integer(0, longest); i > 0; --i)
    word += letters[static_cast<std::size_t>(random.integer(0, static_cast<Index>(letters.size()) - 1))];
  return word;
}

// By the definition, in exponential time.
bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') return matches(pattern.substr(1), name) || (!name.empty() && matches(pattern, name.substr(1)));
  return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) && matches(pattern.substr(1), name.substr(1));
}

TEST(Names, GlobsMatchByTheirDefinition) {
  Random random(1);
  int matched = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::string pattern = random_word(random, "ab*?", 7), name = random_word(random, "ab", 7);
    ASSERT_EQ(matches_glob(pattern, name), matches(pattern, name)) << pattern << " " << name;
    matched += matches(pattern, name) ? 1 : 0;
  }
  EXPECT_GT(matched, 1000);
}

TEST(Names, GlobsKnowSetsOfCharacters) {
  EXPECT_TRUE(matches_glob("c[123]", "c2"));
  EXPECT_FALSE(matches_glob("c[123]", "c4"));
  EXPECT_TRUE(matches_glob("*[ab]*x", "zzbyx"));
  EXPECT_TRUE(matches_glob("a[b", "a[b"));  // not closed: a character like any other
  EXPECT_FALSE(matches_glob("[]", "x"));
}

TEST(Names, AManyStarredPatternTakesNoTime) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_FALSE(matches_glob(pattern + "b", std::string(2000, 'a')));
}

TEST(Names, AMistypedNameIsFound) {
  const Names names = {"age", "income", "race", "capital-gain", "Émile"};
  for (const auto& [typed, meant] : std::vector<std::pair<std::string, std::string>>{{"Age", "age"},
                                                                                     {"incmoe", "income"},
                                                                                     {"incom", "income"},
                                                                                     {"capital_gain", "capital-gain"},
                                                                                     {"captal-gan", "capital-gain"},
                                                                                     {"rac", "race"},
                                                                                     {"xyz", ""},
                                                                                     {"", ""}})
    EXPECT_EQ(nearest_name(typed, names), meant) << typed;
  EXPECT_EQ(did_you_mean("Age", names), "; did you mean 'age'?");
  EXPECT_EQ(did_you_mean("something else", names), "");
}

TEST(Names, ColumnsAreChosenByNamesListsAndPatterns) {
  const Names columns = {"age", "sex", "race", "a,b", "x1", "x2", "y*", "yz"};
  const auto chosen = [&](const Names& lists) { return choose_columns(lists, columns, "--drop"); };
  EXPECT_EQ(chosen({}), (std::vector<Index>{}));
  EXPECT_EQ(chosen({"race,age"}), (std::vector<Index>{0, 2}));
  EXPECT_EQ(chosen({"race", " age , sex "}), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(chosen({"x*", "x1"}), (std::vector<Index>{4, 5}));
  EXPECT_EQ(chosen({"a,b"}), (std::vector<Index>{3}));
  EXPECT_EQ(chosen({"y*"}), (std::vector<Index>{6}));  // a name before it is a pattern
  EXPECT_EQ(chosen({"age,,sex,"}), (std::vector<Index>{0, 1}));
  EXPECT_EQ(chosen({"*"}).size(), columns.size());
  EXPECT_EQ(message_of([&] { chosen({"age,sxe"}); }),
            "--drop names 'sxe', and there is no such column; did you mean 'sex'?");
  EXPECT_EQ(message_of([&] { chosen({"none*"}); }),
            "--drop names 'none*', and there is no such column; there are age, sex, race, a,b, x1, x2, y*, yz");
}

TEST(Names, NothingNearIsAnsweredWithWhatThereIs) {
  const auto refused = [](const Names& columns) {
    return message_of([&] { refuse_column("--target", "nothing", columns); });
  };
  const std::string start = "--target names 'nothing', and there is no such column; there ";
  EXPECT_EQ(refused({"x", "y"}), start + "are x, y");
  EXPECT_EQ(refused({"x;y"}), start + "is only x;y");
  EXPECT_EQ(refused(Names(12, "x")), start + "are x, x, x, x, x, x, x, x and 4 more");
}

TEST(Names, ALoneColumnThatHoldsADelimiterIsRemediedByIt) {
  const auto cell_of = [](const Names& columns, const std::string& name) {
    try {
      refuse_column("--target", name, columns);
    } catch (const RemediableError& error) {
      EXPECT_EQ(error.remedy(), Remedy::use_delimiter);
      return error.cell();
    } catch (const Error&) {
      return std::string();
    }
  };
  EXPECT_EQ(cell_of({"x;y"}, "nothing"), ";");
  EXPECT_EQ(cell_of({"x\ty"}, "nothing"), "\t");
  EXPECT_EQ(cell_of({"x;y"}, "xy"), "");  // mistyped
  EXPECT_EQ(cell_of({"x"}, "nothing"), "");
  EXPECT_EQ(cell_of({"x;y", "z"}, "nothing"), "");
}

}  // namespace
}  // namespace plumbline
