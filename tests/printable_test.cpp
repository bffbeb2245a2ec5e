// What is shown of strangers' text moves no cursor, starts no line, turns no direction, and loses nothing.
#include "base/printable.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/utf8.h"
#include "plumbline/error.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::Random;

const std::vector<std::string_view> kHostile = {
    "\x1b[2J",     "\x07",     "\n",     "\r",         "\x7f",   std::string_view("\0", 1),
    "\xc2\x9b",    "\xc2\x85", "\u2028", "\u2029",     "\u202e", "\u2066",
    "\u200f",      "\u061c",   "\ufeff", "\U000e0041", "\xff",   "\xc3",
    "\xed\xa0\x80"};

std::string hostile_text(Random& random) {
  std::string text;
  for (Index i = random.integer(0, 40); i > 0; --i) {
    const Index kind = random.integer(0, 3);
    if (kind == 0)
      text += kHostile[static_cast<std::size_t>(random.integer(0, static_cast<Index>(kHostile.size()) - 1))];
    else if (kind == 1)
      text += static_cast<char>(random.integer(0, 255));
    else
      text += kind == 2 ? "a" : "é";
  }
  return text;
}

bool is_harmless(std::string_view text) {
  if (valid_utf8_prefix(text) != text.size()) return false;
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  for (const std::string_view hostile : kHostile)
    if (valid_utf8_prefix(hostile) == hostile.size() && text.find(hostile) != std::string_view::npos) return false;
  return true;
}

TEST(Printable, NoTextHasAnEffectOnATerminal) {
  Random random(5);
  for (int round = 0; round < 5000; ++round) {
    const std::string text = hostile_text(random), shown = printable_line(text);
    EXPECT_TRUE(is_harmless(shown)) << shown;
    EXPECT_TRUE(is_harmless(printable(text)));
    EXPECT_LE(printable(text).size(), 75U);
    EXPECT_EQ(printable_line(shown), shown);
    EXPECT_STREQ(Error(text).what(), shown.c_str());
  }
}

TEST(Printable, WhatIsPrintableStaysAsItIs) {
  for (const std::string_view text : {"", "naïve €", "\\x1B", "日本語", "👩‍🔬", "עברית"})
    EXPECT_EQ(printable_line(text), text);
  EXPECT_EQ(printable_line(std::string_view("a\0b\n\x7F\xE9z", 7)), "a\\x00b\\x0A\\x7F\\xE9z");
  EXPECT_EQ(printable_line("\u202e\u0085"), "\\u{202E}\\u{85}");
}

TEST(Printable, NamesAreShortenedAndSentencesAreNot) {
  EXPECT_EQ(printable(std::string(61, 'x')), std::string(60, 'x') + "…");
  EXPECT_EQ(printable(std::string(60, 'x')), std::string(60, 'x'));
  EXPECT_EQ(printable_line(std::string(6000, 'x')), std::string(6000, 'x'));
}

TEST(Printable, JsonMeansTheSame) {
  Random random(6);
  for (int round = 0; round < 2000; ++round) {
    const std::string text = hostile_text(random);
    if (valid_utf8_prefix(text) != text.size()) continue;
    const Json document = {{"name", text}, {"more", {1, text}}};
    const std::string shown = printable_json(document.dump(1));
    EXPECT_EQ(Json::parse(shown), document);
    std::string one_line = shown;
    std::erase(one_line, '\n');
    EXPECT_TRUE(is_harmless(one_line)) << shown;
  }
}

}  // namespace
}  // namespace plumbline
