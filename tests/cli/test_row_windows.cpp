// --rolling, --over and --within: an answer for each row of a table.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>

#include "cli/out_of.hpp"
#include "cli/program.hpp"
#include "cli/refusal.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

const std::string shops =
    "shop,day,price\nA,2024-01-01,0.1\nB,2024-01-02,5\nA,2024-01-03,0.2\nA,2024-01-09,0.3\n"
    "B,2024-01-09,\nB,2024-01-12,7\n";

std::string rolled(std::vector<std::string> more, const std::string& text = shops) {
  std::vector<std::string> words{"sum", "--columns", "price"};
  words.insert(words.end(), more.begin(), more.end());
  return out_of(words, text);
}

TEST(RowWindows, HaveTheLastRows) {
  EXPECT_EQ(rolled({"--rolling", "2"}), "0.1\n5.1\n5.2\n0.5\n0.3\n7\n");
  EXPECT_EQ(rolled({"--rolling", "1"}), "0.1\n5\n0.2\n0.3\nnan\n7\n");
  EXPECT_EQ(rolled({"--rolling", "100"}), "0.1\n5.1\n5.3\n5.6\n5.6\n12.6\n");
  EXPECT_EQ(out_of({"max", "--rolling", "2"}, "3 1 2\n"), "1_max\t2_max\t3_max\n3\t1\t2\n");
}

TEST(RowWindows, AreOfEachKeysRowsInTheOrderOfTheTable) {
  EXPECT_EQ(rolled({"--rolling", "2", "--by", "shop"}),
            "shop\tsum\nA\t0.1\nB\t5\nA\t0.3\nA\t0.5\nB\t5\nB\t7\n");
  EXPECT_EQ(rolled({"--rolling", "2", "--by", "shop", "--json"}).substr(0, 45),
            "{\"by\": {\"shop\": \"A\"}, \"price\": {\"sum\": 0.1}}\n");
}

TEST(RowWindows, AreOfAllRowsUpToEach) {
  EXPECT_EQ(rolled({"--cumulative"}), "0.1\n5.1\n5.3\n5.6\n5.6\n12.6\n");
  EXPECT_EQ(rolled({"--cumulative", "--by", "shop"}),
            "shop\tsum\nA\t0.1\nB\t5\nA\t0.3\nA\t0.6\nB\t5\nB\t12\n");
  EXPECT_EQ(rolled({"--cumulative", "--closed", "left"}), "nan\n0.1\n5.1\n5.3\n5.6\n5.6\n");
  EXPECT_EQ(rolled({"--cumulative", "--min-periods", "5"}), "nan\nnan\nnan\nnan\nnan\n12.6\n");
  EXPECT_EQ(
      out_of({"count,argmax,max", "--columns", "price", "--by", "shop", "--cumulative"}, shops),
      "shop\tcount\targmax\tmax\nA\t1\t0\t0.1\nB\t1\t0\t5\nA\t2\t1\t0.2\nA\t3\t2\t0.3\n"
      "B\t1\t0\t5\nB\t2\t2\t7\n");
  EXPECT_EQ(rolled({"--cumulative", "--nan", "omit"}, "price\n1\nnan\n2\n"), "1\n1\n3\n");
  EXPECT_EQ(out_of({"min", "--cumulative"}, "3 1\n2 5\n"), "1_min\t2_min\n3\t1\n2\t1\n");
  EXPECT_EQ(out_of({"sum", "--cumulative"}, "{\"a\": 0.1}\n{\"a\": 0.2}\n"), "0.1\n0.3\n");
}

TEST(RowWindows, OfAllRowsTakeNoMemoryForThem) {
  std::string text = "x\n";
  text.reserve(12000000);
  for (int i = 0; i < 4000000; ++i) text += "1\n";
  const std::string sums = out_of({"sum", "--cumulative", "--memory", "32MiB"}, text);
  EXPECT_EQ(sums.substr(sums.size() - 16), "3999999\n4000000\n");
  std::string keys = "k,x\n";
  for (int i = 0; i < 60000; ++i) keys += std::to_string(i) + ",1\n";
  const Ran ran =
      run_program({"sum", "--columns", "x", "--by", "k", "--cumulative", "--memory", "32MiB"},
                  {.stdin_text = keys});
  EXPECT_EQ(ran.status, exit_status(ErrorCode::out_of_memory));
  EXPECT_NE(ran.error.find("the states of "), std::string::npos) << ran.error;
}

