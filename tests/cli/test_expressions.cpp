// --where and --let on the command line: expressions select rows and make columns.
#include <gtest/gtest.h>

#include "cli/program.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

const std::string orders =
    "date,region,qty,price,paid\n2024-01-05,North,10,0.10,TRUE\n2024-01-06,South,5,0.20,FALSE\n"
    "2024-02-01,North,NA,0.20,TRUE\n2024-02-03,West,7,0.10,TRUE\n2024-02-09,South,12,1.25,TRUE\n";

Ran run(std::vector<std::string> words, const std::string& text = orders) {
  return run_program(words, {.stdin_text = text});
}
std::string out_of(const std::vector<std::string>& words, const std::string& text = orders) {
  const Ran ran = run(words, text);
  EXPECT_EQ(ran.status, 0) << ran.error;
  return ran.out;
}
// Returns the value of an expression of x.
std::string value_of(const std::string& expression, const std::string& x = "1.2") {
  return out_of({"max", "--let", "y = " + expression, "--columns", "y"}, "x\n" + x + "\n");
}

TEST(Expressions, ChooseRows) {
  const std::pair<const char*, const char*> sums[] = {
      {"qty > 5", "29\n"},
      {"qty > 5 and region == \"North\"", "10\n"},
      {"region = 'South' or price <= .1", "34\n"},
      {"not region == \"South\"", "17\n"},
      {"region in (\"West\", 'South') and qty != 5", "19\n"},
      {"qty not in (5, 7)", "22\n"},
      {"qty is null or qty < 6", "5\n"},
      {"qty is not null", "34\n"},
      {"paid", "29\n"},
      {"!paid || qty <> 10 && price < 1", "12\n"},
      {"qty * price >= 1", "27\n"},
      {"date >= \"2024-02-01\"", "19\n"},
      {"month(date) == 1 and starts_with(region, \"N\")", "10\n"},
      {"`qty` > 5 and `price`>1", "12\n"},
      {"true", "34\n"}};
  for (const auto& [where, sum] : sums) {
    EXPECT_EQ(out_of({"sum", "--columns", "qty", "--where", where}), sum) << where;
  }
}

// As in SQL, a comparison with null is null, and only true expressions select a row.
TEST(Expressions, KnowNullsAsSqlDoes) {
  const std::pair<const char*, const char*> counts[] = {{"qty > 0", "4\n"},
                                                        {"not qty > 0", "0\n"},
                                                        {"qty > 0 or true", "5\n"},
                                                        {"qty > 0 and false", "0\n"},
                                                        {"not (qty > 0 and false)", "5\n"},
                                                        {"coalesce(qty, 3) == 3", "1\n"},
                                                        {"qty + 1 is null", "1\n"},
                                                        {"if(qty > 0, 1, 2) == 2", "1\n"}};
  for (const auto& [where, count] : counts) {
    EXPECT_EQ(out_of({"count", "--columns", "price", "--where", where}), count) << where;
  }
}

// In a text 0.1 is one tenth: + - * % and bin are exact if the result has at most 15 digits.
TEST(Expressions, ComputeWithDecimals) {
  EXPECT_EQ(value_of("0.1 + 0.2"), "0.3\n");
  EXPECT_EQ(value_of("0.1 * 3"), "0.3\n");
  EXPECT_EQ(value_of("x - 1.1"), "0.1\n");
  EXPECT_EQ(value_of("x % 0.5"), "0.2\n");
  EXPECT_EQ(value_of("bin(x, 0.1)"), "1.2\n");
  EXPECT_EQ(value_of("bin(-x, 0.5)"), "-1.5\n");
  EXPECT_EQ(value_of("1 / 3"), "0.3333333333333333\n");
  EXPECT_EQ(value_of("-x * 1e22 * 1e3"), "-1.2e+25\n");
  EXPECT_EQ(value_of("1e300 * 1e300"), "inf\n");
  EXPECT_EQ(value_of("2 + 3 * 4 - 6 / 2"), "11\n");
  EXPECT_EQ(value_of("-(2 + 3) % 3"), "-2\n");
  // If the column is read as f64, they compute with f64.
  EXPECT_EQ(out_of({"max", "--dtype", "f64", "--let", "y = x + 0.2", "--columns", "y"}, "x\n0.1\n"),
            "0.30000000000000004\n");
}

