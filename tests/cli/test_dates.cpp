// Dates in other notations than ISO, by --date-format and in expressions.
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "onefold/error.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

const std::string sales = "sold,qty\n31/05/2024,1\n01/06/2024,2\n03/04/2023,4\nNA,8\n";

Ran fold(std::vector<std::string> words, const std::string& table = sales,
         const std::string& name = "t.csv") {
  const Folder folder;
  words.push_back(folder.write(name, table));
  return run_program(words);
}
std::string out_of(const std::vector<std::string>& words, const std::string& table = sales,
                   const std::string& name = "t.csv") {
  const Ran ran = fold(words, table, name);
  EXPECT_EQ(ran.status, 0) << ran.error;
  return ran.out;
}
void expect_refused(const std::vector<std::string>& words, const std::string& table,
                    const std::string& what) {
  const Ran ran = fold(words, table);
  EXPECT_NE(ran.status, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.error.find(what), std::string::npos) << ran.error;
}

TEST(Dates, InAFormatAreFolded) {
  EXPECT_EQ(out_of({"max", "--columns", "sold", "--date-format", "%d/%m/%Y"}), "2024-06-01\n");
  EXPECT_EQ(out_of({"count,min,ptp", "--columns", "sold", "--date-format", "sold=%d/%m/%Y"}),
            "column\tcount\tmin\tptp\nsold\t3\t2023-04-03\t425 days 00:00:00\n");
  EXPECT_EQ(out_of({"sum", "--date-format", "%d/%m/%Y"}), "15\n");
}

TEST(Dates, AreNotOrderedAsTexts) {
  expect_refused({"agg", "max(d)"}, "d,v\n03/04/2024,1\n01/05/2023,2\n15/01/2024,3\n",
                 "looks like a date or a time");
  for (const char* const table :
       {"d,v\n2024-1-5,1\n2024-01-10,2\n", "d,v\n2024-02-30,1\n2024-01-01,2\n",
        "d,v\n12:00 AM,1\n12:30 PM,2\n1:05 AM,2\n"}) {
    expect_refused({"agg", "max(d)"}, table, "");
  }
  expect_refused({"agg", "max(b)", "--date-format", "%d/%m/%Y"},
                 "a,b\n15/02/2024,02/15/2023\n16/02/2024,01/16/2024\n", "");
  EXPECT_EQ(out_of({"agg", "max(d),min(d)"}, "d,v\nbob,1\n555-12-3456,2\n"),
            "max(d)\tmin(d)\nbob\t555-12-3456\n");
}

TEST(Dates, OfAColumnHaveOnePattern) {
  expect_refused({"max", "--columns", "a", "--date-format", "a=%m/%d/%Y;a=%d/%m/%Y"},
                 "a\n01/02/2024\n", "column a was given two patterns");
}

TEST(Dates, BeyondTheYearsThatCanBeReadAreRefused) {
  expect_refused({"max", "--columns", "a", "--date-format", "a=%Y-%m-%dT%H:%M:%S%z"},
                 "a\n9999-12-31T23:00:00-05:00\n", "years 0 to 9999");
}

TEST(Dates, InAFormatCompareAsTimes) {
  const auto sum = [](const std::string& where) {
    return out_of({"sum", "--columns", "qty", "--date-format", "%d/%m/%Y", "--where", where});
  };
  EXPECT_EQ(sum("sold >= '2024-05-31'"), "3\n");
  EXPECT_EQ(sum("sold == '2024-06-01 00:00'"), "2\n");
  EXPECT_EQ(sum("sold in ('2023-04-03', '2024-06-01')"), "6\n");
  EXPECT_EQ(sum("year(sold) == 2024 and month(sold) == 5"), "1\n");
  expect_refused(
      {"sum", "--columns", "qty", "--date-format", "%d/%m/%Y", "--where", "sold > '31/05/2024'"},
      sales, "\"31/05/2024\" is not a time such as 2024-05-31");
}

TEST(Dates, InAFormatAreKeysOfIso) {
  EXPECT_EQ(out_of({"sum", "--columns", "qty", "--by", "sold", "--date-format", "%d/%m/%Y"}),
            "sold\tsum\n2023-04-03\t4\n2024-05-31\t1\n2024-06-01\t2\nNA\t8\n");
  EXPECT_EQ(out_of({"agg", "max(sold), n = sum(qty)", "--by", "date_trunc('quarter', sold)",
                    "--date-format", "%d/%m/%Y", "--where", "sold is not null"}),
            "date_trunc('quarter', sold)\tmax(sold)\tn\n2023-04-01\t2023-04-03\t4\n"
            "2024-04-01\t2024-06-01\t3\n");
}

