#include "command_line/remedies.h"

#include <gtest/gtest.h>

#include <set>

namespace plumbline::app {
namespace {

// In the order of the enumeration, whose last value it is that ends the loop.
std::vector<Remedy> all_remedies() {
  std::vector<Remedy> out;
  for (int i = 0; i <= static_cast<int>(Remedy::use_delimiter); ++i) out.push_back(static_cast<Remedy>(i));
  return out;
}

TEST(Remedies, EachHasWordsOfItsOwnWithAFlagAfterTheSentence) {
  std::set<std::string> seen;
  for (const Remedy remedy : all_remedies()) {
    const std::string sentence = worded(RemediableError("it is wrong", remedy, "age", "many"));
    ASSERT_TRUE(sentence.starts_with("it is wrong")) << sentence;
    EXPECT_NE(sentence.find(" --"), std::string::npos) << sentence;
    EXPECT_TRUE(seen.insert(sentence).second) << sentence;
  }
}

TEST(Remedies, NamesAndCellsStayPrintable) {
  for (const Remedy remedy : all_remedies()) {
    const std::string sentence = worded(RemediableError("it is wrong", remedy, "a\nge\x1b", "ma\nny"));
    EXPECT_EQ(sentence.find_first_of("\n\x1b"), std::string::npos) << sentence;
  }
}

TEST(Remedies, WithoutACellNoneIsTakenForMissing) {
  EXPECT_EQ(worded(RemediableError("it is wrong", Remedy::as_category, "age")),
            "it is wrong; a fit with --categorical 'age' reads the column as categories");
  EXPECT_EQ(worded(RemediableError("it is wrong", Remedy::as_category, "age", "many")),
            "it is wrong; --missing-marker 'many' takes the cell for missing, and a fit with --categorical 'age' reads "
            "the column as categories");
}

TEST(Remedies, ATabIsCalledByItsName) {
  EXPECT_EQ(worded(RemediableError("there is only x", Remedy::use_delimiter, "", "\t")),
            "there is only x; perhaps --delimiter tab is lacking");
  EXPECT_EQ(worded(RemediableError("there is only x", Remedy::use_delimiter, "", ";")),
            "there is only x; perhaps --delimiter ';' is lacking");
}

}  // namespace
}  // namespace plumbline::app