// Also beyond the 22 powers of ten that f64 holds.
TEST(Expressions, HaveIntegerPowers) {
  EXPECT_EQ(value_of("x ** 3"), "1.728\n");
  EXPECT_EQ(value_of("2 - -x ** 2 * 10"), "16.4\n");
  EXPECT_EQ(value_of("(x + 1) ** 2"), "4.84\n");
  const std::pair<const char*, const char*> refused[] = {
      {"x ** 0", "the exponent of ** must be an integer from 1 to 9"},
      {"x ** 2 ** 2", "** cannot be chained"},
      {"((((x + 1) ** 9) ** 9) ** 9) ** 9", "more than 1,000 operators"}};
  for (const auto& [expression, why] : refused) {
    const Ran ran =
        run({"max", "--let", std::string("y = ") + expression, "--columns", "y"}, "x\n1\n");
    EXPECT_NE(ran.error.find(why), std::string::npos) << ran.error;
  }
}

TEST(Expressions, ComputeWithDecimalsOfAnyExponent) {
  const std::pair<const char*, const char*> cases[] = {{"1e23 * 3", "3e+23\n"},
                                                       {"1.1e-25 * 3", "3.3e-25\n"},
                                                       {"-1.5e-200 * 1e-120", "-1.5e-320\n"},
                                                       {"1e-30 + 2e-30", "3e-30\n"},
                                                       {"3e30 - 1e-30", "3e+30\n"},
                                                       {"1.23e40 - 1.22e40", "1e+38\n"},
                                                       {"x + 1e-300", "1.2\n"},
                                                       {"10 % 2e-300", "0\n"},
                                                       {"10 % 3e-300", "1e-300\n"},
                                                       {"-1e-300 % 7e300", "-1e-300\n"},
                                                       {"bin(1.7e-30, 5e-31)", "1.5e-30\n"},
                                                       {"bin(-1e30, 3e22)", "-1.00000002e+30\n"},
                                                       {"bin(-1e-30, 7e30)", "-7e+30\n"}};
  for (const auto& [expression, value] : cases) {
    EXPECT_EQ(value_of(expression), value) << expression;
  }
  EXPECT_EQ(value_of("if(1e-30 + 2e-30 == 3e-30, 1, 0)"), "1\n");
}

TEST(Expressions, GiveZerosTheSignThatF64Has) {
  for (const char* zero : {"-4 % 2", "-1 % 0.1", "0 * -0.5", "x * -0 * 1", "bin(-0 * x, 0.1)"}) {
    EXPECT_EQ(value_of(zero), "-0\n") << zero;
  }
  for (const char* zero : {"4 % -2", "1 % 0.1", "-0 * -0.5", "x - 1.2", "bin(0.05, 0.1)"}) {
    EXPECT_EQ(value_of(zero), "0\n") << zero;
  }
}

TEST(Expressions, CompareNumbersWithTextsByExactValues) {
  const std::string table = "v,k\n1.50,a\n20,b\n150,c\nNA,d\nnan,e\n";
  const std::pair<const char*, const char*> counts[] = {{"v > '100'", "1\n"},
                                                        {"v == '1.5'", "1\n"},
                                                        {"v != '20.0'", "3\n"},
                                                        {"v in ('0.2e2', '150')", "2\n"},
                                                        {"'20' <= v", "2\n"},
                                                        {"v < 'inf'", "3\n"},
                                                        {"v < '1.5000000000000000001'", "1\n"},
                                                        {"text(v) == '1.5'", "0\n"}};
  for (const auto& [where, count] : counts) {
    EXPECT_EQ(out_of({"count", "--columns", "k", "--where", where}, table), count) << where;
  }
  EXPECT_EQ(out_of({"sum", "--columns", "v", "--decimal", ",", "--where", "v > '20.05'"},
                   "v;k\n1,50;a\n20,1;b\n"),
            "20.1\n");
  const Ran word = run({"count", "--columns", "k", "--where", "v > 'x'"}, table);
  EXPECT_NE(word.error.find("> does not take a number (v) and a text (\"x\"); compare it with a "
                            "number, or write text(v) to compare it as text"),
            std::string::npos)
      << word.error;
  EXPECT_EQ(out_of({"sum", "--columns", "qty", "--where", "paid == 'True'"}), "29\n");
}

