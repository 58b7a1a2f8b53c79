// Tables and their groups on the command line: answers for each key, and notes on stderr.
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "onefold/error.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

std::string out_of(const std::vector<std::string>& arguments, const std::string& text) {
  const Ran ran = run_program(arguments, {.stdin_text = text});
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_EQ(ran.error, "");
  return ran.out;
}

// Does the same, whatever stderr has.
std::string answer_of(const std::vector<std::string>& words, const std::string& text) {
  const Ran ran = run_program(words, {.stdin_text = text});
  EXPECT_EQ(ran.status, 0) << ran.error;
  return ran.out;
}

TEST(Tables, AnswersForEachKey) {
  const std::string text = "city,temp,rain\nOslo,1.5,3\nRome,11,0\nOslo,0.5,NA\n";
  EXPECT_EQ(out_of({"mean,count", "--by", "city", "--columns", "temp"}, text),
            "city\tmean\tcount\nOslo\t1\t2\nRome\t11\t1\n");
  EXPECT_EQ(out_of({"min", "--by", "city", "--nan", "omit"}, text),
            "city\ttemp_min\train_min\nOslo\t0.5\t3\nRome\t11\t0\n");
  const Ran json =
      run_program({"sum", "--by", "1", "--columns", "2", "--json"}, {.stdin_text = text});
  EXPECT_EQ(json.out,
            "{\"by\": {\"city\": \"Oslo\"}, \"temp\": {\"sum\": 2.0}}\n"
            "{\"by\": {\"city\": \"Rome\"}, \"temp\": {\"sum\": 11.0}}\n");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--axis", "0"}, {"--keepdims"}}) {
    std::vector<std::string> words{"sum", "--by", "city"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run_program(words, {.stdin_text = text});
    EXPECT_EQ(ran.status, 2) << ran.out;
    EXPECT_NE(ran.error.find(more[0]), std::string::npos) << ran.error;
  }
}

// Whatever is asked of such a table, its first line is no row in silence.
TEST(Tables, RefuseAHeaderOfNumbersForEveryVerbUntilItIsSaid) {
  const Folder folder;
  const std::string years = "country,2019,2020\nA,1,2\nB,3,4\n",
                    cities = "city,country\nOslo,NO\nRome,IT\nOslo,NO\n";
  struct Case {
    std::vector<std::string> words;
    std::string text, out;
  };
  const Case cases[] = {
      {{"sum", "--columns", "2"}, years, "4\n"},
      {{"count", "--columns", "3"}, years, "2\n"},
      {{"argmax", "--columns", "2"}, years, "1\n"},
      {{"median", "--columns", "2"}, years, "2\n"},
      {{"slope", "--columns", "2,3"}, years, "1\n"},
      {{"sum", "--by", "1", "--columns", "2"}, years, "country\tsum\nA\t1\nB\t3\n"},
      {{"sum", "--columns", "2", "--where", "`2019` > 1"}, years, "3\n"},
      {{"average", "--columns", "2", "--weights", "3"}, years, "2.3333333333333335\n"},
      {{"text", "nunique", "--columns", "1"}, cities, "2\n"},
      {{"count", "--columns", "1"}, cities, "3\n"},
      {{"count", "--by", "2", "--columns", "1"}, cities, "country\tcount\nIT\t1\nNO\t2\n"}};
  const std::string other = folder.write("t.csv", years);
  for (const Case& c : cases) {
    const Ran ran = run_program(c.words, {.stdin_text = c.text});
    EXPECT_EQ(ran.out, "") << c.words[0];
    EXPECT_EQ(ran.status, exit_status(ErrorCode::bad_token)) << ran.error;
    EXPECT_NE(ran.error.find("pass --header yes if"), std::string::npos) << ran.error;
    EXPECT_NE(ran.error.find("--header no if"), std::string::npos) << ran.error;
    std::vector<std::string> words = c.words;
    words.insert(words.end(), {"--header", "yes"});
    EXPECT_EQ(answer_of(words, c.text), c.out) << c.words[0];
  }
  const Ran two = run_program({"sum", "--columns", "2", other, other});
  EXPECT_EQ(two.status, exit_status(ErrorCode::bad_token)) << two.out;
  EXPECT_EQ(answer_of({"sum", "--columns", "2", "--header", "yes", other, other}, ""), "8\n");
}