TEST(Dates, SinceTheEpochNeedTheNameOfTheirColumn) {
  const std::string table = "seen,q\n1717158659,1\n1717158660,2\n";
  EXPECT_EQ(out_of({"max,mean", "--columns", "seen", "--date-format", "seen=epoch"}, table),
            "column\tmax\tmean\nseen\t2024-05-31 12:31:00Z\t2024-05-31 12:30:59.5Z\n");
  EXPECT_EQ(out_of({"sum", "--columns", "q", "--date-format", "seen=%s", "--where",
                    "seen > '2024-05-31 14:30:59.5+02:00'"},
                   table),
            "2\n");
  EXPECT_EQ(out_of({"max", "--columns", "at", "--date-format", "at=epoch_ms"},
                   "{\"at\": 1717158659250}\n{\"at\": null}\n", "t.jsonl"),
            "2024-05-31 12:30:59.25Z\n");
  expect_refused({"sum", "--date-format", "%s"}, table, "name the column, as in seen=%s");
  expect_refused({"std", "--columns", "seen", "--date-format", "seen=epoch"}, table,
                 "column seen holds dates because of --date-format");
}

TEST(Dates, OfSeveralColumnsHaveFormatsOfTheirOwn) {
  EXPECT_EQ(out_of({"max", "--columns", "a,c", "--date-format", "a=%d.%m.%y; \"c\"=%b %d, %Y"},
                   "a,b,c\n31.12.23,1,\"May 31, 2024\"\n1.1.24,2,\"Jun 1, 2024\"\n"),
            "column\tmax\na\t2024-01-01\nc\t2024-06-01\n");
}

TEST(Dates, ThatDoNotFitTheirFormatAreRefusedByLine) {
  const std::string table = "sold,qty\n31/05/2024,1\n31/02/2024,2\n";
  const std::vector<std::string> by = {"sum",  "--columns",     "qty",     "--by",
                                       "sold", "--date-format", "%d/%m/%Y"};
  expect_refused(by, table,
                 "line 3, column 1 (sold): \"31/02/2024\" is not a date by --date-format "
                 "\"%d/%m/%Y\"");
  std::vector<std::string> skip = by;
  skip.insert(skip.end(), {"--bad-lines", "skip"});
  EXPECT_EQ(out_of(skip, table), "sold\tsum\n2024-05-31\t1\n");
  expect_refused({"sum", "--columns", "qty", "--by", "sold", "--date-format", "sold=%m/%d/%Y"},
                 table,
                 "line 2, column 1 (sold): \"31/05/2024\" is not a date by --date-format "
                 "\"%m/%d/%Y\"; if it is a date, pass --date-format \"%d/%m/%Y\"");
  expect_refused({"sum", "--date-format", "%Y/%m/%d"}, table,
                 "no column has dates in this format; for example, \"31/05/2024\" does not match; "
                 "if it is a date, pass "
                 "--date-format \"%d/%m/%Y\"");
  expect_refused({"sum", "--date-format", "%d/%m"}, table,
                 "--date-format \"%d/%m\": it has no year");
  expect_refused({"sum", "--date-format", "when=%d/%m/%Y"}, table, "no column \"when\"");
}

TEST(Dates, OfTwoReadingsAreRefusedWithTheWordsToSay) {
  const std::string table = "d,v\n03/04/2024,1\n05/06/2024,2\n";
  const std::string words =
      "; if it is a date, pass --date-format \"%d/%m/%Y\" if the day comes first, --date-format "
      "\"%m/%d/%Y\" if the month does";
  expect_refused({"max", "--columns", "d"}, table, "\"03/04/2024\" is not a number" + words);
  expect_refused({"sum", "--columns", "v", "--where", "d > '2024-04-01'"}, table, words);
  // By their bytes they would have an order, which is not that of the dates.
  expect_refused({"sum", "--columns", "v", "--where", "d > '01/05/2024'"}, table, words);
  expect_refused({"sum", "--let", "m = month(d)", "--columns", "m"}, table, words);
  EXPECT_EQ(out_of({"sum", "--columns", "v", "--where", "d == '03/04/2024'"}, table), "1\n");
}

TEST(Dates, HaveWeeksQuartersAndSpansInExpressions) {
  const std::string table = "t,v\n2024-12-30 12:30:59,1\n2024-12-29,2\n2025-01-01T00:00:00Z,4\n";
  const auto by = [&](const std::string& key) {
    return out_of({"sum", "--columns", "v", "--by", "k", "--let", "k = " + key}, table);
  };
  EXPECT_EQ(by("isoyear(t) * 100 + week(t)"), "k\tsum\n202452\t2\n202501\t5\n");
  EXPECT_EQ(by("quarter(t)"), "k\tsum\n1\t4\n4\t3\n");
  EXPECT_EQ(by("date_trunc('week', t)"), "k\tsum\n2024-12-23\t2\n2024-12-30\t5\n");
  EXPECT_EQ(by("date_trunc('hour', t)"),
            "k\tsum\n2024-12-29 00:00:00\t2\n2024-12-30 12:00:00\t1\n2025-01-01 00:00:00Z\t4\n");
  EXPECT_EQ(by("epoch(t) - epoch('2024-12-29')"), "k\tsum\n0\t2\n131459\t1\n259200\t4\n");
  EXPECT_EQ(out_of({"sum", "--columns", "qty", "--by", "w", "--let",
                    "w = week(strptime(sold, '%d/%m/%Y'))", "--where", "sold is not null"}),
            "w\tsum\n14\t4\n22\t3\n");
  expect_refused({"sum", "--let", "k = date_trunc('fortnight', t)"}, table,
                 "is not a unit of time; choose one of 'year', 'quarter', 'month', 'week'");
  expect_refused({"sum", "--columns", "v", "--let", "k = week(strptime(t, '%d/%m'))"}, table,
                 "--let k: format \"%d/%m\": it has no year");
  expect_refused({"sum", "--columns", "v", "--where", "year(strptime(t, '%d/%m/%Y')) > 0"}, table,
                 "\"2024-12-30 12:30:59\" does not match strptime's format \"%d/%m/%Y\"");
  expect_refused({"count", "--columns", "v", "--where", "date_trunc('week', t) is null"},
                 "t,v\n0000-01-01,1\n", "begins before the year 0");
}

