// Integers of tables beyond 2^53: with --where, --let, --having and NaN policies their sums are the
// integers that they are without them.
#include <gtest/gtest.h>

#include "cli/run_on.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

using Words = std::vector<std::string>;

void expect(const Words& words, const std::string& text, const std::string& out) {
  const Ran ran = run_on(words, text);
  EXPECT_EQ(ran.out, out) << words[0] << text << ran.error;
  EXPECT_EQ(ran.status, 0) << ran.error;
}

// Sums that f64 does not hold: of a 2^53 + 1, of b 2^53 + 3. Each element is an f64.
const std::string ids =
    "k,x,y\na,9007199254740991,1\na,2,2\nb,9007199254740990,1.5\nb,5,2\nc,5,4\n";
const std::string sums = "k\tsum\na\t9007199254740993\nb\t9007199254740995\nc\t5\n";
// Elements that f64 does not hold, too.
const std::string longer =
    "k,x,y\na,9007199254740993,1\na,2,2\nb,9223372036854775806,1.5\nb,1,2\nc,5,4\n";
const std::string longer_sums = "k\tsum\na\t9007199254740995\nb\t9223372036854775807\nc\t5\n";

TEST(LongIntegers, AreSummedExactlyBesideConditions) {
  for (const std::string where : {"y > 0", "x > 0", "k != 'z'", "x < 9223372036854775807"}) {
    expect({"sum", "--by", "k", "--columns", "x", "--where", where}, ids, sums);
    expect({"sum", "--by", "k", "--columns", "x", "--where", where}, longer, longer_sums);
    expect({"sum", "--columns", "x", "--where", where}, ids, "18014398509481993\n");
    expect({"agg", "sum(x)", "--by", "k", "--where", where}, longer,
           "k\tsum(x)" + longer_sums.substr(5));
  }
  expect({"max,argmax", "--by", "k", "--columns", "x", "--where", "y != 1"}, longer,
         "k\tmax\targmax\na\t2\t0\nb\t9223372036854775806\t1\nc\t5\t3\n");
  expect({"max", "--columns", "x", "--where", "y > 0"}, longer, "9223372036854775806\n");
  expect({"agg", "max(x), first(x)", "--where", "y > 0"}, longer,
         "max(x)\tfirst(x)\n9223372036854775806\t9007199254740993\n");
}

TEST(LongIntegers, AreSummedExactlyInWindows) {
  const Words columns = {"--columns", "x"};
  const auto windows = [&](Words words, const std::string& text, const std::string& out) {
    words.insert(words.end(), columns.begin(), columns.end());
    expect(words, text, out);
  };
  windows({"sum", "--cumulative"}, ids,
          "9007199254740991\n9007199254740993\n18014398509481983\n18014398509481988\n"
          "18014398509481993\n");
  windows({"sum", "--cumulative", "--where", "k == 'a'"}, longer,
          "9007199254740993\n9007199254740995\n");
  windows({"max", "--rolling", "2", "--by", "k"}, longer,
          "k\tmax\na\t9007199254740993\na\t9007199254740993\nb\t9223372036854775806\n"
          "b\t9223372036854775806\nc\t5\n");
  windows({"sum", "--rolling", "2", "--by", "k"}, ids,
          "k\tsum\na\t9007199254740991\na\t9007199254740993\nb\t9007199254740990\n"
          "b\t9007199254740995\nc\t5\n");
  windows({"sum", "--cumulative"}, "x\n-9007199254740993\n9007199254740993\n",
          "-9007199254740993\n0\n");
  windows({"sumsq", "--cumulative"}, "x\n94906267\n1\n", "9007199515875289\n9007199515875290\n");
  for (const Words& words : {Words{"sum", "--cumulative"},
                             {"sum", "--cumulative", "--bad-lines", "skip"},
                             {"sum", "--cumulative", "--non-numbers", "missing"}}) {
    windows(words, "x\n9007199254740992\n1.5\n", "9007199254740992\n9007199254740994\n");
  }
}

