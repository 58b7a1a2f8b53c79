// Columns of dates, times and durations, in their own notation.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/program.hpp"
#include "onefold/error.hpp"
#include "onefold/io/time_text.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

const std::string log =
    "day,at,took,who\n2024-05-31,2024-05-31 23:59:59.5,00:00:01.25,ann\n"
    "2024-02-29,2024-06-01T00:00:00.25,12:00:00,bob\nNA,NA,NA,bob\n"
    "0001-01-01,2024-06-01 00:00:01,30:00:00.000000001,ann\n";

Ran fold(std::vector<std::string> words, const std::string& table = log) {
  const Folder folder;
  words.push_back(folder.write("t.csv", table));
  return run_program(words);
}
std::string out_of(const std::vector<std::string>& words, const std::string& table = log) {
  const Ran ran = fold(words, table);
  EXPECT_EQ(ran.status, 0) << ran.error;
  return ran.out;
}

TEST(Times, OfColumnsHaveTheirNotation) {
  EXPECT_EQ(out_of({"max", "--columns", "day"}), "2024-05-31\n");
  EXPECT_EQ(out_of({"count,min,max,mean,ptp", "--columns", "day,at,took"}),
            "column\tcount\tmin\tmax\tmean\tptp\n"
            "day\t3\t0001-01-01\t2024-05-31\t1349-11-10 00:00:00\t739036 days 00:00:00\n"
            "at\t3\t2024-05-31 23:59:59.5\t2024-06-01 00:00:01\t2024-06-01 00:00:00.25\t"
            "0 days 00:00:01.5\n"
            "took\t3\t00:00:01.25\t30:00:00.000000001\t14:00:00.416666667\t29:59:58.750000001\n");
  EXPECT_EQ(out_of({"sum", "--columns", "took"}), "42:00:01.250000001\n");
  EXPECT_EQ(out_of({"min,count", "--columns", "took", "--json"}),
            "{\"min\": {\"took\": \"00:00:01.25\"}, \"count\": {\"took\": 3}}\n");
}

TEST(Times, HaveMeansRoundedToANanosecondHalvesToEven) {
  EXPECT_EQ(out_of({"mean", "--columns", "x"}, "x\n00:00:00.000000001\n00:00:00.000000002\n"),
            "00:00:00.000000002\n");
  EXPECT_EQ(out_of({"mean", "--columns", "x"}, "x\n00:00:00.000000002\n00:00:00.000000003\n"),
            "00:00:00.000000002\n");
  EXPECT_EQ(out_of({"mean", "--columns", "x"}, "x\n-00:00:00.000000001\n-00:00:00.000000002\n"),
            "-00:00:00.000000002\n");
  // Sums of any number of instants, where 64 bits of nanoseconds would overflow.
  EXPECT_EQ(out_of({"mean", "--columns", "x"}, "x\n9999-12-31\n9999-12-29\n9999-12-30\n"),
            "9999-12-30 00:00:00\n");
}

TEST(Times, AreFoldedByKeysAndSorted) {
  EXPECT_EQ(out_of({"max,sum", "--columns", "took", "--by", "who"}),
            "who\tmax\tsum\nann\t30:00:00.000000001\t30:00:01.250000001\nbob\t12:00:00\t"
            "12:00:00\n");
  EXPECT_EQ(out_of({"max", "--columns", "at", "--by", "who", "--top", "1"}),
            "who\tmax\nann\t2024-06-01 00:00:01\n");
  EXPECT_EQ(out_of({"max", "--columns", "day", "--by", "who", "--where", "who == 'bob'"}),
            "who\tmax\nbob\t2024-02-29\n");
  EXPECT_EQ(out_of({"count,max", "--columns", "x", "--by", "k"}, "k,x\n10,12:00\n9,13:00\n"),
            "k\tcount\tmax\n9\t1\t13:00:00\n10\t1\t12:00:00\n");
}

TEST(Times, AreLeftOutWhereTheyAreMissing) {
  const Ran ran = fold({"max", "--columns", "day"});
  EXPECT_EQ(ran.error, "onefold: a value is missing and left out: 1 in column day\n");
  const Ran none = fold({"max", "--columns", "x", "--by", "k"}, "k,x\na,12:00\nb,\n");
  EXPECT_EQ(none.status, exit_status(ErrorCode::empty_input)) << none.error;
  EXPECT_EQ(out_of({"max", "--columns", "x", "--by", "k", "--empty-nan"}, "k,x\na,12:00\nb,\n"),
            "k\tmax\na\t12:00:00\nb\tnull\n");
}

TEST(Times, CountAsOftenAsFrequenciesSay) {
  const std::string weighted =
      "k,d,took,w\na,2024-01-01,1:00:00,5\nb,2024-01-03,2:00:00,1\nb,2024-03-01,9:00:00,0\n"
      "c,2024-03-01,0:00:01,\na,NA,0:30:00,2\n";
  std::string repeated = "k,d,took\n";
  for (int n = 0; n < 5; ++n) repeated += "a,2024-01-01,1:00:00\n";
  repeated += "b,2024-01-03,2:00:00\na,NA,0:30:00\na,NA,0:30:00\n";
  for (const char* columns : {"d", "took", "d,took"}) {
    for (const std::vector<std::string>& by :
         {std::vector<std::string>{}, std::vector<std::string>{"--by", "k"}}) {
      std::vector<std::string> words{"count,min,max,mean,ptp", "--columns", columns};
      words.insert(words.end(), by.begin(), by.end());
      const std::string right = out_of(words, repeated);
      words.insert(words.end(), {"--fweights", "w"});
      EXPECT_EQ(out_of(words, weighted), right) << columns;
    }
  }
  EXPECT_EQ(out_of({"sum", "--columns", "took", "--fweights", "w"}, weighted), "08:00:00\n");
  const Ran huge = fold({"mean", "--columns", "d", "--fweights", "w"}, "d,w\n2024-01-01,2e17\n");
  EXPECT_NE(huge.status, 0) << huge.out;
}