TEST(Expressions, CompareTextsThatAreTimesAsTimes) {
  const std::string table =
      "t,d,z,v\n2024-01-01T10:00:00,9:00,2024-01-01 10:00+02:00,1\n"
      "2024-01-01 14:00,10:30,2024-01-01 10:00Z,2\n2024-01-02T09:00:00.000,100:00:00,,4\n";
  const std::pair<const char*, const char*> sums[] = {
      {"t >= '2024-01-01 12:00:00'", "6\n"},
      {"t == '2024-01-01T14:00:00.0'", "2\n"},
      {"t in ('2024-01-01 10:00', '2024-01-02 09:00:00')", "5\n"},
      {"t >= '2024-01-02'", "4\n"},
      {"d < '10:00'", "1\n"},
      {"d == '4 days 04:00:00'", "4\n"},
      {"d > '36000s'", "6\n"},
      {"z < '2024-01-01 09:00Z'", "1\n"},
      {"z == '2024-01-01 11:00+01:00'", "2\n"}};
  for (const auto& [where, sum] : sums) {
    EXPECT_EQ(out_of({"sum", "--columns", "v", "--where", where}, table), sum) << where;
  }
  for (const char* where : {"z > '2024-01-01'", "t == '10:00'"}) {
    const Ran ran = run({"sum", "--columns", "v", "--where", where}, table);
    EXPECT_EQ(ran.out, "") << where;
    EXPECT_NE(ran.error.find("cannot be compared"), std::string::npos) << ran.error;
  }
  for (const char* where : {"t == '2024-1-1'", "t < '2024-01'"}) {
    const Ran ran = run({"sum", "--columns", "v", "--where", where}, table);
    EXPECT_EQ(ran.out, "") << where;
    EXPECT_NE(ran.error.find("is not a time such as"), std::string::npos) << ran.error;
  }
  const std::string mixed = "t,v\n2024-01-01,1\nunknown,2\n2024-01-03,4\n";
  EXPECT_EQ(out_of({"sum", "--columns", "v", "--where", "t != 'unknown'"}, mixed), "5\n");
  EXPECT_EQ(out_of({"sum", "--columns", "v", "--where", "t == '2024-01-01 00:00'"}, mixed), "1\n");
  EXPECT_EQ(run({"sum", "--columns", "v", "--where", "t > '2024-01-01'"}, mixed).out, "");
  EXPECT_EQ(out_of({"sum", "--columns", "v", "--missing", "unknown", "--where", "t > '2024-01-01'"},
                   mixed),
            "4\n");
  EXPECT_EQ(out_of({"sum", "--columns", "v", "--where", "s < 'b'"}, "s,v\na,1\nb,2\n"), "1\n");
}

TEST(Expressions, TakeIntegersBeyond2To53ThatF64Holds) {
  const std::string held = "x\n9007199254740994\n1.2345678901234568e+16\n36893488147419103232\n";
  EXPECT_EQ(out_of({"count", "--where", "x > 9007199254740992"}, held), "3\n");
  EXPECT_EQ(out_of({"max", "--where", "x < 1e16"}, held), "9007199254740994\n");
  EXPECT_EQ(out_of({"sum", "--where", "x > 36893488147419103231"}, held + "36893488147419103231\n"),
            "3.6893488147419103e+19\n");
}

TEST(Expressions, SpellNumbersAsAnswersAre) {
  EXPECT_EQ(out_of({"count", "--by", "y", "--let", "y = x * 100000", "--columns", "x"},
                   "x\n1\n-0\n1e-9\n"),
            "y\tcount\n0\t1\n0.0001\t1\n100000\t1\n");
  EXPECT_EQ(out_of({"count", "--by", "y", "--let", "y = x / x", "--columns", "x"}, "x\n0\n1\n"),
            "y\tcount\n1\t1\nnan\t1\n");
  EXPECT_EQ(out_of({"count", "--by", "y", "--let", "y = text(sqrt(x))", "--columns", "x"},
                   "x\n-1\n1e10\n"),
            "y\tcount\n100000\t1\nnan\t1\n");
}

