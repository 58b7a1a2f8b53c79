// Fields of tables that are no plain numbers: words in columns of numbers, currencies, separators.
#include "cli/run_on.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

using Words = std::vector<std::string>;

void expect(const Words& words, const std::string& text, const std::string& out,
            const std::string& error = "", const std::string& name = "t.csv") {
  const Ran ran = run_on(words, text, name);
  EXPECT_EQ(ran.status, 0) << text << ran.error;
  EXPECT_EQ(ran.out, out) << text << ran.error;
  EXPECT_EQ(ran.error, error) << text;
}

std::string lines_of(int n, const std::string& line) {
  std::string text;
  for (int k = 0; k < n; ++k) text += line;
  return text;
}

TEST(TableOthers, LeaveTheirColumnOutOfFoldsOfAllColumns) {
  for (const std::string word : {"Unknown", "#N/A", "..", "16a", "--", "TRUE"}) {
    const std::string text = "k,v,x\n" + lines_of(60, "a,1,2\n") + "b," + word + ",3\n";
    expect({"sum"}, text, "123\n",
           "onefold: a column without numbers is left out: k\n"
           "onefold: a column with some fields that are not numbers is left out: v (60 of 61; line "
           "62: \"" +
               word + "\")\n");
    expect({"sum", "--by", "k"}, text, "k\tsum\na\t120\nb\t3\n",
           "onefold: a column with some fields that are not numbers is left out: v (60 of 61; line "
           "62: \"" +
               word + "\")\n");
    expect_refused({"sum", "--columns", "v"}, text,
                   "line 62, column 2 (v): \"" + word + "\" is not a number");
    expect_refused({"sum", "--columns", "v", "--where", "x > 2"}, text,
                   "line 62, column 2 (v): \"" + word + "\" is not a number");
    EXPECT_EQ(run_on({"sum", "--where", "x > 2"}, text).out, "3\n");
    EXPECT_EQ(run_on({"median"}, text).out, "2\n");
  }
}

TEST(TableOthers, AreCountedByInfo) {
  const std::string text = "k,v,x\n" + lines_of(60, "a,1,2\n") + "b,Unknown,3\nc,,4\nd,..,5\n";
  EXPECT_EQ(run_on({"info"}, text).out,
            "name\ttype\tshape\tmissing\nk\ttext\t(63,)\t-\n"
            "v\ttext (60 of 62 are numbers; line 62: \"Unknown\")\t(63,)\t1\n"
            "x\tf64\t(63,)\t0\n");
  const std::string json = run_on({"info", "--json"}, text).out;
  EXPECT_NE(json.find("{\"name\": \"v\", \"type\": \"text\", \"shape\": [63], \"missing\": 1, "
                      "\"numbers\": 60, \"first_other\": {\"line\": 62, \"text\": \"Unknown\"}}"),
            std::string::npos)
      << json;
}

TEST(TableOthers, NameTheLineOfAnyPiece) {
  const std::string text = "v,x\n" + lines_of(2000000, "1,2\n") + "no,3\n4,5\n";
  const Ran ran = run_on({"sum"}, text);
  EXPECT_EQ(ran.out, "4000008\n");
  EXPECT_NE(ran.error.find("v (2000001 of 2000002; line 2000002: \"no\")"), std::string::npos)
      << ran.error;
}

TEST(TableOthers, AreMissingWhereTold) {
  const std::string text = "k,v,x\na,1,2\nb,Unknown,3\nc,5,..\n";
  const std::string note =
      "onefold: 2 values are missing and left out: 1 in column v, 1 in column x\n";
  expect({"sum", "--non-numbers", "missing", "--columns", "v,x"}, text, "v\t6\nx\t5\n", note);
  expect({"count", "--non-numbers", "missing", "--columns", "v,x"}, text, "v\t2\nx\t2\n", note);
  expect({"sum", "--non-numbers", "missing", "--by", "k", "--columns", "v"}, text,
         "k\tsum\na\t1\nb\t0\nc\t5\n", "onefold: a value is missing and left out: 1 in column v\n");
  expect({"sum", "--non-numbers", "missing", "--dtype", "i64", "--columns", "v"}, text, "6\n",
         "onefold: a value is missing and left out: 1 in column v\n");
  expect_refused({"sum", "--non-numbers", "zero"}, text, "choose one of error, missing");
}

