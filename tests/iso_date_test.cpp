#include "tables/iso_date.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace plumbline {
namespace {

TEST(IsoDate, TheDaysOfTheCalendarAreThose) {
  using namespace std::chrono;
  for (const int y : {1600, 1900, 1999, 2000, 2023, 2024, 2100})
    for (unsigned m = 0; m <= 13; ++m)
      for (unsigned d = 0; d <= 32; ++d) {
        const std::string text = fmt::format("{:04}-{:02}-{:02}", y, m, d);
        EXPECT_EQ(is_iso_date(text), year_month_day(year(y), month(m), day(d)).ok()) << text;
      }
}

TEST(IsoDate, ATimeMayFollow) {
  const std::string day = "2024-05-31";
  for (const char* time : {"T12:30", " 12:30", "t12:30", "T12:30:15", "T12:30:15.5", "T12:30:15,123456", "T24:00",
                           "T23:59:60", "T12:30Z", "T12:30:15.5+02:00", "T12:30-0930", "T12:30+02"})
    EXPECT_TRUE(is_iso_date(day + time)) << time;
  for (const char* time : {"T", " ", "Z", "T12", "T1:30", "T25:00", "T12:60", "T12:30:", "T12:30:61", "T12:30:15.",
                           "T12:30+", "T12:30+2", "T12:30+02:", "T12:30+02:60", "T12:30Zx", " at 12:30"})
    EXPECT_FALSE(is_iso_date(day + time)) << time;
}

TEST(IsoDate, OtherSpellingsAreNone) {
  for (const char* text : {"", "2024", "2024-05", "20240531", "2024/05/31", "31.05.2024", "24-05-31", "2024-5-31",
                           "-2024-05-31", " 2024-05-31", "2024-05-31 ", "12:30"})
    EXPECT_FALSE(is_iso_date(text)) << text;
}

// Counted day by day, with the calendar's rule for leap years written out.
TEST(IsoDate, DaysAreCounted) {
  int expected = 0;
  for (int year = 1970; year < 2120; ++year)
    for (int month = 1; month <= 12; ++month) {
      const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
      const bool is_short = month == 4 || month == 6 || month == 9 || month == 11;
      const int days = month == 2 ? (is_leap ? 29 : 28) : is_short ? 30 : 31;
      for (int day = 1; day <= days; ++day, ++expected) {
        const std::string text = fmt::format("{}-{:02}-{:02}", year, month, day);
        ASSERT_EQ(day_of_iso_date(text), expected) << text;
        ASSERT_EQ(day_of_iso_date(text + "T23:59:59Z"), expected) << text;
      }
      EXPECT_FALSE(day_of_iso_date(fmt::format("{}-{:02}-{:02}", year, month, days + 1)));
    }
  EXPECT_EQ(day_of_iso_date("1969-12-31"), -1);
  EXPECT_EQ(day_of_iso_date("0001-01-01"), -719162);
}

}  // namespace
}  // namespace plumbline