TEST(Tables, NameEveryKeyApart) {
  EXPECT_EQ(out_of({"sum", "--by", "1-2", "--json"}, "k,k,v\na,b,1\n"),
            "{\"by\": {\"k\": \"a\", \"k.2\": \"b\"}, \"v\": {\"sum\": 1.0}}\n");
}

TEST(Tables, FailsForAGroupOfNothingUnlessItIsNan) {
  const std::string text = "k,x\na,NA\nb,2\n";
  const Ran ran = run_program({"max", "--by", "k", "--nan", "omit"}, {.stdin_text = text});
  EXPECT_EQ(ran.status, exit_status(ErrorCode::empty_input));
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.error,
            "onefold: max of column x, group a: there is nothing to fold, and max of no "
            "elements is undefined (empty_input); to get NaN instead, pass --empty-nan\n");
  EXPECT_EQ(out_of({"max", "--by", "k", "--nan", "omit", "--empty-nan"}, text),
            "k\tmax\na\tnan\nb\t2\n");
}

TEST(Tables, PrintsKeysSoThatNoTwoLookAlike) {
  EXPECT_EQ(
      out_of({"sum", "--by", "k"},
             "k,v\n\"a \",1\n\"a\" ,2\na,4\n\"x\ty\",8\nx?y,16\n\"\"\"a\"\"\",32\n\"b\\\n\","
             "64\nb\\,128\n\"\x1b\",256\n"),
      "k\tsum\n\"\\x1b\"\t256\n\"\\\"a\\\"\"\t32\na\t6\n\"a \"\t1\nb\\\t128\n\"b\\\\\\n\"\t64\n"
      "\"x\\ty\"\t8\nx?y\t16\n");
}

TEST(Tables, SaysThatAHeaderHasNoRows) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--columns", "temp"}, {"--by", "city", "--columns", "temp"}}) {
    std::vector<std::string> words{"sum"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run_program(words, {.stdin_text = "temp,city\n"});
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.out, more.size() == 2 ? "0\n" : "city\tsum\n");
    EXPECT_EQ(ran.error, "onefold: read stdin: it has a header but no rows\n");
  }
}

TEST(Tables, WithoutRowsHaveNoAnswersAlongRows) {
  for (const char* ops : {"mean", "max"}) {
    const Ran ran =
        run_program({ops, "-", "--columns", "x,y", "--axis", "1"}, {.stdin_text = "x,y\n"});
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.out, "");
  }
}

// Line ends within the header's quotes must not make the program skip rows that it examines.
TEST(Tables, LooksAtAllRowsBelowAHeaderOfSeveralLines) {
  const Ran some = run_program({"sum"}, {.stdin_text = "c2,x,\"n\nz\"\n1,b,2\n"});
  EXPECT_EQ(some.status, 0);
  EXPECT_EQ(some.out, "c2\t1\nn z\t2\n") << some.error;
  const Ran mixed = run_program({"sum"}, {.stdin_text = "c2,x,\"n\nz\"\n1,5,2\n2,b,3\n"});
  EXPECT_EQ(mixed.out, "c2\t3\nn z\t5\n");
  EXPECT_EQ(
      mixed.error,
      "onefold: a column with some fields that are not numbers is left out: x (1 of 2; line 4: "
      "\"b\")\n");
}