TEST(Expressions, HaveFunctions) {
  EXPECT_EQ(value_of("abs(-2) + floor(-1.5) + ceil(1.2) + round(2.5) + sqrt(16)"), "9\n");
  const std::string date = "2024-02-29T12:30:59.5Z";
  EXPECT_EQ(value_of("year(x) * 10000 + month(x) * 100 + day(x)", date), "20240229\n");
  EXPECT_EQ(value_of("hour(x) * 100 + minute(x) + second(x)", date), "1289.5\n");
  EXPECT_EQ(value_of("weekday(x) + days(x)", date), "19786\n");  // a Thursday
  EXPECT_EQ(value_of("days(x)", "0001-01-01"), "-719162\n");
  // The same dates and times as in columns of times, as they are spelt.
  EXPECT_EQ(value_of("hour(x) * 100 + minute(x)", "2024-02-29T9:05+02:00"), "905\n");
  EXPECT_EQ(value_of("second(x)", "2016-12-31T00:00:00.123456789"), "0.123456789\n");
  EXPECT_EQ(value_of("length(x) + number(left(x, 2))", "12\xc3\xa9"), "15\n");
  EXPECT_EQ(out_of({"count", "--by", "k", "--let", "k = upper(left(x, 1))"}, "x\nab\nAc\nb\n"),
            "k\tcount\nA\t2\nB\t1\n");
  EXPECT_EQ(out_of({"sum", "--columns", "y", "--let", "y = number(x)", "--where",
                    "contains(lower(x), \"E\") or ends_with(x, \"5\")"},
                   "x\n1e1\n15\nzz\n"),
            "15\n");
}

TEST(Expressions, MakeColumnsAndKeys) {
  EXPECT_EQ(out_of({"sum,count", "--let", "total = price * qty", "--columns", "qty,total"}),
            "column\tsum\tcount\nqty\t34\t4\ntotal\t17.7\t4\n");
  EXPECT_EQ(out_of({"sum", "--let", "m = month(date), w = m * 10", "--by", "m,region", "--columns",
                    "qty,w", "--where", "w > 10"}),
            "m\tregion\tqty_sum\tw_sum\n2\tNorth\t0\t20\n2\tSouth\t12\t20\n2\tWest\t7\t20\n");
  EXPECT_EQ(out_of({"count", "--let", "b = bin(qty, 5)", "--by", "b", "--columns", "price"}),
            "b\tcount\n5\t2\n10\t2\nnull\t1\n");
  EXPECT_EQ(out_of({"sum", "--let", "big = qty > 6", "--columns", "big"}), "3\n");
  EXPECT_EQ(out_of({"count", "--by", "region", "--where", "paid"}),
            "region\tdate_count\tqty_count\tprice_count\tpaid_count\nNorth\t2\t1\t2\t2\n"
            "South\t1\t1\t1\t1\nWest\t1\t1\t1\t1\n");
  EXPECT_EQ(out_of({"corr", "--let", "twice = 2 * qty", "--columns", "qty,twice"}), "1\n");
  EXPECT_EQ(out_of({"sum", "--let", "x = `1` * `2`", "--columns", "x"}, "0.1,3\n0.2,7\n"), "1.7\n");
}

TEST(Expressions, GoWithOtherFolds) {
  EXPECT_EQ(out_of({"median", "--columns", "qty", "--where", "price < 1"}), "7\n");
  EXPECT_EQ(out_of({"quantile", "--q", "1", "--let", "t = qty * price", "--columns", "t"}), "15\n");
  EXPECT_EQ(out_of({"describe", "--columns", "qty", "--where", "qty > 7", "--json"}).substr(0, 27),
            "{\"count\": {\"qty\": 2}, \"nan\"");
  EXPECT_EQ(out_of({"argmax", "--columns", "price", "--where", "paid"}), "3\n");  // of chosen rows
  EXPECT_EQ(out_of({"mean", "--columns", "qty", "--nan", "propagate", "--where", "paid"}), "nan\n");
  // Digits that f64 cannot hold stay with their rows.
  EXPECT_EQ(out_of({"sum", "--columns", "x", "--where", "k > 1"},
                   "k,x\n1,5\n2,0.12345678901234567\n3,-0.123456789012345\n"),
            "6.7e-16\n");
}