TEST(Dates, WithOffsetsOfHoursAreTimesOfUtc) {
  const std::string table =
      "t,v\n2024-01-05 10:00:00+00,1\n2024-01-05 11:30 +0200,2\n2024-01-05 09:00 UTC,3\n";
  EXPECT_EQ(out_of({"max", "--columns", "t"}, table), "2024-01-05 10:00:00Z\n");
}

TEST(Dates, ThatAreNoneLeaveTheSameLinesOutForEachCall) {
  const std::string mixed = "d,v\n31/02/2024,1\n2024-01-01,2\n05/02/2024,3\n06/02/2024,3\n";
  const std::vector<std::string> skip{"--date-format", "d=%d/%m/%Y", "--bad-lines", "skip"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), skip.begin(), skip.end());
    return words;
  };
  const Ran ran = fold(with({"agg", "sum(v),max(d),count(d),count()"}), mixed);
  EXPECT_EQ(ran.out, "sum(v)\tmax(d)\tcount(d)\tcount()\n6\t2024-02-06\t2\t2\n");
  EXPECT_NE(ran.error.find("2 bad lines were left out"), std::string::npos) << ran.error;
  EXPECT_EQ(out_of(with({"agg", "sum(v),max(d)", "--by", "v"}), mixed),
            "v\tsum(v)\tmax(d)\n3\t6\t2024-02-06\n");
  EXPECT_EQ(out_of(with({"count", "--columns", "v,d"}), mixed), "v\t2\nd\t2\n");
  expect_refused({"count", "--columns", "d", "--date-format", "d=%d/%m/%Y"},
                 "d\n31/05/2024\n01/06/2024\n31/04/2024\n", "line 4, column 1 (d)");
  // Far below the first lines, a column of numbers has a word.
  std::string far = "d,v\n";
  for (int k = 0; k < 500; ++k) far += k == 300 ? "2024-01-09,foo\n" : "2024-01-03,3\n";
  expect_refused({"agg", "sum(v),max(d)", "--bad-lines", "skip"}, far,
                 "so they would use different rows");
}

TEST(Dates, AreKeysThatSortByTime) {
  const auto last = [](const std::string& table, const std::string& pattern) {
    return out_of({"agg", "sum(v)", "--by", "t", "--sort", "-t", "--top", "1", "--date-format",
                   "t=" + pattern},
                  table);
  };
  EXPECT_EQ(last("t,v\n1717158659,1\n1717158659.5,2\n", "epoch"),
            "t\tsum(v)\n2024-05-31 12:30:59.5Z\t2\n");
  EXPECT_EQ(last("t,v\n2024-01-01 10:00:00+0200,1\n2024-01-01 09:00:00+0000,2\n", "%F %T%z"),
            "t\tsum(v)\n2024-01-01 09:00:00Z\t2\n");
  EXPECT_EQ(out_of({"sum", "--columns", "v", "--by", "t"}, "t,v\n10:00,2\nNA,3\n9:00,1\n"),
            "t\tsum\n9:00\t1\n10:00\t2\nNA\t3\n");
}

TEST(Dates, HaveNoSecond60) {
  for (const char* const name : {"second", "days", "epoch"}) {
    expect_refused({"sum", "--columns", "k", "--let", std::string("k = ") + name + "(t)"},
                   "t,v\n2024-05-31 23:59:60,1\n", "is not a date; write it as 2024-05-31");
  }
}

TEST(Dates, HaveAPatternForEachFile) {
  const Folder folder;
  const std::string slashes = folder.write("a.csv", "d\n31/05/2024\n");
  const std::string points = folder.write("b.csv", "d\n01.07.2024\n");
  const std::vector<std::string> words{"max", "--columns", "d", "--date-format"};
  const auto with = [&](const std::string& patterns) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {patterns, slashes, points});
    return run_program(all);
  };
  EXPECT_EQ(with("%d/%m/%Y;%d.%m.%Y").out, "2024-07-01\n");
  EXPECT_NE(with("%d/%m/%Y;%Y.%m.%d").status, 0);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
