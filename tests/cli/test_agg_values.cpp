// onefold agg: arithmetic of calls, totals and fractions of all rows, and weights.
#include <sstream>

#include "cli/run_on.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

using Words = std::vector<std::string>;

const std::string sales =
    "city,price,qty,n,t\n"
    "Oslo,1.5,2,1,2024-01-02\n"
    "Rome,10,1,2,2024-01-05\n"
    "Oslo,2.5,3,0,2024-02-01\n"
    "Rome,20,4,1,2024-01-01\n"
    "Bern,6,,1,2024-02-03\n";

void expect(const Words& words, const std::string& text, const std::string& out) {
  const Ran ran = run_on(words, text);
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_EQ(ran.out, out) << ran.error;
}

TEST(AggValues, ComputeWithCalls) {
  expect({"agg", "sum(price) / sum(qty), spread = max(price) - min(price), 2 * count()", "--by",
          "city", "--where", "qty > 0"},
         sales,
         "city\tsum(price) / sum(qty)\tspread\t2 * count()\nOslo\t0.8\t1\t4\nRome\t6\t10\t4\n");
  expect({"agg", "sum(price) / count()", "--json"}, sales, "{\"sum(price) / count()\": 8.0}\n");
  // Names of items before, and of columns that only expressions and --having need.
  expect({"agg", "s = sum(price), per = s / count(), sqrt(per)", "--by", "city", "--having",
          "per > 3 and max(qty) > 1", "--sort=-per"},
         sales, "city\ts\tper\tsqrt(per)\nRome\t30\t15\t3.872983346207417\n");
}

TEST(AggValues, ColumnsMayBeCalledAsCallsAre) {
  const std::string text = "count(),x,x*2\n1,2,7\n3,4,9\n";
  expect({"agg", "count(), sum(x), sum(`count()`), sum(x*2), sum(`x*2`)", "--header", "yes"}, text,
         "count()\tsum(x)\tsum(`count()`)\tsum(x*2)\tsum(`x*2`)\n2\t6\t4\t12\t16\n");
}

TEST(AggValues, TypesAreOfColumnsAndNotOfRows) {
  expect({"agg", "count(), sum(n)", "--by", "city", "--top", "1", "--dtype", "i64"},
         "city,n\nOslo,1\nRome,2\nOslo,3\n", "city\tcount()\tsum(n)\nOslo\t2\t4\n");
}

TEST(AggValues, NoColumnIsAKeyTwice) {
  for (const char* const by : {"city,city", "city,#1"}) {
    for (const Words& words :
         {Words{"agg", "sum(price)", "--by", by}, Words{"sum", "--columns", "price", "--by", by}}) {
      const Ran ran = run_on(words, sales);
      EXPECT_EQ(ran.status, exit_status(ErrorCode::bad_option));
      EXPECT_NE(ran.error.find("--by names city twice; leave one of them out"), ran.error.npos);
      EXPECT_EQ(ran.out, "");
    }
  }
}

// a: 9007199254740993 + 2, b: none, c: 2^64 - 1.
const std::string long_ids =
    "k,id,x\na,9007199254740993,1\nb,,2\na,2,3.5\nc,18446744073709551615,4\n";

TEST(AggValues, DependOnNoOtherCall) {
  const std::string text = "k,id,x\na,9007199254740993,1\na,2,3.5\nb,5,4\n";
  const std::vector<std::string> calls = {"sum(id)",    "max(id)",   "mean(id)", "median(id)",
                                          "first(id)",  "last(x)",   "sum(x)",   "max(x)",
                                          "sum(x * 2)", "median(x)", "count()"};
  const auto lines_of = [](const std::string& answers) {
    std::vector<std::vector<std::string>> lines;
    std::istringstream in(answers);
    for (std::string line; std::getline(in, line);) {
      std::istringstream fields(line);
      auto& list = lines.emplace_back();
      for (std::string field; std::getline(fields, field, '\t');) list.push_back(field);
    }
    return lines;
  };
  std::string all;
  for (const std::string& call : calls) all += (all.empty() ? "" : ", ") + call;
  for (const bool by : {true, false}) {
    const auto run = [&](const std::string& list) {
      Words words{"agg", list};
      if (by) words.insert(words.end(), {"--by", "k"});
      const Ran ran = run_on(words, text);
      EXPECT_EQ(ran.status, 0) << list << ": " << ran.error;
      return lines_of(ran.out);
    };
    const auto together = run(all);
    for (std::size_t k = 0; k < calls.size(); ++k) {
      const auto alone = run(calls[k]);
      ASSERT_EQ(alone.size(), together.size());
      for (std::size_t g = 0; g < alone.size(); ++g) {
        EXPECT_EQ(alone[g].back(), together[g].at(k + (by ? 1 : 0))) << calls[k];
      }
    }
  }
}