TEST(Tables, SaysHowManyValuesOfATableAreMissing) {
  const std::string text = "city,temp,rain\nOslo,1.5,3\nRome,NA,\nBern,-,4\n";
  const std::string two =
      "onefold: 3 values are missing and left out: 2 in column temp, 1 in column rain\n";
  const auto error_of = [&](std::vector<std::string> words) {
    return run_program(words, {.stdin_text = text}).error;
  };
  EXPECT_EQ(error_of({"mean", "--by", "city"}), two);
  EXPECT_EQ(error_of({"max", "--columns", "2-3"}), two);
  EXPECT_EQ(error_of({"max", "--columns", "rain"}),
            "onefold: a value is missing and left out: 1 in column rain\n");
  EXPECT_EQ(error_of({"max", "--columns", "rain", "--nan", "propagate"}),
            "onefold: a value is missing and treated as NaN: 1 in column rain\n");
  EXPECT_EQ(error_of({"describe", "--columns", "rain"}),
            "onefold: a value is missing and left out: 1 in column rain\n");
  EXPECT_EQ(error_of({"sum", "--columns", "2", "--missing", "1.5"}).substr(0, 26),
            "onefold: 3 values are miss");
  for (const char* policy : {"omit", "raise"}) {
    const std::string error = error_of({"mean", "--columns", "temp", "--nan", policy});
    EXPECT_EQ(error.find("missing"), error.npos) << error;
  }
  EXPECT_EQ(error_of({"count_nan", "--columns", "temp", "--nan", "propagate"}), "");
  // Only numbers, of which none is missing.
  EXPECT_EQ(run_program({"sum", "--axis", "0"}, {.stdin_text = "1 nan\n3 4\n"}).error, "");
}

TEST(Tables, LeavesOutWhatIsMissingAndTakesNanAsANumber) {
  const std::string text = "k,x,y\na,1,2\nb,NaN,4\na,,8\nb,3,-\n";
  EXPECT_EQ(answer_of({"mean,count,count_nan,argmax", "--columns", "2-"}, text),
            "column\tmean\tcount\tcount_nan\targmax\nx\tnan\t3\t1\t1\n"
            "y\t4.666666666666667\t3\t0\t2\n");
  EXPECT_EQ(answer_of({"sum,count", "--by", "k"}, text),
            "k\tx_sum\tx_count\ty_sum\ty_count\na\t1\t1\t10\t2\nb\tnan\t2\t4\t1\n");
  EXPECT_EQ(answer_of({"sum,count", "--by", "k", "--nan", "omit", "--columns", "x"}, text),
            "k\tsum\tcount\na\t1\t1\nb\t3\t1\n");
  EXPECT_EQ(answer_of({"mean", "--columns", "2-", "--json"}, text),
            "{\"mean\": {\"x\": null, \"y\": 4.666666666666667}}\n");
  EXPECT_EQ(answer_of({"sum", "--columns", "y", "--dtype", "i64"}, text), "14\n");
  EXPECT_EQ(answer_of({"count", "--columns", "x,y", "--axis", "1"}, text), "2\n2\n1\n1\n");
  const Ran all = run_program({"max", "--columns", "1"}, {.stdin_text = "x,y\nNA,1\n,2\n"});
  EXPECT_EQ(all.status, exit_status(ErrorCode::empty_input)) << all.out;
}

// A row that is left out leaves no gap that would count as missing in the next row.
TEST(Tables, ForgetsWhatWasMissingInLinesThatWereLeftOut) {
  const std::string text = "a,b\n,1,2\n3,4\nNA,x\n5,6\n";
  EXPECT_EQ(answer_of({"sum,count", "--bad-lines", "skip"}, text),
            "column\tsum\tcount\na\t8\t2\nb\t10\t2\n");
  EXPECT_EQ(answer_of({"sum", "--bad-lines", "skip", "--dtype", "i64"}, text), "a\t8\nb\t10\n");
}

TEST(Tables, CountsWhatIsThereInColumnsOfText) {
  const std::string text = "region,city,x\nN,Oslo,1\nS,Rome,\nN,,3\n,\"a,b\",4\n";
  EXPECT_EQ(answer_of({"count"}, text), "region\t3\ncity\t3\nx\t3\n");
  EXPECT_EQ(answer_of({"count", "--columns", "city"}, text), "3\n");
  EXPECT_EQ(answer_of({"count", "--by", "region", "--columns", "city"}, text),
            "region\tcount\n\t1\nN\t1\nS\t1\n");
  // With keys only, rows are counted.
  EXPECT_EQ(answer_of({"count", "--by", "region"}, "region\nN\nS\nN\n"),
            "region\tcount\nN\t2\nS\t1\n");
  EXPECT_EQ(answer_of({"count", "--by", "a,b"}, "a,b\nx,y\n,\nx,y\n"),
            "a\tb\tcount\n\t\t1\nx\ty\t2\n");
}