TEST(TableOthers, AreNeverMissingWhereTheyHaveMarksOfNumbers) {
  for (const std::string marked : {"1,000", "1,5", "1.2.3", "0x10"}) {
    const std::string text = "id;v\n0;7\n1;" + marked + "\n2;7\n3;7\n";
    for (const std::string op : {"sum", "count", "max"}) {
      expect_refused({op, "--non-numbers", "missing", "--columns", "v"}, text,
                     "line 3, column 2 (v): \"" + marked + "\" is not a number");
      const Ran ran = run_on({op, "--non-numbers", "missing"}, text);
      EXPECT_EQ(ran.status, 0) << ran.error;
      EXPECT_NE(ran.error.find("v (3 of 4; line 3: \"" + marked + "\""), ran.error.npos)
          << ran.error;
    }
    // A chosen column, and one of text, may have any values.
    EXPECT_EQ(run_on({"count", "--columns", "v"}, text).out, "4\n");
    EXPECT_EQ(run_on({"count"}, text).out, "id\t4\nv\t4\n");
  }
  EXPECT_EQ(run_on({"count"}, "id;v\n0;a\n1;1,000\n2;b\n").out, "id\t3\nv\t3\n");
}

TEST(TableOthers, NameAnOptionOnlyIfItTakesThem) {
  const Ran long_ones = run_on({"sum", "--columns", "b", "--dtype", "i64"}, "a,b\n1,7\n2,0.5\n");
  EXPECT_EQ(long_ones.error.find("--numbers"), std::string::npos) << long_ones.error;
  const Ran left = run_on({"max"}, "a,b\n1,9007199254740993\n2,0.5\n");
  EXPECT_EQ(left.error.find("--numbers"), std::string::npos) << left.error;
  for (const Words& words : {Words{"max", "--columns", "b"}, {"median", "--columns", "b"}}) {
    const Ran ran = run_on(words, "a,b\n1,9007199254740993\n2,0.5\n");
    EXPECT_NE(ran.status, 0);
    EXPECT_EQ(ran.error.find("--numbers"), std::string::npos) << ran.error;
  }
  expect_refused({"sum", "--columns", "v"}, "k,v\na,\"$1,000\"\n",
                 "to read it as a number, pass --numbers loose --thousands ,");
  const Ran fraction = run_on({"sum", "--columns", "v", "--dtype", "i64"}, "k,v\na,$0.5\n");
  EXPECT_EQ(fraction.error.find("--numbers"), std::string::npos) << fraction.error;
  const Ran grouped = run_on({"sum", "--columns", "v"}, "k;v\na;1,000\n");
  EXPECT_EQ(grouped.error.find("--numbers"), std::string::npos) << grouped.error;
}

TEST(TableOthers, LetDescribeHaveNoColumnOfNumbers) {
  const std::string text = "k,v\na,b\nc,d\n", header = "column\tcount\tnan\t";
  for (const Words& words : {Words{"describe", "--header", "yes"},
                             {"describe", "--columns", "v", "--header", "yes"},
                             {"describe", "--header", "yes", "--where", "k != 'x'"}}) {
    const Ran ran = run_on(words, text);
    EXPECT_EQ(ran.status, 0) << ran.error;
    EXPECT_EQ(ran.out.substr(0, header.size()), header) << ran.out;
    EXPECT_NE(ran.error.find("without numbers"), std::string::npos) << ran.error;
  }
  EXPECT_EQ(out_of({"describe", "--header", "yes"}, text).substr(0, header.size()), header);
  EXPECT_EQ(run_on({"describe", "--by", "k", "--header", "yes"}, text).out, "k\na\nc\n");
  EXPECT_EQ(run_on({"describe", "--columns", "v"}, "k,v\na,1\nc,d\ne,f\ng,h\n").status, 0);
  expect_refused({"sum", "--header", "yes"}, text, "no column of the table holds numbers");
}