TEST(AggValues, SumsOfLongIntegersByKeysAreIntegers) {
  expect({"agg", "sum(id), first(id), last(id)", "--by", "k", "--empty-nan"}, long_ids,
         "k\tsum(id)\tfirst(id)\tlast(id)\n"
         "a\t9007199254740995\t9007199254740993\t2\nb\t0\tnan\tnan\n"
         "c\t18446744073709551615\t18446744073709551615\t18446744073709551615\n");
  expect({"sum", "--by", "k", "--columns", "id"}, long_ids,
         "k\tsum\na\t9007199254740995\nb\t0\nc\t18446744073709551615\n");
  // Sums that round to one f64 keep their order.
  expect({"agg", "sum(id)", "--by", "k", "--sort=-sum(id)"},
         "k,id\na,9007199254740992\nb,9007199254740993\n",
         "k\tsum(id)\nb\t9007199254740993\na\t9007199254740992\n");
  // A sum that no 64 bits hold is the nearest f64.
  expect({"agg", "sum(id)", "--by", "k"}, "k,id\na,18446744073709551615\na,18446744073709551615\n",
         "k\tsum(id)\na\t3.6893488147419103e+19\n");
}

TEST(AggValues, EmptyNanIsNanBesideIntegers) {
  for (const Words& words : {Words{"agg", "max(id)"}, Words{"max", "--columns", "id"}}) {
    Words own = words;
    own.insert(own.end(), {"--by", "k", "--empty-nan"});
    const Ran ran = run_on(own, long_ids);
    EXPECT_EQ(ran.status, 0) << ran.error;
    EXPECT_EQ(ran.out.substr(ran.out.find('\n') + 1),
              "a\t9007199254740993\nb\tnan\nc\t18446744073709551615\n");
    own.insert(own.end(), {"--json"});
    EXPECT_NE(run_on(own, long_ids).out.find("9007199254740993}"), std::string::npos);
  }
  for (const char* option : {"--empty-nan", "--nan=omit"}) {  // an index is never NaN
    const Ran ran = run_on({"agg", "argmax(id)", "--by", "k", option}, long_ids);
    EXPECT_EQ(ran.status, 0) << ran.error;
    EXPECT_NE(ran.out.find("b\tempty_input\n"), std::string::npos) << ran.out;
  }
}

TEST(AggValues, RoundEachOperationOnce) {
  // The sums are the decimals .3 and .1, and .3 / .1 of f64 is 2.9999999999999996.
  expect({"agg", "sum(a) / sum(b), sum(a) - sum(b)"}, "a,b\n0.1,0.1\n0.2,0\n",
         "sum(a) / sum(b)\tsum(a) - sum(b)\n2.9999999999999996\t0.19999999999999998\n");
  // An integer beyond 2^53 is rounded once, as the sum of floats is.
  const std::string text = "id,k\n9007199254740993,1\n9007199254740992,2\n";
  expect({"agg", "max(id) / 1", "--by", "k"}, text,
         "k\tmax(id) / 1\n1\t9007199254740992\n2\t9007199254740992\n");
}

TEST(AggValues, HaveNoValueWhereACallHasNone) {
  const std::string text = "k,x,y\na,1,2\nb,,3\n";
  expect({"agg", "max(x) - 1", "--by", "k"}, text, "k\tmax(x) - 1\na\t0\nb\tempty_input\n");
  expect_refused({"agg", "max(x) - 1", "--where", "k == 'b'"}, text,
                 "max(x) - 1: there is nothing");
  expect({"agg", "max(x) - 1, sum(x) / count(x)", "--by", "k", "--empty-nan"}, text,
         "k\tmax(x) - 1\tsum(x) / count(x)\na\t0\t1\nb\tnan\tnan\n");
  expect({"agg", "sum(y) / sum(x)", "--by", "k"}, text, "k\tsum(y) / sum(x)\na\t2\nb\tinf\n");
}