TEST(RowWindows, OfTimeHaveTheRowsWithinIt) {
  EXPECT_EQ(rolled({"--by", "shop", "--over", "day", "--within", "7D"}),
            "shop\tsum\nA\t0.1\nB\t5\nA\t0.3\nA\t0.5\nB\tnan\nB\t7\n");
  const std::string numbers = "t,price\n0,1\n0,2\n0.5,4\n1.5,8\n1.5,16\n9,32\n";
  // A row at the end of the span, (t - 1, t], is out.
  EXPECT_EQ(rolled({"--over", "t", "--within", "1"}, numbers), "1\n3\n7\n8\n24\n32\n");
  EXPECT_EQ(rolled({"--over", "t", "--within", "1.000000001"}, numbers), "1\n3\n7\n12\n28\n32\n");
  const std::string nanoseconds =
      "t,price\n-9223372036854775808,1\n1700000000000000000,2\n1700000000000000009,4\n";
  EXPECT_EQ(rolled({"--over", "t", "--within", "10"}, nanoseconds), "1\n2\n6\n");
}

TEST(RowWindows, ClosedSaysWhichEndsBelongToThem) {
  EXPECT_EQ(rolled({"--rolling", "2", "--closed", "right"}), rolled({"--rolling", "2"}));
  EXPECT_EQ(rolled({"--rolling", "2", "--closed", "left"}), "nan\n0.1\n5.1\n5.2\n0.5\n0.3\n");
  EXPECT_EQ(rolled({"--rolling", "2", "--closed", "both"}), "0.1\n5.1\n5.3\n5.5\n0.5\n7.3\n");
  EXPECT_EQ(rolled({"--rolling", "2", "--closed", "neither"}), "nan\n0.1\n5\n0.2\n0.3\nnan\n");
  EXPECT_EQ(rolled({"--rolling", "1", "--closed", "left", "--by", "shop"}),
            "shop\tsum\nA\tnan\nB\tnan\nA\t0.1\nA\t0.2\nB\t5\nB\tnan\n");
  // Rows of one time are no earlier rows of each other.
  const std::string numbers = "t,price\n0,1\n0,2\n0.5,4\n1.5,8\n1.5,16\n9,32\n";
  const auto within = [&](const char* closed) {
    return rolled({"--over", "t", "--within", "1", "--closed", closed}, numbers);
  };
  EXPECT_EQ(within("left"), "nan\nnan\n3\n4\n4\nnan\n");
  EXPECT_EQ(within("both"), "1\n3\n7\n12\n28\n32\n");
  EXPECT_EQ(within("neither"), "nan\nnan\n3\nnan\nnan\nnan\n");
}

// Over several pieces of a table: those before a row are those up to the row before it.
TEST(RowWindows, ClosedOnTheLeftAreThoseOfTheRowBefore) {
  std::string text = "t,x\n";
  for (int i = 0; i < 60000; ++i) text += std::to_string(i) + "," + std::to_string(i % 97) + "\n";
  const auto of = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"sum", "--columns", "x"};
    words.insert(words.end(), more.begin(), more.end());
    return out_of(words, text);
  };
  const std::string nine = of({"--rolling", "9"}), ten = of({"--rolling", "10"});
  const std::string before = "nan\n" + nine.substr(0, nine.rfind('\n', nine.size() - 2) + 1);
  EXPECT_EQ(of({"--rolling", "9", "--closed", "left"}), before);
  EXPECT_EQ(of({"--over", "t", "--within", "9", "--closed", "left"}), before);
  EXPECT_EQ(of({"--rolling", "10", "--closed", "neither"}), before);
  EXPECT_EQ(of({"--rolling", "9", "--closed", "both"}), ten);
  EXPECT_EQ(of({"--over", "t", "--within", "9", "--closed", "both"}), ten);
}

