// --sort and --top: the order of groups on the command line; describe of groups.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "cli/program.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

const std::string weather =
    "city,day,temp,rain\nOslo,1,3,1\nBern,10,7,2\nOslo,2,-1,\nRome,1,15,0\nBern,2,9,4\nNice,3,NA,"
    "0\n";

std::string out_of(std::vector<std::string> words, const std::string& text = weather) {
  const Ran ran = run_program(words, {.stdin_text = text});
  EXPECT_EQ(ran.status, 0) << ran.error;
  return ran.out;
}
// Returns what --sort prints for the mean and sum of temp.
std::string sorted(const std::string& list, const std::string& more = "--empty-nan") {
  return out_of({"mean,sum", "--by", "city", "--columns", "temp", "--sort", list, more});
}

TEST(GroupOrder, IsThatOfAnAnswerOrAKeyRisingOrFalling) {
  const std::string bern = "Bern\t8\t16\n", rome = "Rome\t15\t15\n", oslo = "Oslo\t1\t2\n",
                    nice = "Nice\tnan\t0\n", header = "city\tmean\tsum\n";
  EXPECT_EQ(sorted("mean"), header + oslo + bern + rome + nice);
  EXPECT_EQ(sorted("-mean"), header + rome + bern + oslo + nice);
  EXPECT_EQ(sorted("sum"), header + nice + oslo + rome + bern);
  EXPECT_EQ(sorted("-city"), header + rome + oslo + nice + bern);
  EXPECT_EQ(sorted("-sum", "--top=2"), header + bern + rome);
  EXPECT_EQ(sorted("sum", "--top=1"), header + nice);
}

TEST(GroupOrder, OfSeveralTakesTheNextWhereOneIsEqual) {
  const auto days = [](const std::string& list) {
    return out_of({"count,sum", "--by", "city,day", "--columns", "temp,rain", "--sort", list,
                   "--precision", "3"});
  };
  const std::string header = "city\tday\ttemp_count\ttemp_sum\train_count\train_sum\n";
  const std::string bern2 = "Bern\t2\t1\t9\t1\t4\n", bern10 = "Bern\t10\t1\t7\t1\t2\n",
                    nice = "Nice\t3\t0\t0\t1\t0\n", oslo1 = "Oslo\t1\t1\t3\t1\t1\n",
                    oslo2 = "Oslo\t2\t1\t-1\t0\t0\n", rome = "Rome\t1\t1\t15\t1\t0\n";
  // Days are numbers, so 10 is the greatest.
  EXPECT_EQ(days("-day,rain_sum"), header + bern10 + nice + oslo2 + bern2 + rome + oslo1);
  EXPECT_EQ(days("-rain_count,-temp_sum"), header + rome + bern2 + bern10 + oslo1 + nice + oslo2);
  // Groups with equal answers stay in the order of their keys.
  EXPECT_EQ(days("-rain_count"), header + bern2 + bern10 + nice + oslo1 + rome + oslo2);
}

TEST(GroupOrder, OfTopAloneIsThatOfTheGreatestFirstAnswer) {
  EXPECT_EQ(out_of({"sum", "--by", "city", "--columns", "temp", "--top", "2"}),
            "city\tsum\nBern\t16\nRome\t15\n");
  EXPECT_EQ(out_of({"sum", "--by", "city", "--columns", "temp", "--top", "9", "--json"}),
            "{\"by\": {\"city\": \"Bern\"}, \"temp\": {\"sum\": 16.0}}\n"
            "{\"by\": {\"city\": \"Rome\"}, \"temp\": {\"sum\": 15.0}}\n"
            "{\"by\": {\"city\": \"Oslo\"}, \"temp\": {\"sum\": 2.0}}\n"
            "{\"by\": {\"city\": \"Nice\"}, \"temp\": {\"sum\": 0.0}}\n");
}

TEST(GroupOrder, TellsZerosOfNoSignAndNamesThatBeginWithADash) {
  EXPECT_EQ(out_of({"max", "--by", "k", "--sort", "-max"}, "k,x\na,-0.0\nb,0\nc,-1\n"),
            "k\tmax\na\t-0\nb\t0\nc\t-1\n");
  EXPECT_EQ(out_of({"max", "--by", "-k", "--columns", "x", "--sort=-k"}, "-k,x\nb,1\na,0\n"),
            "-k\tmax\na\t0\nb\t1\n");
  EXPECT_EQ(out_of({"max", "--by", "-k", "--columns", "x", "--sort=--k"}, "-k,x\nb,1\na,0\n"),
            "-k\tmax\nb\t1\na\t0\n");
}