TEST(AggValues, HaveTotalsAndFractionsOfAllRows) {
  expect({"agg", "fraction(sum(price)), total(mean(price)), fraction(count())", "--by", "city"},
         sales,
         "city\tfraction(sum(price))\ttotal(mean(price))\tfraction(count())\n"
         "Bern\t0.15\t8\t0.2\nOslo\t0.1\t8\t0.4\nRome\t0.75\t8\t0.4\n");
  // The total is of all rows, whatever --having and --top keep; --where decides which rows count.
  expect({"agg", "f = fraction(sum(price)), sum(price) / total(sum(price))", "--by", "city",
          "--having", "f > 0.2 or max(price) < 3", "--sort=-f", "--top", "1"},
         sales, "city\tf\tsum(price) / total(sum(price))\nRome\t0.75\t0.75\n");
  expect({"agg", "fraction(sum(price))", "--by", "city", "--where", "city != \"Bern\""}, sales,
         "city\tfraction(sum(price))\nOslo\t0.11764705882352941\nRome\t0.8823529411764706\n");
  expect({"agg", "total(max(t)), total(nunique(city)), total(median(qty)), n = total(count())",
          "--by", "city", "--top", "1"},
         sales,
         "city\ttotal(max(t))\ttotal(nunique(city))\ttotal(median(qty))\tn\n"
         "Bern\t2024-02-03\t3\t2.5\t5\n");
  expect({"agg", "fraction(sum(price)), total(sum(qty))"}, sales,
         "fraction(sum(price))\ttotal(sum(qty))\n1\t10\n");
}

TEST(AggValues, TakeWeights) {
  expect({"agg",
          "mean(price, weights = qty), std(price, weights = qty), average(price, weights = qty), "
          "sum(price)",
          "--by", "city", "--where", "city != \"Bern\""},
         sales,
         "city\tmean(price,weights = qty)\tstd(price,weights = qty)\t"
         "average(price,weights = qty)\tsum(price)\n"
         "Oslo\t2.1\t0.4898979485566356\t2.1\t4\nRome\t18\t4\t18\t30\n");
  expect({"agg", "m = mean(price, fweights = n), sum(price, fweights = n)", "--by", "city"}, sales,
         "city\tm\tsum(price,fweights = "
         "n)\nBern\t6\t6\nOslo\t1.5\t1.5\nRome\t13.333333333333334\t40\n");
  expect({"agg", "mean(price, weights = qty * 2), max(price, fweights = n)"}, sales,
         "mean(price,weights = qty * 2)\tmax(price,fweights = n)\n10.05\t20\n");
  expect({"agg", "m = mean(price, weights = qty) / mean(price)", "--having",
          "corr(price, qty, weights = n) > 0"},
         sales, "m\n1.25625\n");
}

TEST(AggValues, OfGroupsWhoseRowsCountZeroTimesAreOfNothing) {
  const std::string text = "k,x,f\n10,1,0\n2,2,1\n2,3,1\n";
  expect({"agg", "mean(x, fweights = f), count()", "--by", "k"}, text,
         "k\tmean(x,fweights = f)\tcount()\n2\t2.5\t2\n10\tnan\t1\n");
  expect({"agg", "sum(x), count(x, fweights = f)", "--by", "k"}, text,
         "k\tsum(x)\tcount(x,fweights = f)\n2\t5\t2\n10\t1\t0\n");
}

TEST(AggValues, AreSortedByCallsWithCommas) {
  expect({"agg", "quantile(price, 0.9)", "--by", "city", "--sort", "-quantile(price,0.9),city"},
         sales, "city\tquantile(price,0.9)\nRome\t19\nBern\t6\nOslo\t2.4\n");
}

TEST(AggValues, FirstAndLastTreatNaNByThePolicy) {
  const std::string text = "x\nnan\n1\n-NaN\n";
  expect({"agg", "first(x), last(x)"}, text, "first(x)\tlast(x)\nnan\tnan\n");
  expect({"agg", "first(x), last(x)", "--nan", "omit"}, text, "first(x)\tlast(x)\n1\t1\n");
  const Folder folder;
  expect_refusal({"agg", "first(x)", "--nan", "raise", folder.write("a.csv", text)},
                 ErrorCode::nan_found, "column x contains NaN, and --nan raise was given");
}

TEST(AggValues, OfTablesOfWordsTakeTheNamesThatAreCalled) {
  const Folder folder;
  const std::string words = folder.write("w.csv", "k,s\na,u\nb,v\na,w\n"),
                    days = folder.write("d.csv", "d\n2024-01-01\n2024-02-01\n");
  EXPECT_EQ(out_of({"agg", "min(s)", words}, ""), "min(s)\nu\n");
  EXPECT_EQ(out_of({"agg", "count()", "--by", "k", words}, ""), "k\tcount()\na\t2\nb\t1\n");
  EXPECT_EQ(out_of({"agg", "max(d)", days}, ""), "max(d)\n2024-02-01\n");
  expect_refusal({"agg", "count()", words}, ErrorCode::bad_token, "pass --header yes");
}