TEST(TableOthers, DoNotHideNumbersWithOtherMarks) {
  expect_refused({"sum", "--columns", "a"}, "a;b\n1;2\n1,5;3\n", "--decimal");
  expect_refused({"sum"}, "k,v\na,1\nb,\"1,000\"\n", "--thousands");
  expect_refused({"sum"}, "x\n1\n1e400\n", "1e400");
  expect_refused({"sum"}, "k,v\na,\"+47 123\"\n", "--thousands");
  // Without a header nothing says that a column is one of text.
  expect_refused({"sum", "--header", "no"}, "1,\"1,000\"\n2,5\n", "--thousands");
  expect_refused({"sum"}, "1,2\n2,1e\n", "\"1e\" is not a number");
}

TEST(TableOthers, WithMarksOfNumbersLeaveOnlyTheirOwnColumnOut) {
  for (const std::string cell :
       {"\"356,064\"", "1e400", "1e", "e5", "1..2", "0x10", "+-5", "5-", "+47 123"}) {
    const std::string shown = cell[0] == '"' ? cell : '"' + cell + '"';
    const std::string text = "a,code\n1,2\n3," + cell + "\n";
    const Ran ran = run_on({"sum"}, text);
    EXPECT_EQ(ran.out, "4\n") << cell << ran.error;
    EXPECT_NE(ran.error.find("code (1 of 2; line 3: " + shown), ran.error.npos) << ran.error;
    EXPECT_EQ(run_on({"info"}, text).status, 0) << cell;
    EXPECT_EQ(run_on({"describe"}, text).status, 0) << cell;
    EXPECT_NE(run_on({"sum", "--columns", "code"}, text).status, 0) << cell;
  }
  const Ran phones = run_on({"sum"}, "phone,v\n+47 123,1\n+47 999,2\n");
  EXPECT_EQ(phones.out, "3\n") << phones.error;
  EXPECT_NE(phones.error.find("phone (\"+47 123\"; if it is a number with a thousands separator"),
            phones.error.npos)
      << phones.error;
  EXPECT_EQ(run_on({"sum", "--by", "k"}, "k,v,x\na,1,2\na,\"1,000\",3\n").out, "k\tsum\na\t5\n");
  EXPECT_EQ(run_on({"median"}, "v,x\n1,2\n\"1,000\",4\n").out, "3\n");
}

TEST(TableOthers, AreTextsWhereATextIsAskedFor) {
  const std::string text = "k,t,x\na,2024-01-01,1\nb,2024-01-02,2\na,2024-01-03,zz\n";
  const auto agg = [&](const std::string& calls) {
    return run_on({"agg", calls, "--non-numbers", "missing"}, text).out;
  };
  EXPECT_EQ(agg("nunique(k), nunique(t), count(t), count(k), sum(x), count(x)"),
            "nunique(k)\tnunique(t)\tcount(t)\tcount(k)\tsum(x)\tcount(x)\n2\t3\t3\t3\t3\t2\n");
  EXPECT_EQ(agg("mode(k), first(k), max(k), max(t), nunique(x)"),
            "mode(k)\tfirst(k)\tmax(k)\tmax(t)\tnunique(x)\na\ta\tb\t2024-01-03\t2\n");
  expect({"text", "nunique,count", "--columns", "k", "--non-numbers", "missing"}, text,
         "column\tnunique\tcount\nk\t2\t3\n");
}

TEST(TableOthers, LetDescribeLeaveChosenColumnsOut) {
  const Ran ran = run_on({"describe", "--columns", "v,x"}, "k,v,x\na,1,2\nb,no,3\n");
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_NE(ran.out.find("\nx\t2\t0\t0\t0\t5\t"), std::string::npos) << ran.out;
  EXPECT_NE(ran.error.find("v (1 of 2; line 3: \"no\")"), std::string::npos) << ran.error;
}

TEST(TableOthers, AreEmptyColumnsThatRefuseOnlyThemselves) {
  const std::string note = "onefold: a column without values is left out: 3\n";
  expect({"min"}, "a,b,\n1,2,\n3,4,\n", "a\t1\nb\t2\n", note);
  expect({"min", "--by", "a"}, "a,b,\n1,2,\n3,4,\n", "a\tmin\n1\t2\n3\t4\n", note);
  expect({"min", "--empty-nan"}, "a,b,\n1,2,\n", "a\t1\nb\t2\n3\tnan\n",
         "onefold: a value is missing and left out: 1 in column 3\n");
  EXPECT_EQ(run_on({"sum"}, "a,b,\n1,2,\n3,4,\n").out, "a\t4\nb\t6\n3\t0\n");
  EXPECT_EQ(run_on({"describe"}, "a,b,\n1,2,\n3,4,\n").status, 0);
  expect_refused({"min", "--columns", "3"}, "a,b,\n1,2,\n", "there is nothing to fold");
}

