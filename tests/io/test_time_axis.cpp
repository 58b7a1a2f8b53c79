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

// By the CF conventions +5 is 5 hours and +530 5 hours and a half; cftime 1.6 takes the first and
// +5:30 for nothing, the second for 53 hours.
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

TEST(TimeAxis, TakesFractionsOfASecondExactly) {
  EXPECT_EQ(hours_of("00:00:00.36"), std::to_string(24 - 1e-4));
  const auto begin_in = [](const std::string& units) {
    return io::TimeAxis::parse(units, "")->span_of("2000-01-02")->begin;
  };
  EXPECT_EQ(begin_in("seconds since 2000-01-01 00:00:00.5"), 86399.5L);
  EXPECT_EQ(begin_in("seconds since 2000-01-01 12:00:00.25Z"), 43199.75L);
  EXPECT_EQ(begin_in("milliseconds since 2000-01-01 00:00:00.1"), 86399900);
  EXPECT_EQ(begin_in("nanoseconds since 2000-01-01 23:59:59.9999990"), 1000);
  const auto axis = io::TimeAxis::parse("milliseconds since 2000-01-01 00:00:00.1", "");
  EXPECT_EQ(axis->date_of(86399899)->day, 1);
  EXPECT_EQ(axis->date_of(86399900)->day, 2);
  EXPECT_NE(hours_of("00:00:00.1234567").find("finer than a microsecond"), std::string::npos);
}

// cftime ignores a time of day behind two blanks, and one without minutes.
TEST(TimeAxis, TakesBlanksUnlessProgramsReadTheTimeBehindThemInDifferentWays) {
  for (const char* units : {"  hours since 2000-01-01", "\thours\tsince\t2000-01-01\t",
                            "hours  since  2000-01-01 ", "hours since 2000-01-01  00:00:00",
                            "hours since 2000-01-01 00:00  UTC", "hours since 2000-01-01 00"}) {
    const auto axis = io::TimeAxis::parse(units, "");
    ASSERT_TRUE(axis) << units;
    EXPECT_EQ(axis->span_of("2000-01-02")->begin, 24) << units;
  }
  for (const char* time : {" 12:00", "12", "12:00  +05:00", " +05:00"}) {
    EXPECT_NE(hours_of(time).find("read this time of day in different ways; write it with"),
              std::string::npos)
        << time << ' ' << hours_of(time);
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