TEST(GroupOrder, IsThatOfASortOfAllGroupsForAnyTop) {
  std::mt19937 random(7);
  std::string text = "k,x\n";
  for (int row = 0; row < 3000; ++row) {
    text += std::to_string(random() % 700) + "," + std::to_string(random() % 50) + "\n";
  }
  const auto lines_of = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"sum", "--by", "k"};
    words.insert(words.end(), more.begin(), more.end());
    const std::string out = out_of(words, text);
    std::vector<std::pair<long, long>> lines;  // -sum, key
    for (std::size_t at = out.find('\n') + 1; at < out.size(); at = out.find('\n', at) + 1) {
      const std::size_t tab = out.find('\t', at);
      lines.emplace_back(-std::stol(out.substr(tab + 1)), std::stol(out.substr(at)));
    }
    return lines;
  };
  auto all = lines_of({});
  std::sort(all.begin(), all.end());
  EXPECT_EQ(lines_of({"--sort=-sum,k"}), all);
  for (const std::size_t top : {1u, 17u, 300u}) {
    const std::vector<std::pair<long, long>> first(all.begin(),
                                                   all.begin() + static_cast<std::ptrdiff_t>(top));
    EXPECT_EQ(lines_of({"--top", std::to_string(top)}), first);
  }
}

TEST(GroupOrder, IsRefusedWithoutGroupsOrWithNamesThatAreNotThere) {
  const auto error_of = [](std::vector<std::string> words) {
    const Ran ran = run_program(words, {.stdin_text = weather});
    EXPECT_EQ(ran.status, 2) << ran.out;
    return ran.error;
  };
  EXPECT_EQ(error_of({"sum", "--columns", "temp", "--sort", "sum"}),
            "onefold: --sort orders groups; pass the columns to group by with --by\n");
  EXPECT_EQ(error_of({"sum", "--by", "city", "--columns", "temp", "--sort", "-mean"}),
            "onefold: --sort: no column of the result is called \"mean\"; its columns are city, "
            "sum; write - before a name to sort the largest first\n");
  EXPECT_EQ(error_of({"sum", "--by", "city", "--top", "0"}),
            "onefold: --top \"0\" is not valid; write the number of groups, such as 10\n");
}

TEST(GroupOrder, HoldsForDescribeWhichHasNoPlacesInGroups) {
  EXPECT_EQ(out_of({"describe", "--by", "city", "--columns", "temp", "--sort", "-nan,std"}),
            "city\tcount\tnan\tinf\tzeros\tsum\tmean\tstd\tvar\tmin\tmax\tnorm1\tnorm2\n"
            "Rome\t1\t0\t0\t0\t15\t15\t0\t0\t15\t15\t15\t15\n"
            "Bern\t2\t0\t0\t0\t16\t8\t1\t1\t7\t9\t16\t11.40175425099138\n"
            "Oslo\t2\t0\t0\t0\t2\t1\t2\t4\t-1\t3\t4\t3.1622776601683795\n"
            "Nice\t0\t0\t0\t0\t0\tnan\tnan\tnan\tempty_input\tempty_input\t0\t0\n");
  const Ran refused =
      run_program({"describe", "--by", "city", "--axis", "0"}, {.stdin_text = weather});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.error.find("--axis"), std::string::npos) << refused.error;
}

// f64 does not tell these apart.
TEST(GroupOrder, IsThatOfExactNumbers) {
  const std::string ids =
      "a,b,v\n-9007199254740992,10000000000000000001,1\n-9007199254740993,1e19,2\n1e400,0,3\n";
  const auto of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"sum", "--columns", "v"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, {.stdin_text = ids}).out;
  };
  EXPECT_EQ(of({"--by", "a"}), "a\tsum\n-9007199254740993\t2\n-9007199254740992\t1\n1e400\t3\n");
  EXPECT_EQ(of({"--by", "a,b", "--sort", "-b"}),
            "a\tb\tsum\n-9007199254740992\t10000000000000000001\t1\n"
            "-9007199254740993\t1e19\t2\n1e400\t0\t3\n");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
