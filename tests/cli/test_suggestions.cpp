// Messages that name the command which the user may have meant.
#include <cstdlib>
#include <regex>

#include "cli/run_on.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

using Words = std::vector<std::string>;

const std::string sales = "city,amount\nOslo,3\nBergen,4.5\nOslo,2\n";

// Runs words, in which t.csv is a file; the message must end with `says`.
void expect_suggestion(Words words, const std::string& says) {
  const Scratch folder;
  const std::string path = folder.write("t.csv", sales);
  for (std::string& word : words) {
    if (word == "t.csv") word = path;
  }
  const Ran ran = run_program(words);
  EXPECT_NE(ran.status, 0);
  EXPECT_EQ(ran.out, "");
  const std::string end = std::regex_replace(says, std::regex("t\\.csv"), path) + "\n";
  EXPECT_TRUE(ran.error.ends_with(end)) << ran.error << end;
}

std::string answer(const Words& words) {
  const Ran ran = run_on(words, sales);
  EXPECT_EQ(ran.status, 0) << ran.error;
  return ran.out;
}

TEST(Suggestions, NameTheCallsOfAggForOpsThatNeedAllValues) {
  expect_suggestion({"sum,p99", "t.csv"},
                    "p99 cannot be folded: it needs all values at once, which no state of fixed "
                    "size can hold; write onefold agg 'sum(x), p99(x)' t.csv, where x is a column");
  expect_suggestion({"median,sum", "t.csv"},
                    "onefold agg 'median(x), sum(x)' t.csv, where x is a column");
  expect_suggestion({"percentile", "t.csv"},
                    "onefold agg 'quantile(x, 0.9)' t.csv, where x is a column");
  expect_suggestion({"n,iqr", "t.csv"},
                    "onefold agg 'n(x), p75(x) - p25(x)' t.csv, where x is a column");
  expect_suggestion({"corr,q1"}, "onefold agg 'corr(x, y), p25(x)' FILE, where x is a column");
  EXPECT_EQ(answer({"agg", "sum(amount), p99(amount)"}), "sum(amount)\tp99(amount)\n9.5\t4.47\n");
  EXPECT_EQ(answer({"agg", "p75(amount) - p25(amount)"}), "p75(amount) - p25(amount)\n1.25\n");
}

TEST(Suggestions, NameTheVerbOfAFunctionThatIsNotAnOp) {
  expect_suggestion({"cumsum", "t.csv"}, "write onefold sum --cumulative t.csv");
  expect_suggestion({"mode"}, "write onefold text mode FILE");
  expect_suggestion({"sum,prod"}, "docs/numerics.md");
}

TEST(Suggestions, TakeACallOfAnOpForOneOfAgg) {
  expect_suggestion({"sum(amount)", "t.csv"}, "write onefold agg 'sum(amount)' t.csv");
  expect_suggestion({"mean", "sum(amount)", "t.csv"},
                    "for a call write onefold agg 'sum(amount)' t.csv");
  expect_suggestion({"agg", "t.csv"},
                    "agg: the calls must come before the files; write onefold agg 'sum(x)' "
                    "t.csv, where x is a column");
  expect_suggestion({"agg", "p99.9(amount)", "t.csv"}, "; write quantile(amount, 0.999)");
  expect_suggestion({"agg", "p5.25(amount)", "t.csv"}, "; write quantile(amount, 0.0525)");
  EXPECT_EQ(answer({"agg", "quantile(amount, 0.999)"}), "quantile(amount,0.999)\n4.497\n");
}

TEST(Suggestions, TakeAWordForAColumnIfAFileHasIt) {
  expect_suggestion({"sum", "amount", "t.csv"},
                    "there is no file amount; t.csv has a column amount: onefold sum --columns "
                    "amount t.csv");
  expect_suggestion({"sum", "t.csv", "missing"}, "open missing: No such file or directory");
  EXPECT_EQ(answer({"sum", "--columns", "amount"}), "9.5\n");
}

TEST(Suggestions, KnowOtherNamesOfOptions) {
  for (const char* name : {"--group-by", "--groupby", "-b", "-g"}) {
    expect_suggestion({"sum", name, "city", "t.csv"},
                      std::string("there is no option ") + name + "; write --by");
  }
  expect_suggestion({"sum", "-d", ";", "t.csv"}, "there is no option -d; write --delimiter");
  expect_suggestion({"sum", "--filter=amount>1", "t.csv"},
                    "there is no option --filter; write --where");
  expect_suggestion({"groupby", "city", "t.csv"}, "write onefold sum --by COLUMN FILE");
  expect_suggestion({"info", "-b"}, "if it is a file, write ./-b");
}

TEST(Suggestions, QuoteATextThatAConditionTakesForAColumn) {
  expect_suggestion({"sum", "--where", "city == Oslo", "t.csv"},
                    "; if it is a text, quote it: "
                    "'Oslo'");
  expect_suggestion({"sum", "--where", "city = Oslo or amount > 3", "t.csv"}, "quote it: 'Oslo'");
  expect_suggestion({"sum", "--where", "amnt > 1", "t.csv"}, "its 2 columns are city, amount");
  EXPECT_EQ(answer({"sum", "--columns", "amount", "--where", "city == 'Oslo'"}), "5\n");
}

TEST(Suggestions, PipeWhatIsNotAFile) {
  expect_suggestion(
      {"sum", "1", "2", "3"},
      "there is no file 1; numbers must come from a file or a pipe: echo 1 2 3 | onefold "
      "sum");
  expect_suggestion({"mean,max", "https://host/a.csv"},
                    "onefold reads files and pipes: curl -sSL https://host/a.csv | onefold "
                    "mean,max");
  expect_suggestion({"sum", "s3://bucket/a.csv"}, "aws s3 cp s3://bucket/a.csv - | onefold sum");
}

TEST(Aliases, AreOpsInCallsOfAgg) {
  const Ran ran = run_on({"agg", "avg(amount), stddev(amount), n(city), maximum(amount)"}, sales);
  EXPECT_EQ(ran.out,
            "avg(amount)\tstddev(amount)\tn(city)\tmaximum(amount)\n"
            "3.1666666666666665\t1.0274023338281628\t3\t4.5\n");
  EXPECT_EQ(
      ran.error,
      "onefold: stddev is another name of std, which divides by n; --ddof 1 divides by n - 1\n");
  EXPECT_EQ(answer({"agg", "avg(amount)", "--by", "city", "--having", "avg(amount) > 3"}),
            "city\tavg(amount)\nBergen\t4.5\n");
  EXPECT_EQ(answer({"agg", "stddev(amount)", "--ddof", "1"}),
            "stddev(amount)\n" + answer({"std", "--ddof", "1", "--columns", "amount"}));
}

TEST(Aliases, GiveWayToCallsAndFunctionsOfThatName) {
  EXPECT_EQ(answer({"agg", "sum(amount) / total(sum(amount))", "--by", "city"}),
            "city\tsum(amount) / total(sum(amount))\nBergen\t0.47368421052631576\nOslo\t"
            "0.5263157894736842\n");
  EXPECT_EQ(answer({"agg", "sum(amount)", "--by", "city", "--having", "length(city) > 4"}),
            "city\tsum(amount)\nBergen\t4.5\n");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
