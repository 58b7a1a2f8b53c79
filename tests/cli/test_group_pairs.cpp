// Two columns of tables by keys: each group's answer is that of its rows alone.
#include <gtest/gtest.h>

#include <map>

#include "cli/out_of.hpp"
#include "cli/program.hpp"
#include "generate.hpp"
#include "onefold/error.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

const char* const table = "k,x,y\nb,1,2\na,5,4\nb,4,9\na,7,\nb,10,0\na,6,5\n";

TEST(GroupPairs, AreOfTwoColumns) {
  EXPECT_EQ(out_of({"slope,mse", "--columns", "x,y", "--by", "k"}, table),
            "k\tslope\tmse\na\t1\t1\nb\t-0.40476190476190477\t42\n");
  EXPECT_EQ(out_of({"cov", "--columns", "x,y", "--by", "k", "--json", "--ddof", "1"}, table),
            "{\"by\": {\"k\": \"a\"}, \"x,y\": {\"cov\": 0.5}}\n"
            "{\"by\": {\"k\": \"b\"}, \"x,y\": {\"cov\": -8.5}}\n");
  EXPECT_EQ(out_of({"mse", "--columns", "x,y", "--by", "k", "--top", "1"}, table),
            "k\tmse\nb\t42\n");
}

TEST(GroupPairs, TakeWeightsOfAverages) {
  EXPECT_EQ(out_of({"average", "--columns", "x", "--weights", "y", "--by", "k"}, table),
            "k\taverage\na\t5.555555555555555\nb\t3.4545454545454546\n");
}

// Two files or more are parts of one table, for every op of two columns.
TEST(GroupPairs, OfSeveralTablesAreThoseOfAllTheirRows) {
  const Folder folder;
  const std::string head = "k,x,y\n",
                    rows[] = {"b,1,2\na,5,4\n", "b,4,9\na,7,\nc,1,1\n", "b,10,0\na,6,5\n"},
                    a = folder.write("a.csv", head + rows[0]),
                    b = folder.write("b.csv", head + rows[1]),
                    c = folder.write("c.csv", head + rows[2]),
                    two = folder.write("two.txt", head + rows[0] + rows[1]),
                    all = folder.write("all.txt", head + rows[0] + rows[1] + rows[2]);
  for (const char* op : {"dot", "mse", "rmse", "distance", "mae", "max_abs_diff", "cov", "corr",
                         "slope", "intercept", "cosine", "average"}) {
    for (std::vector<std::string> words :
         {std::vector<std::string>{op, "--columns", "x,y", "--by", "k"},
          {op, "--columns", "x,y"}}) {
      const auto of = [&](const std::vector<std::string>& files) {
        std::vector<std::string> own = words;
        own.insert(own.end(), files.begin(), files.end());
        const Ran ran = run_program(own);
        EXPECT_EQ(ran.status, 0) << ran.error;
        return ran.out;
      };
      EXPECT_EQ(of({a, b}), of({two})) << op;
      EXPECT_EQ(of({a, b, c}), of({all})) << op;
    }
  }
  EXPECT_EQ(out_of({"average", "--columns", "x", "--weights", "y", "--by", "k", a, b}, ""),
            out_of({"average", "--columns", "x", "--weights", "y", "--by", "k", two}, ""));
}

TEST(GroupPairs, RefuseOtherNumbersOfColumns) {
  const auto status_of = [](const std::vector<std::string>& words) {
    return run_program(words, {.stdin_text = table}).status;
  };
  EXPECT_EQ(status_of({"corr", "--by", "k", "--columns", "x"}), exit_status(ErrorCode::bad_option));
  EXPECT_EQ(status_of({"corr,mean", "--by", "k", "--columns", "x,y"}),
            exit_status(ErrorCode::bad_option));
  EXPECT_EQ(status_of({"sum", "--by", "k", "--columns", "x", "--weights", "y"}),
            exit_status(ErrorCode::bad_option));
  EXPECT_EQ(status_of({"gather", "corr", "--by", "k", "--columns", "x,y", "--output", "s.1fold"}),
            exit_status(ErrorCode::bad_option));
}

// Rows of many groups, with gaps, cancelling values and several threads.
TEST(GroupPairs, GiveWhatEachGroupGivesAlone) {
  const Folder folder;
  const std::string ops = "corr,cov,slope,mse,mae,dot,average";
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Random r(seed);
    std::string all = "k,x,y\n";
    std::map<std::string, std::string> of_key;
    for (std::size_t n = pick(r, 1, 4000), keys = pick(r, 1, 40); n > 0; --n) {
      const std::string key = "k" + std::to_string(100 + pick(r, 0, keys));
      const auto number = [&] {
        if (pick(r, 0, 9) == 0) return std::string();
        return (pick(r, 0, 1) == 0 ? "-" : "") + std::to_string(pick(r, 1, 99999)) + "e" +
               std::to_string(pick(r, 0, 12));
      };
      const std::string row = number() + "," + number() + "\n";
      all += key + "," + row;
      of_key[key] += row;
    }
    const std::string path = folder.write("t.csv", all);
    const std::string threads = std::to_string(1 + seed % 3);
    std::string expected = "k\tcorr\tcov\tslope\tmse\tmae\tdot\taverage\n";
    for (const auto& [key, rows] : of_key) {
      const std::string own = folder.write("own.csv", "x,y\n" + rows);
      expected += key;
      const std::string lines = run_program({ops, "--columns", "x,y", own}).out;
      for (std::size_t at = 0; at < lines.size();) {
        const std::size_t tab = lines.find('\t', at), end = lines.find('\n', at);
        expected += lines.substr(tab, end - tab);
        at = end + 1;
      }
      expected += "\n";
    }
    EXPECT_EQ(run_program({ops, "--by", "k", "--columns", "x,y", "--threads", threads, path}).out,
              expected)
        << "seed " << seed;
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