TEST(AggValues, HaveKeysThatAreExpressions) {
  const Folder folder;
  const std::string file = folder.write("a.csv", "k,a-b,x\na,1,2\na,3,4\n");
  EXPECT_EQ(out_of({"agg", "sum(x)", "--by", "k,x*2", file}, ""),
            "k\tx*2\tsum(x)\na\t4\t2\na\t8\t4\n");
  EXPECT_EQ(out_of({"agg", "sum(x)", "--by", "`a-b`", file}, ""), "a-b\tsum(x)\n1\t2\n3\t4\n");
}

TEST(AggValues, AreKeptByKeysToo) {
  const std::string text = "k,y,x\na,2020,1\nb,2021,2\nb,2020,3\nc,9007199254740993,4\n";
  const auto kept = [&](const std::string& by, const std::string& having, const std::string& out) {
    expect({"agg", "sum(x)", "--by", by, "--having", having}, text, out);
  };
  kept("k", "k != \"a\"", "k\tsum(x)\nb\t5\nc\t4\n");
  kept("k", "k in ('a', 'c') and sum(x) > 1", "k\tsum(x)\nc\t4\n");
  kept("k", "upper(k) == 'B'", "k\tsum(x)\nb\t5\n");
  kept("y", "y > 2020 and y < 9007199254740993", "y\tsum(x)\n2021\t2\n");
  kept("y", "y == 9007199254740993", "y\tsum(x)\n9007199254740993\t4\n");
  kept("k,y", "k == 'b' and y == 2020", "k\ty\tsum(x)\nb\t2020\t3\n");
  kept("upper(k)", "`upper(k)` == 'A'", "upper(k)\tsum(x)\nA\t1\n");
  kept("1", "k == 'a'", "k\tsum(x)\na\t1\n");
  kept("upper(k)", "upper(k) < 'B'", "upper(k)\tsum(x)\nA\t1\n");
  kept("y % 2", "y % 2 == 1 and sum(x) > 1", "y % 2\tsum(x)\n1\t6\n");
  expect_refused({"agg", "sum(x)", "--by", "k", "--having", "y > 1"}, text,
                 "y is not known in --having");
  expect_refused({"agg", "sum(x)", "--having", "k != 'a'"}, text, "k is not known in --having");
  expect_refused({"agg", "sum(x) + y", "--by", "y"}, text, "y is not a call or the name of one");
}

// A condition of a key keeps the groups of the rows that --where keeps by it.
TEST(AggValues, AreKeptByKeysAsRowsAreByWhere) {
  const std::string text =
      "k,y,t,b,x\na,1,2024-01-05,true,1\nb,NA,2024-02-05,false,2\nNA,\"2,500.50\",,TRUE,3\n"
      ",9007199254740993,2024-02-07,,4\nz9,-9007199254740993,2024-02-08,true,5\n"
      "none,1e3,NA,false,6\n";
  const std::vector<std::pair<std::string, std::vector<std::string>>> conditions = {
      {"k",
       {"k != 'a'", "k is null", "k == ''", "k == 'NA'", "coalesce(k, '-') == '-'",
        "length(k) == 1", "k in ('a', 'z9')", "not k == 'a'"}},
      {"y",
       {"y > 1", "y is null", "y == 2500.5", "y == 9007199254740993", "y < -9007199254740992",
        "y == 9007199254740992", "y == '1e3'", "y % 2 == 1"}},
      {"t", {"t > '2024-01-31'", "t is null", "month(t) == 2", "t == '2024-02-05'"}},
      {"b", {"b", "not b", "b == true", "b == 'TRUE'", "b is null"}},
      {"k,b", {"b and k != 'a'", "k is null or b"}}};
  for (const auto& [by, list] : conditions) {
    for (const std::string& condition : list) {
      std::vector<std::string> words = {"agg",         "sum(x)", "--by",    by,
                                        "--thousands", ",",      "--where", condition};
      const Ran rows = run_on(words, text);
      words[6] = "--having";
      const Ran groups = run_on(words, text);
      EXPECT_EQ(groups.status, rows.status) << condition << groups.error << rows.error;
      EXPECT_EQ(groups.out, rows.out) << condition;
    }
  }
  // Without groups there is no kind of keys either.
  for (const char* condition : {"k == 'a'", "k > 1"}) {
    expect({"agg", "sum(x)", "--by", "k", "--where", "x > 9", "--having", condition}, text,
           "k\tsum(x)\n");
  }
}

