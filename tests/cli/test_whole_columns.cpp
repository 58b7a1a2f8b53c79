// Windows and states of one column leave out a column with a bad field, as sum does.
#include <gtest/gtest.h>

#include "cli/run_on.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

using Words = std::vector<std::string>;

const std::string note =
    "onefold: a column with some fields that are not numbers is left out: c (2 of 3; line 3: "
    "\"zz\")\n";
const std::string table = "k,a,c\np,1,2\nq,3,zz\np,5,1\n";

TEST(WholeColumns, HaveTheWindowsOfATable) {
  const std::string keys = "onefold: a column without numbers is left out: k\n";
  const std::pair<Words, std::string> calls[] = {
      {{"mean", "--rolling", "2"}, "1\n2\n4\n"},
      {{"sum", "--cumulative"}, "1\n4\n9\n"},
      {{"mean", "--over", "a", "--within", "9", "--columns", "a"}, "1\n2\n3\n"},
      {{"sum", "--cumulative", "--let", "d = a * 10"}, "a_sum\td_sum\n1\t10\n4\t40\n9\t90\n"}};
  for (const auto& [words, out] : calls) {
    const Ran ran = run_on(words, table);
    EXPECT_EQ(ran.out, out) << ran.error;
    EXPECT_EQ(ran.error, words.size() > 5 ? "" : keys + note) << words[1];
  }
  const Ran keyed = run_on({"sum", "--cumulative", "--by", "k"}, table);
  EXPECT_EQ(keyed.out, "k\tsum\np\t1\nq\t3\np\t6\n");
  EXPECT_EQ(keyed.error, note);
  EXPECT_EQ(run_on({"sum"}, table).error, keys + note);
  // Behind the first lines, which are looked at anyway.
  std::string late = "a,c\n";
  for (int k = 0; k < 3000; ++k) late += k == 2500 ? "1,oops\n" : "1,2\n";
  const Ran far = run_on({"max", "--rolling", "3"}, late);
  EXPECT_EQ(far.out.substr(0, 4), "1\n1\n") << far.error;
  EXPECT_NE(far.error.find("c (2999 of 3000; line 2502: \"oops\")"), std::string::npos);
}

TEST(WholeColumns, MayBeTheOneOfAState) {
  const Folder folder;
  const std::string csv = folder.write("t.csv", "a,c\n1,2\n3,zz\n5,1\n"), state = folder.path("s");
  const Ran ran = run_program({"gather", "sum", "--state", state, csv});
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_EQ(ran.error, note);
  EXPECT_EQ(out_of({"answer", "sum", state}, ""), "9\n");
  expect_refused({"gather", "sum", "--state", state}, "a,b,c\n1,2,3\n4,5,zz\n",
                 "this table has 2 columns of numbers; choose one with --columns");
}

TEST(WholeColumns, AreAskedForIfNoneIsLeftOrOneWasChosen) {
  for (const Words& words : {Words{"mean", "--rolling", "2", "--columns", "c"},
                             {"sum", "--cumulative", "--columns", "a,c"},
                             {"gather", "sum", "--state", "s.of", "--columns", "c"}}) {
    expect_refused(words, table, "line 3, column 3 (c): \"zz\" is not a number");
  }
  expect_refused({"sum", "--cumulative"}, "a,c\n1,2\nx,zz\n", "\"x\" is not a number");
  const Ran pipe = run_program({"mean", "--rolling", "2"}, {.stdin_text = table});
  EXPECT_NE(pipe.error.find("\"zz\" is not a number"), std::string::npos) << pipe.error;
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
