// Numbers of tables and texts on the command line: long ones, broken ones, ones with marks.
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "io/files.hpp"
#include "onefold/error.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

using Words = std::vector<std::string>;

void expect(const Words& words, const std::string& text, const std::string& out,
            const std::string& error = "") {
  const Ran ran = run_program(words, {.stdin_text = text});
  EXPECT_EQ(ran.out, out) << text;
  EXPECT_EQ(ran.error, error) << text;
  EXPECT_EQ(ran.status, 0) << text;
}

void expect_refused(const Words& words, const std::string& text, ErrorCode code,
                    const std::string& what) {
  const Ran ran = run_program(words, {.stdin_text = text});
  EXPECT_EQ(ran.out, "") << text;
  EXPECT_NE(ran.error.find(what), std::string::npos) << ran.error;
  EXPECT_EQ(ran.status, exit_status(code)) << text;
}

TEST(TableNumbers, SumIntegersOfAnyLength) {
  expect({"sum"}, "9007199254740993\n-9007199254740992\n", "1\n");
  const std::string long_one = "123456789012345678901234567890";
  expect({"sum", "--by", "k"}, "k,id\na," + long_one + "\na,-123456789012345678901234567889\n",
         "k\tsum\na\t1\n");
  expect({"sum,mean,count"}, "id,x\n" + long_one + ",1\n-" + long_one + ",0.5\n3,0.5\n",
         "column\tsum\tmean\tcount\nid\t3\t1\t3\nx\t2\t0.6666666666666666\t3\n");
  expect({"sum", "--axis", "1"}, "9007199254740993 -9007199254740992\n3 4\n", "1\n7\n");
  // Few, more and very many numbers, which the fast parser reads or does not read.
  std::string ids = "id\n";
  for (int k = 0; k < 20000; ++k) {
    ids +=
        std::to_string(9007199254740993 + k % 2) + '\n' + std::to_string(-9007199254740993) + "\n";
  }
  expect({"sum"}, ids, "10000\n");
  expect({"sum"}, ids.substr(3), "10000\n");
  const Scratch folder;
  expect({"gather", "sum", "--state", folder.path("s.of")}, ids, "");
  expect({"answer", "sum", folder.path("s.of")}, "", "10000\n");
}

TEST(TableNumbers, LeaveOutOfOtherOpsAColumnOfLongIntegers) {
  const std::string note =
      "onefold: a column without numbers is left out: id (integers beyond f64; see --dtype i64)\n";
  expect({"max"}, "id,x\n9007199254740993,1\n9007199254740995,3\n", "3\n", note);
  // A long number comes late: the first lines have short ones.
  std::string late = "id,x\n";
  for (int k = 0; k < 30000; ++k) late += "7,1\n";
  late += "9007199254740993,2\n";
  expect({"max"}, late, "2\n", note);
  expect({"max", "--dtype", "i64"}, late, "id\t9007199254740993\nx\t2\n");
  expect_refused({"max", "--columns", "id"}, late, ErrorCode::out_of_range, "--dtype i64 keeps it");
  expect_refused({"max"}, "id\n9007199254740993\n", ErrorCode::out_of_range,
                 "no column of numbers is left: id (integers beyond f64; see --dtype i64)");
  expect_refused({"max", "--axis", "1", "--header", "yes"}, late, ErrorCode::out_of_range,
                 "column id (integers beyond f64; see --dtype i64) is left out");
  expect_refused({"max"}, "9007199254740993\n", ErrorCode::out_of_range, "--dtype i64 keeps it");
  expect_refused({"median"}, "9007199254740993\n", ErrorCode::out_of_range, "--dtype i64 keeps it");
}

TEST(TableNumbers, SumTheLowestDecimalHoweverItIsSpelt) {
  expect({"sum"}, "10e-1081 -0.1e-1079 1\n", "1\n");
  expect_refused({"sum"}, "11e-1081\n", ErrorCode::out_of_range, "digits below 10^-1080");
}

TEST(TableNumbers, AreNoHeaderWhereTheyAreBroken) {
  for (const std::string broken : {"1.2.3", "0x10", "12,345.678,9", "1e", "1_0_", "--5"}) {
    expect_refused({"sum", "--thousands", ","}, broken + "\n2\n3\n", ErrorCode::bad_token,
                   "\"" + broken + "\" is not a number");
  }
  expect_refused({"sum"}, "1.2.3,0x10\n2,3\n", ErrorCode::bad_token, "pass --header yes");
  expect({"sum", "--header", "yes"}, "1.2.3,0x10\n2,3\n", "1.2.3\t2\n0x10\t3\n");
  expect({"sum"}, "v1,1.2.3\n2,3\n", "v1\t2\n1.2.3\t3\n");
  expect({"sum"}, "2024-01-01,25%\n2,3\n", "2024-01-01\t2\n25%\t3\n");
}

TEST(TableNumbers, ThatSumsRefuseAreNotCounted) {
  for (const char* op : {"sum", "count", "any", "all", "count_nonzero", "count_nan", "max"}) {
    for (const char* text : {"1 7_007 2\n", "1 7'007 2\n3 4 5\n"}) {
      expect_refused({op}, text, ErrorCode::bad_token, "is not a number; if it");
    }
    expect_refused({op}, "1 abc 2\n", ErrorCode::bad_token, "\"abc\" is not a number");
  }
}

TEST(TableNumbers, HaveNoMarkOfThousandsBehindThePoint) {
  const Words words{"sum", "--thousands", ",", "--columns", "a"};
  expect_refused(words, "a;b\n12,345.678,9;1\n", ErrorCode::bad_token,
                 "\"12,345.678,9\" is not a number");
  expect(words, "a;b\n12,345.6789;1\n", "12345.6789\n");
}

TEST(TableNumbers, HaveDecimalCommasWithinQuotesWhereCommasSeparate) {
  const Words words{"sum", "--decimal", ","};
  expect(words, "a,b\n\"1,5\",2\n\"2,5\",3\n", "a\t4\nb\t5\n");
  expect(words, "k,b\nx.y,\"1,5\"\nz,\"2,5\"\n", "4\n",
         "onefold: a column without numbers is left out: k\n");
  expect({"sum", "--decimal", ",", "--by", "k"}, "k,b\nx.y,\"1,5\"\nx.y,\"-2,5\"\n",
         "k\tsum\nx.y\t-1\n");
  expect_refused({"sum", "--decimal", ",", "--columns", "b"}, "a,b\n\"1,5\",1.5\n\"2,5\",3\n",
                 ErrorCode::bad_token, "line 2, column 2 (b): \"1.5\" is not a number");
  expect(words, "\"a\";b\n\"1,5\";2,5\n", "a\t1.5\nb\t2.5\n");
}

TEST(TableNumbers, OfSeveralFilesHaveLinesOfOneWidth) {
  const Scratch folder;
  const std::string table = folder.write("t.csv", "a,b\n1,2\n"), text = folder.write("n", "1 2\n");
  expect({"sum", "--each", table, text}, "",
         "file\tcolumn\tsum\n" + table + "\ta\t1\n" + table + "\tb\t2\n" + text + "\t-\t3\n");
  expect({"sum", "--each", text, text}, "", text + "\t3\n" + text + "\t3\n");
  expect({"sum,max", "--each", text}, "", "file\tsum\tmax\n" + text + "\t3\t2\n");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