TEST(Tables, ReadsTrueAndFalseAsOneAndZero) {
  const std::string text = "k,on\na,TRUE\nb,false\nc,\nd,True\n";
  EXPECT_EQ(answer_of({"sum,mean,count"}, text),
            "column\tsum\tmean\tcount\non\t2\t0.6666666666666666\t3\n");
  EXPECT_EQ(answer_of({"sum", "--columns", "on", "--dtype", "i64"}, text), "2\n");
  EXPECT_EQ(run_program({"sum", "--columns", "2"}, {.stdin_text = "k,on\na,TRUE\nb,2\n"}).status,
            exit_status(ErrorCode::bad_token));
}

// A column whose first 100 KB are empty cannot be recognised as numbers.
TEST(Tables, LeavesOutAColumnThatTurnsOutToBeText) {
  std::string text = "k,x,comment,later\n";
  for (int k = 0; k < 20000; ++k) text += std::to_string(k % 2) + ",1,,\n";
  text += "1,1,\"late, but here\",5\n";
  const Ran ran = run_program({"sum", "--columns", "2-4"}, {.stdin_text = text});
  EXPECT_EQ(ran.status, exit_status(ErrorCode::bad_token)) << ran.out;  // it was chosen by name
  const Ran all = run_program({"sum"}, {.stdin_text = text});
  EXPECT_EQ(all.out, "k\t10001\nx\t20001\nlater\t5\n");
  EXPECT_EQ(all.error,
            "onefold: a column without numbers is left out: comment\n"
            "onefold: 20000 values are missing and left out: 20000 in column later\n");
  EXPECT_EQ(answer_of({"sum", "--by", "k"}, text),
            "k\tx_sum\tlater_sum\n0\t10000\t0\n1\t10001\t5\n");
  const Ran rows = run_program({"sum", "--axis", "1", "--header", "no"}, {.stdin_text = text});
  EXPECT_EQ(rows.status, exit_status(ErrorCode::bad_token));
}

TEST(Tables, FoldsTwoColumnsOfOneTable) {
  const Folder folder;
  const std::string text = "price,qty,k\n1,3,a\n2,1,b\n4,,c\n,5,d\n";
  EXPECT_EQ(answer_of({"slope,corr", "--columns", "qty,price"}, text), "slope\t-0.5\ncorr\t-1\n");
  EXPECT_EQ(answer_of({"average", "--columns", "price", "--weights", "qty"}, text), "1.25\n");
  EXPECT_EQ(answer_of({"dot"}, "x,y\n1,2\n3,4\n"), "14\n");
  EXPECT_EQ(answer_of({"dot", "--columns", "price,qty", "--nan", "propagate"}, text), "nan\n");
  const std::string file = folder.write("t.csv", text);
  EXPECT_EQ(answer_of({"dot", "--columns", "1,2", "--each", file}, ""), file + "\t5\n");
  const auto error_of = [&](const std::vector<std::string>& words) {
    const Ran ran = run_program(words, {.stdin_text = text});
    EXPECT_NE(ran.status, 0) << ran.out;
    return ran.error;
  };
  EXPECT_EQ(error_of({"corr", "--columns", "price"}),
            "onefold: read stdin: corr needs two columns of a table, but 1 is chosen; choose two, "
            "as in --columns x,y\n");
  EXPECT_EQ(answer_of({"mean", "--columns", "price", "--weights", "qty"}, text), "1.25\n");
  EXPECT_NE(error_of({"corr", "--columns", "1,2", "--axis", "0"}).find("leave --axis out"),
            std::string::npos);
  EXPECT_EQ(answer_of({"dot", "--columns", "1,2", file, file}, ""), "10\n");
  EXPECT_EQ(run_program({"corr"}, {.stdin_text = "1 2\n3 4\n"}).error,
            "onefold: corr: it needs two arrays; pass two files, not 1, or two columns of a "
            "table (--columns x,y)\n");
}