// Every option of a fold either acts on columns of times or is refused.
TEST(Times, RefuseOptionsThatDoNotActOnThem) {
  for (const std::vector<std::string>& option :
       std::vector<std::vector<std::string>>{{"--ddof", "1"},
                                             {"--correction", "1"},
                                             {"--result", "f32"},
                                             {"--precision", "3"},
                                             {"--top", "1"},
                                             {"--sort", "max"},
                                             {"--no-sort"},
                                             {"--device", "cuda"},
                                             {"--initial", "1"},
                                             {"--axis", "0"},
                                             {"--keepdims"},
                                             {"--target", "avx2"},
                                             {"--weights", "who"},
                                             {"--fweights", "nonexist"},
                                             {"--fweights", "took"},
                                             {"--nan", "raise"},
                                             {"--nan", "propagate"}}) {
    std::vector<std::string> words{"count,max", "--columns", "took"};
    words.insert(words.end(), option.begin(), option.end());
    const Ran ran = fold(words);
    EXPECT_NE(ran.status, 0) << option[0];
    EXPECT_EQ(ran.out, "") << option[0];
    EXPECT_EQ(std::ranges::count(ran.error, '\n'), 1) << ran.error;
  }
  EXPECT_EQ(out_of({"count", "--columns", "took", "--nan", "omit", "--by", "who"}),
            "who\tcount\nann\t2\nbob\t1\n");
}

TEST(Times, RefuseWhatHasNoMeaning) {
  const auto error_of = [](const std::vector<std::string>& words, const std::string& table = log) {
    const Ran ran = fold(words, table);
    EXPECT_NE(ran.status, 0);
    EXPECT_EQ(ran.out, "");
    return ran.error;
  };
  EXPECT_NE(error_of({"sum", "--columns", "day"}).find("dates, which cannot be added"),
            std::string::npos);
  EXPECT_NE(error_of({"max,var", "--columns", "day"}).find("var does not apply"),
            std::string::npos);
  EXPECT_NE(error_of({"max", "--columns", "x,y", "--each"}, "x,y\n2024-01-01,3\n").find("--each"),
            std::string::npos);
  EXPECT_NE(error_of({"max", "--columns", "x"}, "x\n2024-01-01\n12:00\n").find("not a number"),
            std::string::npos);
  EXPECT_NE(error_of({"max", "--columns", "x"}, "k,x\n1,2024-01-01 12:00\n1,2024-01-01 12:00Z\n")
                .find("with a time zone and times without"),
            std::string::npos);
  EXPECT_NE(error_of({"max", "--columns", "day,day"}).find("twice"), std::string::npos);
  std::string late = "x\n";
  for (int k = 0; k < 20000; ++k) late += "2024-01-01\n";
  EXPECT_NE(error_of({"max", "--columns", "x"}, late + "12:00\n").find("cannot be compared"),
            std::string::npos);
  EXPECT_NE(error_of({"max", "--columns", "x"}, late + "soon\n").find("\"soon\" is not a date"),
            std::string::npos);
}

TEST(Times, AreReadAsTheyArePrinted) {
  for (const char* text :
       {"2024-02-29", "0001-01-01", "9999-12-31", "1969-12-31 23:59:59.999999999",
        "2024-05-31 00:00:00", "2024-05-31 12:30:59.25Z", "00:00:00", "-00:00:01.5",
        "100:59:59.000000001", "99999999999:59:59.9", "-1234567:00:00", "3 days 12:30:59",
        "-1 days 00:00:00.25", "0 days 00:00:00"}) {
    const auto time = io::parse_time(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(io::text_of(*time), text);
  }
  const auto printed = [](const char* text) {
    const auto time = io::parse_time(text);
    return time ? io::text_of(*time) : "none";
  };
  EXPECT_EQ(printed("2024-05-31T12:30"), "2024-05-31 12:30:00");
  EXPECT_EQ(printed("2024-01-01 01:00+02:00"), "2023-12-31 23:00:00Z");
  EXPECT_EQ(printed("1500ms"), "0 days 00:00:01.5");
  EXPECT_EQ(printed("-1 days +23:59:59"), "-0 days 00:00:01");
  EXPECT_EQ(printed("5 days"), "5 days 00:00:00");
  for (const char* text : {"",
                           "2024-02-30",
                           "2023-02-29",
                           "2024-13-01",
                           "24-01-01",
                           "2024-1-1",
                           "2024-01-01 24:00",
                           "2024-01-01 12:60",
                           "2024-01-01 12:00:60",
                           "12",
                           "12:",
                           "12:3",
                           "100000000000:00",
                           "1:00:00.",
                           "5",
                           "5 dogs",
                           "2024-01-01 ",
                           "2024-01-01X12:00",
                           "2024-01-01 12:00+2",
                           "12:00:00.1234567890",
                           "1.5s"}) {
    EXPECT_EQ(printed(text), "none") << text;
  }
}

TEST(Times, OfATypeAreSaidByInfo) {
  const Folder folder;
  const Ran ran = run_program(
      {"info", folder.write("t.csv", "day,n,took\n2024-05-31,1,12:30\n2024-06-01,2,3 days\n")});
  EXPECT_EQ(ran.out,
            "name\ttype\tshape\tmissing\nday\tdate\t(2,)\t-\nn\tf64\t(2,)\t0\n"
            "took\tduration\t(2,)\t-\n");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
