// Patterns of dates: what they read, what they refuse, and which are proposed for a text.
#include <gtest/gtest.h>

#include "onefold/error.hpp"
#include "onefold/io/calendar.hpp"
#include "onefold/io/date_format.hpp"

namespace onefold::io {
namespace ONEFOLD_FILE {

std::string read(const char* pattern, std::string_view text) {
  return DateFormat(pattern).standard_text(text).value_or("none");
}

TEST(DateFormat, ReadsDatesInTheirNotation) {
  const char* const cases[][3] = {
      {"%d/%m/%Y", "31/05/2024", "2024-05-31"},   {"%d/%m/%Y", "1/2/2024", "2024-02-01"},
      {"%m/%d/%Y", "1/2/2024", "2024-01-02"},     {"%Y%m%d", "20240229", "2024-02-29"},
      {"%d.%m.%y", "31.12.68", "2068-12-31"},     {"%d.%m.%y", "31.12.69", "1969-12-31"},
      {"%d-%b-%Y", "31-MAY-2024", "2024-05-31"},  {"%B %d, %Y", "September  1, 2024", "2024-09-01"},
      {"%e.%m.%Y", " 1.10.2024", "2024-10-01"},   {"%Y-%j", "2024-366", "2024-12-31"},
      {"%Y-%m", "2024-05", "2024-05-01"},         {"100%% %F", "100% 2024-05-31", "2024-05-31"},
      {"%A %D", "Friday 05/31/24", "2024-05-31"},
  };
  for (const auto& [pattern, text, right] : cases) EXPECT_EQ(read(pattern, text), right) << text;
}

TEST(DateFormat, ReadsClocksAndZones) {
  const char* const cases[][3] = {
      {"%m/%d/%Y %I:%M %p", "05/31/2024 12:05 am", "2024-05-31 00:05:00"},
      {"%m/%d/%Y %I:%M %p", "05/31/2024 12:05 PM", "2024-05-31 12:05:00"},
      {"%m/%d/%Y %I:%M%p", "05/31/2024 1:05p.m.", "2024-05-31 13:05:00"},
      {"%Y%m%dT%H%M%S", "20240531T235959", "2024-05-31 23:59:59"},
      {"%F %T.%f", "2024-05-31 23:59:59.25", "2024-05-31 23:59:59.25"},
      {"%a, %d %b %Y %T %z", "Fri, 31 May 2024 12:30:59 +0200", "2024-05-31 12:30:59+02:00"},
      {"%F %R%z", "2024-05-31 12:30-03", "2024-05-31 12:30:00-03:00"},
      {"%F %R %Z", "2024-05-31 12:30 UTC", "2024-05-31 12:30:00Z"},
      {"%I:%M %p", "01:05 pm", "13:05:00"},
  };
  for (const auto& [pattern, text, right] : cases) EXPECT_EQ(read(pattern, text), right) << text;
}

TEST(DateFormat, ReadsTimesSinceTheEpochAsThoseOfUtc) {
  EXPECT_EQ(read("epoch", "1717158659"), "2024-05-31 12:30:59Z");
  EXPECT_EQ(read("%s", "-1"), "1969-12-31 23:59:59Z");
  EXPECT_EQ(read("%s", "0.25"), "1970-01-01 00:00:00.25Z");
  EXPECT_EQ(read("epoch_ms", "1717158659123"), "2024-05-31 12:30:59.123Z");
  EXPECT_EQ(read("%Q", "-1.5"), "1969-12-31 23:59:59.9985Z");
  EXPECT_EQ(read("epoch_us", "1717158659123456"), "2024-05-31 12:30:59.123456Z");
  EXPECT_EQ(read("epoch_ns", "1717158659123456789"), "2024-05-31 12:30:59.123456789Z");
  EXPECT_EQ(read("epoch", "253402300799"), "9999-12-31 23:59:59Z");
  EXPECT_EQ(read("epoch", "-62167219200"), "0000-01-01 00:00:00Z");
  for (const char* const text : {"253402300800", "-62167219201", "999999999999999999999999", "",
                                 "-", "1e9", "1.", "1 ", "0.0000000001"}) {
    EXPECT_EQ(read("epoch", text), "none") << text;
  }
  EXPECT_EQ(read("epoch_ns", "1.5"), "none");
}

TEST(DateFormat, TakesNoDateThatDoesNotExist) {
  const char* const cases[][2] = {
      {"%d/%m/%Y", "31/04/2024"},
      {"%d/%m/%Y", "29/02/2023"},
      {"%d/%m/%Y", "29/02/1900"},
      {"%d/%m/%Y", "00/01/2024"},
      {"%d/%m/%Y", "05/31/2024"},
      {"%d/%m/%Y", "1/2/24"},
      {"%d/%m/%Y", "1/2/20245"},
      {"%d/%m/%Y", "001/2/2024"},
      {"%d/%m/%Y", " 1/2/2024"},
      {"%d/%m/%Y", "1/2/2024 "},
      {"%d/%m/%Y", ""},
      {"%Y%m%d", "2024111"},
      {"%Y-%j", "2023-366"},
      {"%F %T", "2016-12-31 23:59:60"},
      {"%F %R", "2024-05-31 24:00"},
      {"%F %I:%M %p", "2024-05-31 13:00 pm"},
      {"%F %I:%M %p", "2024-05-31 0:00 am"},
      {"%a %F", "Thu 2024-05-31"},
      {"%F %R%z", "2024-05-31 12:30+24"},
      {"%F %R%z", "2024-05-31 12:30+0260"},
      {"%F %T.%f", "2024-05-31 12:30:59.0123456789"},
  };
  for (const auto& [pattern, text] : cases) EXPECT_EQ(read(pattern, text), "none") << text;
  EXPECT_EQ(read("%d/%m/%Y", std::string(1000, '1')), "none");
}

TEST(DateFormat, RefusesPatternsThatDoNotSayADate) {
  const char* const cases[][2] = {
      {"%d/%m", "no year"},
      {"%Y-%d", "no month"},
      {"date", "no date and no time"},
      {"", "no date"},
      {"%d/%m/%Y %q", "no %q"},
      {"%Y-%m-%d%", "ends in %"},
      {"%Y %y", "mean the same"},
      {"%d %d %m %Y", "twice"},
      {"%F %I:%M", "needs %p"},
      {"%F %H:%M %p", "%I"},
      {"%F %M", "no hour"},
      {"%F %H %S", "no minute"},
      {"%F %z", "needs both a date"},
      {"%Y-%j %m", "mean the same"},
      {"%s %Y", "no %s"},
  };
  for (const auto& [pattern, what] : cases) {
    try {
      static_cast<void>(DateFormat(pattern));
      ADD_FAILURE() << pattern;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_option);
      EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
    }
  }
}

TEST(DateFormat, IsProposedForATextAndNeverGuessed) {
  EXPECT_EQ(date_hint_for("31/05/2024"), "; if it is a date, pass --date-format \"%d/%m/%Y\"");
  EXPECT_EQ(date_hint_for("05/31/2024 1:05 PM"),
            "; if it is a date, pass --date-format \"%m/%d/%Y %I:%M %p\"");
  EXPECT_EQ(date_hint_for("03/04/2024"),
            "; if it is a date, pass --date-format \"%d/%m/%Y\" if the day comes first, "
            "--date-format \"%m/%d/%Y\" if the month does");
  EXPECT_EQ(date_hint_for("May 31, 2024"), "; if it is a date, pass --date-format \"%b %d, %Y\"");
  for (const char* const text : {"", "2024-05-31", "20240531", "31/31/2024", "1.5", "12/34", "Oslo",
                                 "3.5.2.1", "June 2024 x"}) {
    EXPECT_EQ(date_hint_for(text), "") << text;
  }
}

TEST(Calendar, HasWeeksOfIso) {
  const auto week = [](const char* text) {
    const IsoWeek w = iso_week_of(std::chrono::sys_days(parse_date(text)->date));
    return std::to_string(w.year) + "-" + std::to_string(w.week);
  };
  EXPECT_EQ(week("2024-12-29"), "2024-52");
  EXPECT_EQ(week("2024-12-30"), "2025-1");
  EXPECT_EQ(week("2021-01-03"), "2020-53");
  EXPECT_EQ(week("2021-01-04"), "2021-1");
  EXPECT_EQ(week("9999-12-31"), "9999-52");
}

TEST(Calendar, TruncatesToTheBeginningOfASpan) {
  const auto begin = [](const char* text, const char* span) {
    return text_of(truncated(*parse_date(text), *find_span(span)));
  };
  const char* const time = "2024-08-15 12:30:59.25+02:00";
  EXPECT_EQ(begin(time, "year"), "2024-01-01");
  EXPECT_EQ(begin(time, "quarter"), "2024-07-01");
  EXPECT_EQ(begin(time, "month"), "2024-08-01");
  EXPECT_EQ(begin(time, "week"), "2024-08-12");
  EXPECT_EQ(begin(time, "day"), "2024-08-15");
  EXPECT_EQ(begin(time, "hour"), "2024-08-15 12:00:00+02:00");
  EXPECT_EQ(begin(time, "minute"), "2024-08-15 12:30:00+02:00");
  EXPECT_EQ(begin(time, "second"), "2024-08-15 12:30:59+02:00");
  EXPECT_EQ(begin("2024-08-15", "hour"), "2024-08-15 00:00:00");
  EXPECT_FALSE(find_span("fortnight"));
}

TEST(TimeText, HasOffsetsAsProgramsWriteThem) {
  for (const char* const text :
       {"2024-01-05 10:00:00Z", "2024-01-05 10:00:00 UTC", "2024-01-05T10:00:00GMT",
        "2024-01-05 10:00+00", "2024-01-05 12:00:00+02", "2024-01-05 12:00:00 +0200",
        "2024-01-05 12:00+02:00", "2024-01-05 06:30:00-0330"}) {
    const std::optional<Time> time = parse_time(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(text_of(*time), "2024-01-05 10:00:00Z") << text;
  }
  for (const char* const text :
       {"2024-01-05 10:00+2", "2024-01-05 10:00+020", "2024-01-05 10:00  Z",
        "2024-01-05 10:00+2400", "2024-01-05 10:00+0260", "2024-01-05 Z", "2024-01-05 10:00 CET",
        "2024-01-05 10:00ZZ"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::io