TEST(RowWindows, OfTooFewValuesHaveNoAnswer) {
  EXPECT_EQ(rolled({"--rolling", "2", "--min-periods", "2"}), "nan\n5.1\n5.2\n0.5\nnan\nnan\n");
  EXPECT_EQ(rolled({"--rolling", "1", "--min-periods", "0"}), "0.1\n5\n0.2\n0.3\n0\n7\n");
  EXPECT_EQ(out_of({"count,argmax", "--columns", "price", "--rolling", "1"}, shops),
            "count\targmax\n1\t0\n1\t0\n1\t0\n1\t0\n0\ttoo_few\n1\t0\n");
  const Folder folder;
  const std::string csv = folder.path("o.csv"), jsonl = folder.path("o.jsonl");
  EXPECT_EQ(rolled({"--rolling", "1", "--output", csv}), "");
  EXPECT_EQ(read_file(csv), "sum\n0.1\n5\n0.2\n0.3\nnan\n7\n");
  out_of({"argmax", "--columns", "price", "--rolling", "1", "--output", jsonl}, shops);
  EXPECT_NE(read_file(jsonl).find("{\"price\": {\"argmax\": {\"status\": \"too_few\"}}}\n"),
            std::string::npos);
}

TEST(RowWindows, TreatNaNByThePolicy) {
  const std::string text = "price\n1\nnan\n2\n3\n";
  EXPECT_EQ(rolled({"--rolling", "2"}, text), "1\nnan\nnan\n5\n");
  EXPECT_EQ(rolled({"--rolling", "2", "--nan", "omit"}, text), "1\n1\n2\n5\n");
  const Ran raised = run_program({"sum", "--rolling", "2", "--nan", "raise"}, {.stdin_text = text});
  EXPECT_EQ(raised.status, exit_status(ErrorCode::nan_found));
  EXPECT_EQ(raised.out, "");
  EXPECT_NE(raised.error.find("column price, row 2"), std::string::npos) << raised.error;
}

TEST(RowWindows, AreWrittenAsFiles) {
  const Folder folder;
  const std::string npy_file = folder.path("o.npy");
  rolled({"--rolling", "2", "--output", npy_file});
  EXPECT_EQ(read_file(npy_file),
            npy("<f8", "(6,)", bytes_of_list<double>({0.1, 5.1, 5.2, 0.5, 0.3, 7})));
  rolled({"--rolling", "2", "--by", "shop", "--output", npy_file});
  EXPECT_NE(read_file(npy_file).find("('shop', '"), std::string::npos);
  const Ran missing =
      run_program({"argmax", "--columns", "price", "--rolling", "1", "--output", npy_file},
                  {.stdin_text = shops});
  EXPECT_EQ(missing.status, exit_status(ErrorCode::empty_input)) << missing.error;
}

