#include "csv/grouped_number.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "random_data.h"

namespace plumbline {
namespace {

using testing::Random;

std::string grouped(std::string digits, std::string_view mark) {
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, mark);
  return digits;
}

TEST(GroupedNumber, AnyNumberOfFourDigitsOrMoreIsFoundByItsMark) {
  Random random(1);
  for (int round = 0; round < 500; ++round) {
    const std::string digits = std::to_string(random.integer(1000, Index{1} << random.integer(11, 60)));
    for (const std::string_view mark : {",", ".", "'", " ", "\u00A0", "\u202F"})
      for (const std::string_view sign : {"", "-", "+"}) {
        const std::string number = std::string(sign) + grouped(digits, mark);
        ASSERT_EQ(group_mark(number), mark) << number;
        ASSERT_EQ(group_mark(number + "5"), "") << number;
        ASSERT_EQ(group_mark(number + std::string(mark)), "") << number;
        ASSERT_EQ(group_mark(number + "e3"), "") << number;
        if (mark != ".") {
          ASSERT_EQ(group_mark(number + ".25"), mark) << number;
        }
        if (mark != ",") {
          ASSERT_EQ(group_mark(number + ",25"), mark) << number;
        }
      }
    ASSERT_EQ(group_mark(digits), "");
  }
}

TEST(GroupedNumber, WhatIsNotGroupedInThreesIsNone) {
  for (const std::string_view text :
       {"",         "1",      "123",    ",123",      "1,",     "1,23",      "1,2345",       "1234,567",
        "1,234,56", "0,123",  "00,123", "1,234 567", "1,234.", "1,234.5.6", "1,234,567.8x", "--1,234",
        "- 1,234",  "1,,234", "a,bcd",  "1 234 56",  "110 00", "1,234%"})
    EXPECT_EQ(group_mark(text), "") << text;
  EXPECT_EQ(group_mark("1.234.567,8"), ".");
  EXPECT_EQ(group_mark("1.234,5"), ".");
  EXPECT_EQ(group_mark("1,234.5"), ",");
}

TEST(GroupedNumber, SmallNumbersStandBesideGroupedOnes) {
  for (const std::string_view text : {"0", "7", "-12", "+999", "999.25", "0.5"})
    EXPECT_TRUE(is_below_a_group(text, ",")) << text;
  for (const std::string_view text : {"", "-", "1000", "1,5", "x", "1.", ".5", "1e3"})
    EXPECT_FALSE(is_below_a_group(text, ",")) << text;
  EXPECT_TRUE(is_below_a_group("1,5", "."));
  EXPECT_FALSE(is_below_a_group("1.5", "."));
}

}  // namespace
}  // namespace plumbline
