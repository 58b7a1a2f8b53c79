// onefold/io/time_axis.hpp: dates of CF's units of time.
#include "onefold/io/time_axis.hpp"

#include <gtest/gtest.h>

namespace onefold::test {
namespace ONEFOLD_FILE {

// Returns the hours from the begin of an axis to 2000-01-02; an error as a text.
std::string hours_of(const std::string& offset) {
  try {
    const auto axis = io::TimeAxis::parse("hours since 2000-01-01 " + offset, "");
    return std::to_string(static_cast<double>(axis->span_of("2000-01-02")->begin));
  } catch (const std::string& why) {
    return why;
  }
}

TEST(TimeAxis, TakesOffsetsOfTwoDigits) {
  EXPECT_EQ(hours_of(""), "24.000000");
  EXPECT_EQ(hours_of("+05"), "29.000000");
  EXPECT_EQ(hours_of("+05:30"), "29.500000");
  EXPECT_EQ(hours_of("12:00 -0630"), "5.500000");
  EXPECT_EQ(hours_of("00:00:00.0 UTC"), "24.000000");
}

// By the CF conventions +5 is 5 hours and +530 5 hours and a half; cftime takes the first for
// nothing, the second for 53 hours.
TEST(TimeAxis, RefusesOffsetsThatProgramsReadInDifferentWays) {
  for (const char* offset : {"+5", "-6:00", "00:00 +5:30", "+530", "+05:5", "00:00-6"}) {
    EXPECT_NE(hours_of(offset).find("in different ways; spell it with two digits"),
              std::string::npos)
        << offset << ' ' << hours_of(offset);
  }
  for (const char* offset : {"+x", "+", "+19:00", "+05:60"}) {
    EXPECT_NE(hours_of(offset).find("contain no valid date"), std::string::npos) << offset;
  }
}

TEST(TimeAxis, RefusesDatesThatTheirCalendarDoesNotHave) {
  const auto is_date = [](const char* date, const char* calendar) {
    try {
      return io::TimeAxis::parse(std::string("days since ") + date, calendar).has_value();
    } catch (const std::string& why) {
      EXPECT_NE(why.find("contain no valid date"), std::string::npos) << why;
      return false;
    }
  };
  for (const char* date : {"2001-02-29", "1900-02-29", "2000-02-30", "2000-04-31", "2000-12-32",
                           "2000-01-01 00:00:60", "2000-01-01 24:00"}) {
    EXPECT_FALSE(is_date(date, "standard")) << date;
  }
  EXPECT_TRUE(is_date("2000-02-29", "standard"));
  EXPECT_TRUE(is_date("1900-02-29", "julian"));
  EXPECT_TRUE(is_date("1999-12-31 23:59:59", "gregorian"));
  EXPECT_FALSE(is_date("2000-02-29", "noleap"));
  EXPECT_TRUE(is_date("2001-02-29", "all_leap"));
  EXPECT_TRUE(is_date("2001-02-30", "360_day"));
  EXPECT_FALSE(is_date("2001-01-31", "360_day"));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