TEST(TableOthers, AreIntegersOfAnyLength) {
  const std::string text = "id,x\n9007199254740993,1\n9007199254740995,2.5\n";
  expect({"min,max,sum"}, text,
         "column\tmin\tmax\tsum\nid\t9007199254740993\t9007199254740995\t18014398509481988\n"
         "x\t1\t2.5\t3.5\n");
  expect({"max", "--columns", "id"}, text, "9007199254740995\n");
  expect({"max", "--columns", "id", "--json"}, text, "{\"max\": {\"id\": 9007199254740995}}\n");
  expect({"sum"}, "a\n100000000000000000\n100000000000000001\n", "200000000000000001\n");
  expect({"sum", "--columns", "a"}, "a,b\n100000000000000000,x\n7,x\n", "100000000000000007\n");
  expect({"max"}, "a\n18446744073709551615\n1\n", "18446744073709551615\n");
  EXPECT_NE(run_on({"describe"}, text).out.find("\t9007199254740993\t"), std::string::npos);
  // Two such columns, one of which has a fraction.
  expect(
      {"max"}, "a,b\n9007199254740993,9007199254740993\n2,0.5\n", "9007199254740993\n",
      "onefold: a column without numbers is left out: b (integers beyond f64; see --dtype i64)\n");
  expect({"sum"}, "a\n1e20\n5e19\n", "1.5e+20\n");
}

TEST(TableOthers, AreLongIntegersOfWhichASumIsLonger) {
  const std::string text = "a\n9223372036854775807\n9223372036854775807\n";
  expect({"sum,max"}, text, "column\tsum\tmax\na\t18446744073709551614\t9223372036854775807\n");
  expect({"sum"}, text, "18446744073709551614\n");
  const std::string more = text + "9223372036854775807\n";
  for (const std::string verb : {"norm1,max", "sum,max"}) {
    const std::string answers = "column\t" + verb.substr(0, verb.find(',')) +
                                "\tmax\na\t2.7670116110564327e+19\t9223372036854775807\n";
    expect({verb}, more, answers);
    expect({verb, "--columns", "a"}, more, answers);
  }
  expect_refused({"sum", "--dtype", "i64"}, more, "(overflow)");
  expect({"norm1,max", "--result", "f64"}, more,
         "column\tnorm1\tmax\na\t2.7670116110564327e+19\t9.223372036854776e+18\n");
}

TEST(TableOthers, AreLongIntegersOfKeysPairsAndQuantiles) {
  const std::string text =
      "k,id,n,x\na,9007199254740993,1,1\nb,9007199254740995,2,0.5\nb,9007199254740997,3,0.5\n";
  expect({"max", "--columns", "id", "--by", "k"}, text,
         "k\tmax\na\t9007199254740993\nb\t9007199254740997\n");
  expect({"sum,min", "--columns", "id,n", "--by", "k"}, text,
         "k\tid_sum\tid_min\tn_sum\tn_min\na\t9007199254740993\t9007199254740993\t1\t1\n"
         "b\t18014398509481992\t9007199254740995\t5\t2\n");
  expect({"median", "--columns", "id"}, text, "9007199254740996\n");
  expect({"quantile", "--q", "1", "--columns", "n,id", "--by", "k"}, text,
         "k\tn_q1\tid_q1\na\t1\t9007199254740992\nb\t3\t9007199254740996\n");
  expect({"slope", "--columns", "n,id"}, text, "2\n");
  // A column beside it has fractions.
  expect_refused({"max", "--columns", "id,x", "--by", "k"}, text, "--dtype i64 keeps it");
}