TEST(Expressions, SayWhatIsWrong) {
  const std::pair<const char*, const char*> wrong[] = {
      {"qty >", "--where \"qty >\": it ends too early"},
      {"qty > 5)", "it cannot be understood from \")\" on"},
      {"qty ^ 5", "it cannot be understood from \"^ 5\" on"},
      {"qty > 1 > 0", "comparisons cannot be chained"},
      {"region == \"a", "a quote is not closed"},
      {"qtyy > 3", "it has no column \"qtyy\" (did you mean qty?)"},
      {"qty", "--where must be true or false for each row"},
      {"region > 3",
       "--where: > does not take a text (region) and a number; write the constant in quotes, or "
       "number(region)"},
      {"abd(qty) > 3", "there is no function abd (did you mean abs?)"},
      {"month(region) == 1", "\"North\" is not a date; write it as 2024-05-31"},
      {"month(\"2023-02-29\") == 1", "is not a date"},
      {"hour(\"2024-05-31 12:30+ab:cd\") == 12", "is not a date"},
      {"hour(\"2024-05-31 12:30+24:00\") == 12", "is not a date"},
      {"qty in (region)", "in (...) accepts only constants"},
      {"region ** 2 > 3", "--where: ** does not take a text (region)"},
      {"qty > 1.2.3", "1.2.3 is not a number"}};
  for (const auto& [where, message] : wrong) {
    const Ran ran = run({"sum", "--columns", "qty", "--where", where});
    EXPECT_NE(ran.status, 0) << where;
    EXPECT_EQ(ran.out, "") << where;
    EXPECT_NE(ran.error.find(message), std::string::npos) << ran.error;
    EXPECT_EQ(std::count(ran.error.begin(), ran.error.end(), '\n'), 1) << ran.error;
  }
  const auto refused = [&](const std::vector<std::string>& words, const char* message,
                           const std::string& text = orders) {
    const Ran ran = run(words, text);
    EXPECT_NE(ran.error.find(message), std::string::npos) << ran.error;
    EXPECT_EQ(ran.out, "");
  };
  refused({"sum", "--let", "price"}, "it ends too early");
  refused({"sum", "--let", "price = 2"}, "the table already has a column price");
  refused({"sum", "--let", "m = left(date, 7)", "--columns", "m"},
          "holds text that --let computes");
  refused({"sum", "--dtype", "i32", "--where", "qty > 1"}, "leave --dtype out");
  refused({"sum", "--where", std::string(5000, '(')}, "nested too deeply");
  std::string sum = "1";
  for (int k = 0; k < 1001; ++k) sum += "+1";
  refused({"sum", "--where", sum + " > 2"}, "more than 1,000 operators");
  refused({"median", "--where", "none.npy"}, "none.npy");
  const std::string ids = "id,x\n9007199254740993,1\n9007199254740992,2\n";
  refused({"max", "--columns", "x", "--where", "sqrt(id) > 5"},
          "sqrt would round 9007199254740993, an integer that f64 cannot hold", ids);
  EXPECT_EQ(out_of({"max", "--columns", "x", "--where", "id == \"9007199254740993\""}, ids), "1\n");
}

// A long chain of operators is no deep tree, so the stack suffices.
TEST(Expressions, MayBeLong) {
  std::string sum = "x";
  for (int k = 0; k < 900; ++k) sum += " + 1";
  EXPECT_EQ(value_of(sum, "1"), "901\n");
  EXPECT_EQ(value_of(std::string(5001, '-') + "x", "1"), "-1\n");
}

// A .npy file has no null, so null would look like a text.
TEST(Expressions, MakeKeysThatNpyMustTellApart) {
  const Folder folder;
  const auto group = [&](const std::string& text, const std::string& name) {
    return run({"sum", "--columns", "x", "--by", "k", "--let", "k = if(x > 1, \"" + text + "\", s)",
                "--output", folder.path(name)},
               "s,x\nNA,1\nb,2\n");
  };
  EXPECT_NE(group("null", "a.npy").error.find("which a .npy file cannot tell apart"),
            std::string::npos);
  EXPECT_TRUE(folder.names().empty());
  EXPECT_EQ(group("none", "a.npy").status, 0);
  EXPECT_EQ(group("null", "a.csv").status, 0);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