TEST(LongIntegers, AreSummedExactlyBesideExpressions) {
  const auto by = [&](const std::string& let, const std::string& text, const std::string& out) {
    expect({"sum", "--by", "k", "--columns", "z", "--let", "z = " + let}, text, out);
  };
  by("x", ids, sums);
  by("x", longer, longer_sums);
  by("x + 1", ids, "k\tsum\na\t9007199254740995\nb\t9007199254740997\nc\t6\n");
  by("x - 9007199254740993", longer,
     "k\tsum\na\t-9007199254740991\nb\t9205357638345293821\nc\t-9007199254740988\n");
  by("2 * x - x", longer, longer_sums);
  by("-(-x)", longer, longer_sums);
  by("coalesce(x, 1)", longer, longer_sums);
  by("if(y > 0, floor(x), 0)", longer, longer_sums);
  by("x % 10", longer, "k\tsum\na\t5\nb\t7\nc\t5\n");
  by("x * 2048 + 1 - x * 2048", "k,x\na,9007199254740992\n", "k\tsum\na\t1\n");
  by("x * 4 + 1 - x * 4", longer, "k\tsum\na\t2\nb\t2\nc\t1\n");
  // Another column's expression changes nothing.
  expect({"sum", "--by", "k", "--columns", "x", "--let", "z = y"}, longer, longer_sums);
  expect({"agg", "sum(x - 1), sum(x)", "--by", "upper(k)"}, longer,
         "upper(k)\tsum(x - 1)\tsum(x)\nA\t9007199254740993\t9007199254740995\n"
         "B\t9223372036854775805\t9223372036854775807\nC\t4\t5\n");
  expect({"count", "--by", "z", "--let", "z = x + 1", "--columns", "y"}, longer,
         "z\tcount\n2\t1\n3\t1\n6\t1\n9007199254740994\t1\n9223372036854775807\t1\n");
}

TEST(LongIntegers, AreNeverRoundedByAnOperation) {
  for (const std::string let : {"x / 2", "sqrt(x)", "x * 0.5", "x + y"}) {
    const Ran ran = run_on({"sum", "--columns", "z", "--let", "z = " + let}, longer);
    EXPECT_EQ(ran.out, "") << let;
    EXPECT_NE(ran.error.find(" would round 9"), std::string::npos) << ran.error;
    EXPECT_NE(ran.error.find(", an integer that f64 cannot hold\n"), std::string::npos);
  }
  // What was rounded once is no integer afterwards.
  expect({"sum", "--columns", "z", "--let", "z = x * 1.1 * 10 - 0.5"}, "x,y\n9007199254740991,1\n",
         "9.90791918021509e+16\n");
}

TEST(LongIntegers, AreSummedExactlyBesideNaN) {
  const std::string missing = ids + "b,NA,1\n", nan = ids + "b,nan,1\n";
  for (const std::string& text : {missing, nan}) {
    expect({"sum", "--by", "k", "--columns", "x", "--nan", "omit"}, text, sums);
    expect({"sum", "--columns", "x", "--nan", "omit"}, text, "18014398509481993\n");
    expect({"sum", "--by", "k", "--columns", "x", "--nan", "propagate"}, text,
           "k\tsum\na\t9007199254740993\nb\tnan\nc\t5\n");
    expect({"agg", "sum(x)", "--by", "k", "--nan", "omit"}, text, "k\tsum(x)" + sums.substr(5));
    expect({"agg", "sum(x)", "--by", "k", "--nan", "propagate", "--where", "y > 0"}, text,
           "k\tsum(x)\na\t9007199254740993\nb\tnan\nc\t5\n");
  }
  expect({"sum", "--by", "k", "--columns", "x", "--nan", "raise"}, ids, sums);
  // What 64 bits do not hold rounds no other sum.
  expect({"sum", "--by", "k", "--columns", "x"}, longer + "c,18446744073709551615,1\n",
         "k\tsum\na\t9007199254740995\nb\t9223372036854775807\nc\t1.8446744073709552e+19\n");
}