TEST(TableOthers, AreLongIntegersBesideMissingOnes) {
  const std::string text = "id,x\n9007199254740993,1\n,2\n";
  EXPECT_EQ(run_on({"max", "--nan", "omit"}, text).out, "id\t9007199254740993\nx\t2\n");
  EXPECT_EQ(run_on({"max"}, text).out, "id\t9007199254740993\nx\t2\n");
  expect_refused({"max", "--columns", "id", "--nan", "propagate"}, text, "--dtype i64 keeps it");
}

TEST(TableOthers, AreLongIntegersThatAFileOfOneTypeDoesNotHold) {
  const Scratch folder;
  const std::string text = "id,x\n9007199254740993,1\n", npy = folder.path("o.npy"),
                    csv = folder.path("o.csv");
  expect_refused({"min,max", "--output", npy}, text,
                 "pass --dtype i64, or write a .csv or .jsonl file");
  EXPECT_EQ(run_on({"min,max", "--output", csv}, text).status, 0);
  EXPECT_EQ(read_file(csv), "column,min,max\nid,9007199254740993,9007199254740993\nx,1,1\n");
}

TEST(TableOthers, MayHaveSignsOfCurrencyAndPercent) {
  const std::string text =
      "k,v\na,\"$1,234.50\"\nb,-$5\nc,12%\nd,\xe2\x82\xac 7\ne,\xc2\xa3"
      "2\n";
  expect({"sum", "--columns", "v", "--numbers", "loose", "--thousands", ","}, text, "1250.5\n");
  expect_refused({"sum", "--columns", "v", "--thousands", ","}, text,
                 "\"$1,234.50\" is not a number; to read it as a number, pass --numbers loose");
  expect({"sum"}, "x,v\n1,$5\n2,$6\n", "3\n",
         "onefold: a column without numbers is left out: v (\"$5\"; to read it as a number, pass "
         "--numbers loose)\n");
  expect({"sum", "--numbers", "loose"},
         "item,v\na,5 \xe2\x82\xac\nb,\xc2\xa0"
         "6\n",
         "11\n", "onefold: a column without numbers is left out: item\n");
  for (const char* bad : {"$$5", "5$5", "%5", "-$-5", "$", "USD5"}) {
    EXPECT_NE(
        run_on({"sum", "--columns", "v", "--numbers", "loose"}, "k,v\na," + std::string(bad) + "\n")
            .status,
        0)
        << bad;
  }
}

TEST(TableOthers, MayHaveHardBlanksBetweenThousands) {
  const std::string text =
      "k;v\na;1\xc2\xa0"
      "234,5\nb;2\xe2\x80\xaf"
      "000\nc;3 000\n";
  expect({"sum", "--columns", "v", "--thousands", "space", "--decimal", ","}, text, "6234.5\n");
  expect_refused({"sum", "--columns", "v"}, text, "is not a number");
}

TEST(TableOthers, LeaveCommasInNamesBesidePipesAndSemicolons) {
  expect({"sum"}, "city, state|pop\nAustin, TX|900\nDallas, TX|1300\n", "2200\n",
         "onefold: a column without numbers is left out: city, state\n");
  expect({"sum"}, "Name, first;Age\nDoe, J;31\nRoe, K;12\n", "43\n",
         "onefold: a column without numbers is left out: Name, first\n");
  expect({"sum"}, "\"a, b\",c\n1,2\n", "a, b\t1\nc\t2\n");
  expect({"sum", "--columns", "\"a, b\""}, "\"a, b\",c\n1,2\n", "1\n");
  expect_refused({"sum", "--columns", "b"}, "a;b\n1;21,5\n2;19,2\n", "--decimal");
}

TEST(TableOthers, AreEmptyInTheFirstFileAndTimesInTheNext) {
  const Scratch folder;
  const std::string a = folder.write("a.csv", "k,v\na,\n"),
                    b = folder.write("b.csv", "k,v\na,2024-01-02\n");
  for (const Words& words :
       {Words{"max", "--columns", "v", a, b}, {"max", "--columns", "v", b, a}}) {
    EXPECT_EQ(run_program(words).out, "2024-01-02\n");
  }
}

TEST(TableOthers, AreZeroBytesThatAreNamed) {
  expect_refused({"count", "--by", "x", "--columns", "y"}, std::string("x,y\na\0b,1\nI,2\n", 14),
                 "line 2 contains a NUL byte");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