TEST(Tables, FoldsMoreGroupsWhereMoreMemoryIsAllowed) {
  const Folder folder;
  std::string text;
  for (int k = 0; k < 1'000'000; ++k) text += "key" + std::to_string(k) + ",1\n";
  const std::string file = folder.write("t.csv", text);
  const auto status_of = [&](const std::string& memory) {
    return run_program({"mean", "--by", "1", "--header", "no", "--memory", memory, file}).status;
  };
  EXPECT_EQ(status_of("100MiB"), exit_status(ErrorCode::out_of_memory));
  EXPECT_EQ(status_of("200MiB"), 0);
}

TEST(Tables, KeepsGroupsAsRecords) {
  const Folder folder;
  const std::string out = folder.path("out.npy");
  const Ran kept = run_program({"sum,count", "--by", "1,x", "--columns", "y", "--output", out},
                               {.stdin_text = "k,x,y\n7,\xc3\xa9,1\n-7,b,2\n7,\xc3\xa9,4\n"});
  EXPECT_EQ(kept.error, "");
  const std::string records = read_file(out);
  EXPECT_NE(
      records.find("{'descr': [('k', '<i8'), ('x', '<U1'), ('sum', '<f8'), ('count', '<i8')], "
                   "'fortran_order': False, 'shape': (2,), }"),
      records.npos);
  EXPECT_EQ(records.size() % 64, 2u * (8 + 4 + 8 + 8));
  EXPECT_EQ(records.substr(records.size() - 28),
            bytes_of_list<int64_t>({7}) + std::string("\xe9\0\0\0", 4) +
                bytes_of_list<double>({5}) + bytes_of_list<int64_t>({2}));
  EXPECT_EQ(run_program({"min", "--by", "k", "--nan", "omit", "--output", out},
                        {.stdin_text = "k,x\na,NA\nb,1\n"})
                .status,
            exit_status(ErrorCode::empty_input));
}

TEST(Tables, AnswersForEachKeyOfAnArray) {
  const Folder folder;
  const std::string keys =
      folder.write("k.npy", npy("<i4", "(3,)", bytes_of_list<int>({5, -1, 5})));
  const std::string x = folder.write("x.npy", npy("<f8", "(3,)", bytes_of_list<double>({1, 2, 4})));
  EXPECT_EQ(run_program({"sum,max", "--by", keys, x}).out, "k\tsum\tmax\n-1\t2\t2\n5\t5\t4\n");
  EXPECT_EQ(run_program({"sum", "--by", keys, "--json", x}).out,
            "{\"by\": {\"k\": -1}, \"x\": {\"sum\": 2.0}}\n"
            "{\"by\": {\"k\": 5}, \"x\": {\"sum\": 5.0}}\n");
}

TEST(Tables, ChooseColumnsByPatternsOfTheirNames) {
  const std::string text = "city,rain_1,rain_2,rain,a*b\nOslo,1,2,4,8\nRome,1,2,4,8\n";
  EXPECT_EQ(out_of({"sum", "--columns", "rain_*"}, text), "rain_1\t2\nrain_2\t4\n");
  EXPECT_EQ(out_of({"sum", "--columns", "r*n*,a*b"}, text),
            "rain_1\t2\nrain_2\t4\nrain\t8\na*b\t16\n");
  EXPECT_EQ(out_of({"sum", "--columns", "*_2", "--by", "c*y"}, text),
            "city\tsum\nOslo\t2\nRome\t2\n");
  EXPECT_EQ(out_of({"sum", "--columns", "x*", "--let", "x1 = rain, x2 = rain_1"}, text),
            "x1\t8\nx2\t2\n");
  for (const char* words : {"snow*", "\"rain_*\"", "*_"}) {
    const Ran ran = run_program({"sum", "--columns", words}, {.stdin_text = text});
    EXPECT_NE(ran.status, 0);
    EXPECT_NE(ran.error.find("it has no column"), std::string::npos) << ran.error;
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