TEST(LongIntegers, AreSummedExactlyBesideOtherColumns) {
  expect({"sum", "--by", "k"}, ids,
         "k\tx_sum\ty_sum\na\t9007199254740993\t3\nb\t9007199254740995\t3.5\nc\t5\t4\n");
  expect({"sum,mean", "--by", "k", "--columns", "y,x", "--where", "y > 0"}, longer,
         "k\ty_sum\ty_mean\tx_sum\tx_mean\na\t3\t1.5\t9007199254740995\t4503599627370498\n"
         "b\t3.5\t1.75\t9223372036854775807\t4.611686018427388e+18\nc\t4\t4\t5\t5\n");
  // Sums that round to one f64 keep their order.
  expect({"sum", "--by", "k", "--sort=-x_sum", "--top", "1"},
         "k,x,y\na,9007199254740992,1\nb,9007199254740993,.5\n",
         "k\tx_sum\ty_sum\nb\t9007199254740993\t0.5\n");
}

TEST(LongIntegers, OverflowInOneGroupAlone) {
  const std::string most = "9223372036854775807", text = "k,x\na," + most + "\na," + most +
                                                         "\nb,9007199254740993\nb,-1\nc," + most +
                                                         "\nc," + most + "\nc," + most + "\n";
  const std::string answers = "\na\t18446744073709551614\t" + most +
                              "\nb\t9007199254740992\t9007199254740993\nc\t"
                              "2.7670116110564327e+19\t" +
                              most + "\n";
  expect({"sum,max", "--by", "k", "--columns", "x"}, text, "k\tsum\tmax" + answers);
  expect({"agg", "sum(x), max(x)", "--by", "k"}, text, "k\tsum(x)\tmax(x)" + answers);
  expect({"norm1,sumsq", "--by", "k", "--columns", "x", "--where", "k == 'b'"}, text,
         "k\tnorm1\tsumsq\nb\t9007199254740994\t8.11296384146067e+31\n");
  expect({"agg", "sum(x)", "--by", "k", "--having", "sum(x) + 1 == 18446744073709551615"}, text,
         "k\tsum(x)\na\t18446744073709551614\n");
  expect_refused({"sum", "--by", "k", "--columns", "x", "--dtype", "i64"}, text, "(overflow)");
}

TEST(LongIntegers, LeaveNoLineOutThatHasAFraction) {
  const std::string text = "k,x\na,9007199254740993\na,1.5\na,2,3\n";
  for (const Words& words : {Words{"sum", "--by", "k", "--columns", "x"}, {"sum", "--by", "k"}}) {
    Words own = words;
    own.insert(own.end(), {"--bad-lines", "skip"});
    EXPECT_EQ(run_on(own, text).out, "k\tsum\na\t9007199254740994\n");
  }
  EXPECT_EQ(run_on({"sum", "--columns", "x", "--bad-lines", "skip"}, text).out,
            "9007199254740994\n");
}

TEST(LongIntegers, AreComparedExactly) {
  const auto count = [&](const std::string& where) {
    return out_of({"count", "--columns", "x", "--where", where}, longer);
  };
  EXPECT_EQ(count("x == 9007199254740993"), "1\n");
  EXPECT_EQ(count("x == 9007199254740992"), "0\n");
  EXPECT_EQ(count("x > 9007199254740992"), "2\n");
  EXPECT_EQ(count("x >= 9223372036854775806"), "1\n");
  EXPECT_EQ(count("x < 9223372036854775806"), "4\n");
  EXPECT_EQ(count("x in (5, 9007199254740993, 9223372036854775807)"), "2\n");
  EXPECT_EQ(count("-x == -9007199254740993"), "1\n");
  EXPECT_EQ(count("x - 1 == 9007199254740992"), "1\n");
  EXPECT_EQ(count("text(x + 0) == '9007199254740993'"), "1\n");
  EXPECT_EQ(count("number('9007199254740993') == x"), "1\n");
  // However a decimal of 15 digits is written.
  const std::string decimals =
      "x\n1.23456789012345e18\n1234567890123450000\n\"1234567890123450000\"\n";
  EXPECT_EQ(out_of({"count", "--where", "x == 1.23456789012345e18"}, decimals), "3\n");
  EXPECT_EQ(out_of({"count", "--where", "x == 1234567890123450000"}, decimals), "3\n");
  // Floats in a text are computed with as before.
  const std::string floats = "x\n1.5e30\n6.02e23\n1.23456789012345e18\n";
  for (const std::string where :
       {"x / 2 * 2 == x", "x * 2 / 2 == x", "x * 1e20 > 1e38", "-x < -1e18",
        "x in (1.5e30, 6.02e23, 1.23456789012345e18)", "sqrt(x) > 1e9"}) {
    EXPECT_EQ(out_of({"count", "--where", where}, floats), "3\n") << where;
  }
  EXPECT_EQ(out_of({"max", "--where", "x + 0 < 1e31"}, floats), "1.5e+30\n");
  EXPECT_EQ(out_of({"sum", "--columns", "z", "--let", "z = x * 2"}, "x\n1e23\n2e23\n"), "6e+23\n");
  // Integers of 2^116 and more are told from shorter ones.
  const std::string huge = "x,y\n1" + std::string(40, '0') + "1,1\n2,4\n";
  expect({"sum", "--columns", "y", "--where", "x > 9007199254740993"}, huge, "1\n");
  expect_refused({"sum", "--columns", "y", "--let", "z = x + 1", "--where", "z > 0"}, huge,
                 "+ would round 1e+41, an integer that f64 cannot hold");
}