// Sums of text are those of its decimals, of any number of digits.
TEST(RowWindows, AddDecimals) {
  const std::string text =
      "price\n0.1\n0.2\n1e22\n-1e22\n0.30000000000000000001\n-0.3\n-1e-400\n-0\n";
  EXPECT_EQ(rolled({"--rolling", "2"}, text), "0.1\n0.3\n1e+22\n0\n-1e+22\n1e-20\n-0.3\n-0\n");
  EXPECT_EQ(rolled({"--rolling", "3"}, text), "0.1\n0.3\n1e+22\n0.2\n0.3\n-1e+22\n1e-20\n-0.3\n");
  EXPECT_EQ(rolled({"--rolling", "2", "--dtype", "f64"}, "price\n0.1\n0.2\n"),
            "0.1\n0.30000000000000004\n");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Makes a table of several pieces, whose keys come by chance.
std::vector<std::string> random_rows(int n) {
  std::mt19937 random(11);
  std::vector<std::string> rows;
  for (int i = 0; i < n; ++i) {
    const int kind = static_cast<int>(random() % 20);
    const std::string x =
        kind == 0   ? ""
        : kind == 1 ? "nan"
        : kind == 2 ? "-0.1234567890123456789"
                    : std::to_string(random() % 100000) + "." + std::to_string(random() % 100);
    rows.push_back("k" + std::to_string(random() % 5) + "," + x);
  }
  return rows;
}

TEST(RowWindows, AnswerAsATableOfTheirRowsAlone) {
  constexpr std::size_t n = 60, width = 4;
  std::vector<std::string> rows = random_rows(n);
  rows[20] = "k,inf", rows[30] = "k,-1e-400", rows[31] = "k,-0", rows[40] = "k,12345678901234567.5";
  const auto table = [&](std::size_t first, std::size_t last) {
    std::string text = "k,x\n";
    for (std::size_t i = first; i < last; ++i) text += rows[i] + "\n";
    return text;
  };
  const std::vector<std::string> ops{"sum,mean", "--columns", "x", "--json"};
  std::vector<std::string> rolling = ops;
  rolling.insert(rolling.end(), {"--rolling", "4", "--min-periods", "0"});
  const std::vector<std::string> found = lines_of(out_of(rolling, table(0, n)));
  for (std::size_t i = 0; i < n; ++i) {
    const std::string alone = out_of(ops, table(i + 1 - std::min(i + 1, width), i + 1));
    const auto value = [](const std::string& line, const std::string& op) {
      const std::size_t at = line.find(op) + op.size();
      return line.substr(at, line.find_first_of(",}", at) - at);
    };
    EXPECT_EQ(value(found[i], "\"sum\": "), value(alone, "\"sum\": {\"x\": ")) << i;
    EXPECT_EQ(value(found[i], "\"mean\": "), value(alone, "\"mean\": {\"x\": ")) << i;
  }
}

TEST(RowWindows, OfKeysAreThoseOfEachKeysRowsAlone) {
  const std::vector<std::string> rows = random_rows(60000);
  std::string all = "k,x\n";
  std::map<std::string, std::string> alone;
  for (const std::string& row : rows) {
    all += row + "\n";
    std::string& own = alone[row.substr(0, 2)];
    if (own.empty()) own = "k,x\n";
    own += row + "\n";
  }
  const std::vector<std::string> words{"sum,var,min", "--columns", "x", "--rolling", "9"};
  std::map<std::string, std::vector<std::string>> of_key;
  for (const auto& [key, text] : alone) of_key[key] = lines_of(out_of(words, text));
  std::vector<std::string> by = words;
  by.insert(by.end(), {"--by", "k"});
  const std::vector<std::string> found = lines_of(out_of(by, all));
  std::map<std::string, std::size_t> next;
  ASSERT_EQ(found.size(), rows.size() + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string key = rows[i].substr(0, 2);
    ASSERT_EQ(found[i + 1], key + "\t" + of_key[key].at(++next[key])) << i;
  }
}

TEST(RowWindows, OfAPipeAndAnyThreadsAreThoseOfAFile) {
  std::string all = "k,x\n";
  for (const std::string& row : random_rows(60000)) all += row + "\n";
  const Folder folder;
  const std::string file = folder.write("t.csv", all);
  const auto of = [](std::vector<std::string> more, const std::string& text) {
    std::vector<std::string> words{"mean", "--columns", "x", "--rolling", "50"};
    words.insert(words.end(), more.begin(), more.end());
    return out_of(words, text);
  };
  const std::string from_pipe = of({}, all);
  EXPECT_EQ(lines_of(from_pipe).size(), 60000u);
  EXPECT_EQ(of({file, "--threads", "1"}, ""), from_pipe);
  EXPECT_EQ(of({file, "--threads", "3"}, ""), from_pipe);
  EXPECT_EQ(of({file, "--memory", "32MiB"}, ""), from_pipe);
}

TEST(RowWindows, RefuseTimesThatFallOrAreNone) {
  const auto refused = [](const std::string& rows, const std::string& says,
                          const std::string& within = "7D") {
    const Folder folder;
    expect_refusal({"sum", "--by", "k", "--over", "t", "--within", within,
                    folder.write("t.csv", "k,t,x\n" + rows)},
                   within == "7" ? ErrorCode::bad_option : ErrorCode::bad_token, says);
  };
  refused("a,2024-01-02,1\nb,2024-01-01,1\na,2024-01-01,1\n",
          "row 3 of the table: t is before the time of an earlier row of its key; sort the rows");
  refused("a,2024-01-02,1\na,,1\n", "row 2 of the table: t is missing");
  refused("a,2024-01-02,1\na,soon,1\n", "row 2 of the table: t \"soon\" is not a date");
  refused("a,2024-01-02,1\na,12:30,1\n", "row 2 of the table");
  refused("a,2024-01-02,1\n", "column t has times, but --within 7 is a number", "7");
}

TEST(RowWindows, RefuseWhatHasNoMeaning) {
  const Folder folder;
  const std::string file = folder.write("t.csv", shops);
  const auto refused = [&](std::vector<std::string> more, const std::string& says) {
    std::vector<std::string> words{"sum", "--columns", "price", file};
    words.insert(words.end(), more.begin(), more.end());
    expect_refusal(words, ErrorCode::bad_option, says);
  };
  for (const std::vector<std::string>& other :
       std::vector<std::vector<std::string>>{{"--axis", "0"},
                                             {"--keepdims"},
                                             {"--weights", "day"},
                                             {"--fweights", "day"},
                                             {"--top", "2"},
                                             {"--no-sort"},
                                             {"--sort", "sum"},
                                             {"--each"}}) {
    std::vector<std::string> words{"--rolling", "2"};
    words.insert(words.end(), other.begin(), other.end());
    refused(words, "windows return an answer for each row of a table, in its order, so " +
                       other[0] + " does not apply");
  }
  refused({"--rolling", "0"}, "write a number of rows");
  refused({"--rolling", "7D"}, "for a span of time, pass --over COLUMN --within 7D");
  refused({"--rolling", "2", "--min-periods", "3"}, "more than the window's 2 rows");
  refused({"--cumulative", "--device", "cuda"}, "on the CPU only");
  refused({"--cumulative", "--axis", "0"}, "--axis does not apply");
  refused({"--cumulative", "--rolling", "2"},
          "--rolling uses only the last ones; leave one of them out");
  refused({"--cumulative", "--over", "day", "--within", "7D"},
          "--over uses only the last ones; leave one of");
  expect_refusal({"median", "--cumulative", file}, ErrorCode::bad_option, "does not apply to");
  refused({"--min-periods", "3"}, "pass --rolling");
  refused({"--closed", "left"}, "--closed applies only to windows; pass --rolling");
  refused({"--rolling", "2", "--closed", "outer"}, "choose one of right, left, both, neither");
  refused({"--rolling", "1", "--closed", "neither"}, "leaves no row in a window");
  refused({"--rolling", "2", "--closed", "neither", "--min-periods", "2"}, "the window's 1 rows");
  refused({"--over", "day"}, "pass the span of a window with --within");
  refused({"--within", "7D"}, "name the column of times with --over");
  refused({"--rolling", "2", "--over", "day", "--within", "7D"}, "pass one of them");
  refused({"--over", "day", "--within", "7 fortnights"}, "write a span of time");
  refused({"--over", "day", "--within", "0D"}, "write a span of time");
  expect_refusal({"median", "--rolling", "2", file}, ErrorCode::bad_option, "does not apply to");
  const Ran pipe = run_program({"sum", "--rolling", "2"},
                               {.stdin_text = npy("<f8", "(2,)", bytes_of_list<double>({1, 2}))});
  EXPECT_EQ(pipe.status, exit_status(ErrorCode::unsupported));
  EXPECT_NE(pipe.error.find("it is not a table"), std::string::npos) << pipe.error;
}

TEST(RowWindows, OfArraysLieAlongAnAxis) {
  const Folder folder;
  const std::string file =
      folder.write("a.npy", npy("<f8", "(3, 2)", bytes_of_list<double>({1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(out_of({"sum", "--rolling", "2", file}, ""), "1\t2\n4\t6\n8\t10\n");
  EXPECT_EQ(out_of({"sum", "--rolling", "2", "--axis", "1", file}, ""), "1\t3\n3\t7\n5\t11\n");
  EXPECT_EQ(out_of({"sum", "--cumulative", file}, ""), "1\t2\n4\t6\n9\t12\n");
  expect_refusal({"sum", "--rolling", "2", "--cumulative", file}, ErrorCode::bad_option,
                 "one of them");
  EXPECT_EQ(out_of({"max", "--rolling", "2", "--closed", "left", file}, ""),
            "nan\tnan\n1\t2\n3\t4\n");
  const std::string to = folder.path("o.npy");
  out_of({"max", "--rolling", "2", "--output", to, file}, "");
  EXPECT_EQ(read_file(to), npy("<f8", "(3, 2)", bytes_of_list<double>({1, 2, 3, 4, 5, 6})));
  expect_refusal({"sum", "--rolling", "2", "--axis", "0,1", file}, ErrorCode::bad_axis,
                 "windows lie along one axis");
  expect_refusal({"sum", "--over", "t", "--within", "7D", file}, ErrorCode::bad_option, "--over");
}

TEST(RowWindows, RefuseMoreRowsThanMemoryHolds) {
  std::string text = "x\n";
  text.reserve(6000000);
  for (int i = 0; i < 2000000; ++i) text += "1\n";
  const Ran ran =
      run_program({"sum", "--rolling", "1500000", "--memory", "32MiB"}, {.stdin_text = text});
  EXPECT_EQ(ran.status, exit_status(ErrorCode::out_of_memory));
  EXPECT_NE(ran.error.find("bytes of memory or more"), std::string::npos) << ran.error;
  EXPECT_NE(ran.error.find("allow more with --memory"), std::string::npos) << ran.error;
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