TEST(AggValues, HaveKeysInQuotesWithAnyCharacters) {
  const std::string text = "Gender (M/F),\"a,b\",x\nM,1,1\nF,1,2\nM,2,3\n";
  expect({"agg", "sum(x)", "--by", "\"Gender (M/F)\""}, text, "Gender (M/F)\tsum(x)\nF\t2\nM\t4\n");
  expect({"agg", "sum(x)", "--by", "\"Gender (M/F)\",\"a,b\"", "--having", "`a,b` == 1"}, text,
         "Gender (M/F)\ta,b\tsum(x)\nF\t1\t2\nM\t1\t1\n");
  expect({"agg", "sum(x)", "--by", "lower(`Gender (M/F)`), \"a,b\""}, text,
         "lower(`Gender (M/F)`)\ta,b\tsum(x)\nf\t1\t2\nm\t1\t1\nm\t2\t3\n");
  for (const char* by : {"Gender (M/F)", "\"Gender (M/F)\"", "`Gender (M/F)`", "1"}) {
    expect({"agg", "sum(x)", "--by", by, "--sort", "-\"Gender (M/F)\""}, text,
           "Gender (M/F)\tsum(x)\nM\t4\nF\t2\n");
  }
}

// A place, a range and a pattern mean columns beside expressions, too.
TEST(AggValues, HaveKeysThatArePlacesBesideExpressions) {
  const std::string text = "a,b,x\n1,p,1\n1,q,2\n";
  expect({"agg", "sum(x)", "--by", "upper(b),2"}, text, "upper(b)\tb\tsum(x)\nP\tp\t1\nQ\tq\t2\n");
  expect({"agg", "sum(x)", "--by", "1-2,upper(b)"}, text,
         "a\tb\tupper(b)\tsum(x)\n1\tp\tP\t1\n1\tq\tQ\t2\n");
  expect({"agg", "sum(x)", "--by", "a*,coalesce(b,\"z\")"}, text,
         "a\tcoalesce(b,\"z\")\tsum(x)\n1\tp\t1\n1\tq\t2\n");
  EXPECT_EQ(run_program({"agg", "sum(x)", "--by", "2,`a`"}, {.stdin_text = text}).out,
            "b\ta\tsum(x)\np\t1\t1\nq\t1\t2\n");
  for (const char* by : {"a,1+1", "(2)", "a,'z'"}) {
    expect_refused({"agg", "sum(x)", "--by", by}, text, "is not the name of a column");
  }
}

TEST(AggValues, AreRefusedWhereTheyMeanNothing) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"sum(price) / foo",
       "agg: foo is not a call or the name of one; write OP(COLUMN), or a name from the list of "
       "calls"},
      {"a / 2, a = sum(price)", "is not of the form OP(COLUMN)"},
      {"price / 2", "is not of the form OP(COLUMN)"},
      {"sum(price) > 2",
       "is true or false, not a number; to choose groups with it, pass it to --having"},
      {"sum(price) / first(city)", "/ does not take"},
      {"fraction(mean(price))", "answers of mean cannot be added to a total"},
      {"fraction(price)", "fraction takes one call as its argument, such as fraction(sum(price))"},
      {"total(sum(price), sum(qty))", "total takes one call"},
      {"total(total(sum(price)))",
       "sum is called inside another call; only total and fraction accept a call"},
      {"sum(sum(price))",
       "sum is called inside another call; only total and fraction accept a call"},
      {"total(total())",
       "total(total()): total takes one call as its argument, such as total(sum(price))"},
      {"quantile(price)", "takes a column and a number from 0 to 1, such as quantile(price, 0.9)"},
      {"quantile(price, 2)", "\"2\" is not a decimal from 0 to 1 of at most 37 digits"},
      {"max(price, weights = qty)", "max: --weights applies only to"},
      {"median(price, weights = qty)", "median takes no weights"},
      {"mean(price, weights = price)", "its column cannot be its own weights"},
      {"sum(price, fweights = price)", "its column cannot be its own weights"},
      {"n = sum(price) / 2, n = count()", "n is listed twice"}};
  for (const auto& [list, says] : cases) expect_refused({"agg", list}, sales, says);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