TEST(LongIntegers, AreComparedExactlyByHaving) {
  const auto having = [&](const std::string& condition, const std::string& out) {
    expect({"agg", "sum(x)", "--by", "k", "--having", condition}, ids, "k\tsum(x)\n" + out);
  };
  having("sum(x) > 9007199254740992", "a\t9007199254740993\nb\t9007199254740995\n");
  having("sum(x) == 9007199254740993", "a\t9007199254740993\n");
  having("sum(x) > 9007199254740993", "b\t9007199254740995\n");
  having("sum(x) - 1 == 9007199254740992 or sum(x) < 6", "a\t9007199254740993\nc\t5\n");
  expect_refused({"agg", "sum(x)", "--by", "k", "--having", "sum(x) / 2 > 5"}, ids,
                 "/ would round 9007199254740993, an integer that f64 cannot hold");
}

TEST(LongIntegers, StayOutOfFoldsThatCannotHoldThem) {
  const Ran ran =
      run_program({"max", "--columns", "x", "--where", "y > 0"}, {.stdin_text = longer});
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.error.find("column x: 9007199254740993 is an integer that f64 cannot hold exactly; "
                           "pass --dtype i64"),
            std::string::npos)
      << ran.error;
  const Ran all = run_program({"max", "--where", "y > 0"}, {.stdin_text = longer});
  EXPECT_EQ(all.out, "4\n");
  EXPECT_NE(all.error.find("x (integers beyond f64; see --dtype i64)"), std::string::npos);
  EXPECT_EQ(out_of({"max", "--columns", "x", "--dtype", "i64", "--where", "y > 0"}, longer),
            "9223372036854775806\n");
  expect_refused({"sum", "--columns", "y", "--dtype", "i64", "--where", "x > 0"}, longer,
                 "column y: 1.5 is not an integer, which i64 needs");
  expect_refused({"sum", "--columns", "x", "--dtype", "i64", "--where", "x > 0"},
                 "x\n9223372036854775808\n", "9223372036854775808 is beyond i64");
}

TEST(LongIntegers, AndLongFractionsAreExactAsConstants) {
  const auto refuses = [&](const std::string& where, const std::string& says) {
    expect_refused({"sum", "--columns", "x", "--where", where}, ids, says);
  };
  refuses("x > 0.1234567890123456789",
          "has more digits than f64 holds; compare the column with the text \"");
  refuses("x > 9007199254740993.5", "has more digits than f64 holds");
  refuses("x > 1" + std::string(40, '0') + "1",
          "is an integer of 2^116 or more that f64 cannot hold");
  EXPECT_EQ(out_of({"count", "--columns", "x", "--where", "x > 0.30000000000000004"}, ids), "5\n");
  EXPECT_EQ(out_of({"count", "--columns", "x", "--where", "x < 1.2345678901234567e200"}, ids),
            "5\n");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
