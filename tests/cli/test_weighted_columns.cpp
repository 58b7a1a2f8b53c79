// --weights of a column: columns of tables have the answers of arrays with the same weights.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

#include "cli/out_of.hpp"
#include "cli/refusal.hpp"
#include "generate.hpp"
#include "onefold/fold.hpp"
#include "scaled.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

const std::string of_one = "average,mean,var,std,skewness,kurtosis",
                  of_two = "corr,cov,intercept,mae,mse,rmse,slope";

std::vector<std::string> words_of(const std::string& text, char between) {
  std::vector<std::string> words;
  std::stringstream all(text);
  for (std::string word; std::getline(all, word, between);) words.push_back(word);
  return words;
}

using Cell = std::optional<double>;  // nothing: it is missing

struct Rows {
  std::vector<std::string> keys;
  std::vector<Cell> x, y, w;
};

Rows random_rows(Random& r, Size n, Size keys, bool odd) {
  Rows rows;
  const auto cell = [&]() -> Cell {
    const uint64_t kind = pick(r, 0, 99);
    if (kind < 8) return {};
    if (odd && kind < 10) return std::nan("");
    if (odd && kind < 11) return std::numeric_limits<double>::infinity();
    if (kind < 40) return static_cast<double>(pick(r, 0, 8)) - 3;
    return std::ldexp(static_cast<double>(static_cast<int64_t>(r() >> 11)) - 4e15,
                      static_cast<int>(pick(r, 0, 40)) - 60);
  };
  for (Size i = 0; i < n; ++i) {
    rows.keys.push_back("k" + std::to_string(100 + pick(r, 0, keys - 1)));
    rows.x.push_back(cell());
    rows.y.push_back(cell());
    rows.w.push_back(cell());
  }
  return rows;
}

std::string text_of(const Cell& cell) {
  if (!cell) return "";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", *cell);
  return text;
}

std::string table_of(const Rows& rows, Size from, Size to) {
  std::string text = "k,x,w,y\n";
  for (Size i = from; i < to; ++i) {
    text += rows.keys[i] + "," + text_of(rows.x[i]) + "," + text_of(rows.w[i]) + "," +
            text_of(rows.y[i]) + "\n";
  }
  return text;
}

// Returns the answers of one group, or of all rows if the key is empty, by fold() of arrays.
//   omit  missing numbers are NaN, which --nan omit leaves out
std::vector<double> right(const Rows& rows, const std::string& key, bool pairs,
                          const std::vector<Cell>& column, bool omit) {
  std::vector<double> x, y, w;
  const Cell missing = omit ? Cell(std::nan("")) : Cell();
  for (Size i = 0; i < rows.x.size(); ++i) {
    if (!key.empty() && rows.keys[i] != key) continue;
    const Cell a = column[i] ? column[i] : missing, b = rows.y[i] ? rows.y[i] : missing,
               c = rows.w[i] ? rows.w[i] : missing;
    if (!a || !c || (pairs && !b)) continue;
    x.push_back(*a);
    y.push_back(b.value_or(0));
    w.push_back(*c);
  }
  const Options options{.nan = omit ? NanPolicy::omit : NanPolicy::propagate, .weights = w};
  const Answers answers = pairs ? fold(of_two, x, y, options) : fold(of_one, x, options);
  std::vector<double> values;
  for (const Answer& a : answers.list) values.push_back(a[0].as<double>());
  return values;
}

void expect_alike(const std::vector<std::string>& printed, const std::vector<double>& values,
                  const std::string& what) {
  ASSERT_EQ(printed.size(), values.size()) << what;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double value = std::strtod(printed[k].c_str(), nullptr);
    if (std::isnan(value) && std::isnan(values[k])) continue;
    EXPECT_EQ(std::bit_cast<uint64_t>(value), std::bit_cast<uint64_t>(values[k]))
        << what << ", answer " << k << ": " << printed[k];
  }
}

void check(const Rows& rows, const std::vector<std::string>& files, const std::string& threads,
           bool omit) {
  std::vector<std::string> words{"--weights", "w", "--threads", threads};
  if (omit) words.insert(words.end(), {"--nan", "omit"});
  words.insert(words.end(), files.begin(), files.end());
  const auto lines = [&](const std::string& ops, std::vector<std::string> more) {
    more.insert(more.begin(), ops);
    more.insert(more.end(), words.begin(), words.end());
    return words_of(out_of(more, ""), '\n');
  };
  const auto tail = [](std::vector<std::string> fields) {
    fields.erase(fields.begin());
    return fields;
  };
  const std::vector<std::string> columns = lines(of_one, {"--columns", "x,y"});
  ASSERT_EQ(columns.size(), 3u);
  expect_alike(tail(words_of(columns[1], '\t')), right(rows, "", false, rows.x, omit), "x");
  expect_alike(tail(words_of(columns[2], '\t')), right(rows, "", false, rows.y, omit), "y");
  std::vector<std::string> pair;
  for (const std::string& line : lines(of_two, {"--columns", "x,y"})) {
    pair.push_back(words_of(line, '\t')[1]);
  }
  expect_alike(pair, right(rows, "", true, rows.x, omit), "x,y");

  std::map<std::string, int> keys;
  for (const std::string& key : rows.keys) keys[key] = 0;
  const std::vector<std::string> groups = lines(of_one, {"--columns", "x,y", "--by", "k"}),
                                 pairs = lines(of_two, {"--columns", "x,y", "--by", "k"});
  ASSERT_EQ(groups.size(), keys.size() + 1);
  ASSERT_EQ(pairs.size(), keys.size() + 1);
  std::size_t line = 1;
  for (const auto& [key, unused] : keys) {
    const std::vector<std::string> found = words_of(groups[line], '\t');
    EXPECT_EQ(found[0], key);
    std::vector<double> both = right(rows, key, false, rows.x, omit);
    const std::vector<double> of_y = right(rows, key, false, rows.y, omit);
    both.insert(both.end(), of_y.begin(), of_y.end());
    expect_alike(tail(found), both, key);
    expect_alike(tail(words_of(pairs[line++], '\t')), right(rows, key, true, rows.x, omit),
                 "pairs of " + key);
  }
}

TEST(WeightedColumns, HaveTheAnswersOfArrays) {
  const Folder folder;
  for (uint64_t seed = 0; seed < test::scaled(12u); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random r(seed);
    // 20,000 rows are several pieces of a text.
    const Size n = seed == 0 ? 20'000 : pick_log(r, 1, 400), cut = pick(r, 0, n - 1);
    const Rows rows = random_rows(r, n, pick(r, 1, 12), seed % 3 == 2);
    std::vector<std::string> files{folder.write("a.csv", table_of(rows, 0, n))};
    if (seed % 2 == 1 && cut > 0) {
      files = {folder.write("a.csv", table_of(rows, 0, cut)),
               folder.write("b.csv", table_of(rows, cut, n))};
    }
    check(rows, files, std::to_string(seed % 3), seed % 4 == 3);
  }
}

// One column is folded by average as a pair, in one pass.
TEST(WeightedColumns, HaveOneAverageByBothWays) {
  const Folder folder;
  Random r(5);
  const std::string file = folder.write("a.csv", table_of(random_rows(r, 900, 7, false), 0, 900));
  EXPECT_EQ(out_of({"average", "--columns", "x", "--weights", "w", file}, ""),
            out_of({"mean", "--columns", "x", "--weights", "w", file}, ""));
  std::string one = out_of({"average", "--by", "k", "--columns", "x", "--weights", "w", file}, "");
  one.replace(one.find("average"), 7, "mean");
  EXPECT_EQ(one, out_of({"mean", "--by", "k", "--columns", "x", "--weights", "w", file}, ""));
  EXPECT_EQ(
      out_of({"average", "--columns", "x,y", "--weights", "w", "--json", file}, "").substr(0, 17),
      "{\"average\": {\"x\":");
}

const std::string table =
    "k,x,y,w\nb,1,2,0.5\na,5,4,1\nb,4,9,2\na,7,,1\nb,10,0,\na,6,5,-0.25\nc,1,2,\n";

TEST(WeightedColumns, AreAllColumnsOfNumbersButTheWeights) {
  const std::string all =
      "column\tmean\tvar\nx\t4.470588235294118\t2.9550173010380623\n"
      "y\t6.6923076923076925\t8.674556213017752\n";
  EXPECT_EQ(out_of({"mean,var", "--weights", "w"}, table), all);
  EXPECT_EQ(out_of({"mean,var", "--columns", "x,w,y", "--weights", "w"}, table), all);
  EXPECT_EQ(out_of({"mean", "--weights", "3"}, "1 2 3\n4 5 6\n"), "1\t3\n2\t4\n");
  EXPECT_EQ(out_of({"mean", "--weights", "twice", "--let", "twice = w * 2", "--columns", "x",
                    "--where", "x < 7"},
                   table),
            "3.6923076923076925\n");
  EXPECT_EQ(out_of({"mean", "--weights", "w", "--columns", "x", "--dtype", "i64"},
                   "x,w\n9007199254740993,1\n9007199254740997,1\n"),
            "9007199254740996\n");
  EXPECT_EQ(out_of({"mean", "--weights", "w", "--columns", "x", "--nan", "propagate"}, table),
            "nan\n");
}

TEST(WeightedColumns, KeepKeysOfRowsWithoutAWeight) {
  const auto out = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"mean,var", "--columns", "x", "--weights", "w", "--by", "k"});
    return out_of(more, table);
  };
  const std::string a = "a\t6\t1.1428571428571428\n", b = "b\t3.4\t1.44\n", c = "c\tnan\tnan\n";
  EXPECT_EQ(out({}), "k\tmean\tvar\n" + a + b + c);
  EXPECT_EQ(out({"--no-sort"}), "k\tmean\tvar\n" + b + a + c);
  EXPECT_EQ(out({"--sort", "-var", "--top", "1"}), "k\tmean\tvar\n" + b);
  EXPECT_EQ(out_of({"corr", "--columns", "x,y", "--weights", "w", "--by", "k", "--json"}, table),
            "{\"by\": {\"k\": \"a\"}, \"x,y\": {\"corr\": -1.0}}\n"
            "{\"by\": {\"k\": \"b\"}, \"x,y\": {\"corr\": 1.0}}\n"
            "{\"by\": {\"k\": \"c\"}, \"x,y\": {\"corr\": null}}\n");
  EXPECT_EQ(out_of({"mean,var", "--weights", "w", "--by", "k"}, "k,x,w\n"), "k\tmean\tvar\n");
  EXPECT_EQ(out_of({"mean", "--weights", "w", "--columns", "x"}, "x,w\n"), "nan\n");
}

TEST(WeightedColumns, AreWrittenToFilesAndFoldedFileByFile) {
  const Folder folder;
  const std::string file = folder.write("t.csv", table), out = folder.path("o.npy");
  for (const auto& [weights, column] : {std::pair{"--weights", "w"}, {"--fweights", "x"}}) {
    const std::vector<std::string> words{"mean", "--columns", "y", weights, column};
    const auto fold = [&](std::vector<std::string> more) {
      more.insert(more.begin(), words.begin(), words.end());
      return out_of(more, "");
    };
    const std::string mean = fold({file}), one = file + "\ty\t" + mean;
    fold({"--output", out, file});
    EXPECT_EQ(out_of({"max", out}, ""), mean);
    EXPECT_EQ(fold({"--each", file, file}), "file\tcolumn\tmean\n" + one + one);
  }
}

TEST(WeightedColumns, RefuseWhatHasNoMeaning) {
  const Folder folder;
  const std::string file = folder.write("t.csv", table),
                    text = folder.write("text.csv", "x,w\n1,a\n2,b\n3,c\n");
  const auto refused = [&](ErrorCode code, const std::string& says,
                           std::vector<std::string> words) {
    for (const bool by : {false, true}) {
      std::vector<std::string> own = words;
      own.insert(own.end(), {"--weights", "w", file});
      if (by) own.insert(own.end(), {"--by", "k"});
      expect_refusal(own, code, says);
    }
  };
  using enum ErrorCode;
  refused(bad_option, "sum: --weights applies only to average", {"sum"});
  refused(bad_option, "ddof cannot be used with --weights", {"var", "--ddof", "1"});
  refused(bad_option, "--initial", {"mean", "--initial", "1"});
  refused(bad_option, "--axis does not apply", {"mean", "--axis", "0"});
  refused(bad_option, "--keepdims does not apply", {"mean", "--keepdims"});
  refused(bad_option, "--fweights does not apply", {"mean", "--fweights", "x"});
  refused(bad_option, "corr needs two columns of a table, but 1 is chosen",
          {"corr", "--columns", "x"});
  refused(bad_option, "only column of numbers is the weights", {"mean", "--columns", "w"});
  refused(bad_option, "has no column \"z\"", {"mean", "--columns", "z"});
  refused(nan_found, "--nan raise was given", {"mean", "--nan", "raise"});
  const auto alone = [&](ErrorCode code, const std::string& says, const std::string& weights,
                         const std::string& of) {
    expect_refusal({"mean,var", "--weights", weights, of}, code, says);
  };
  alone(bad_option, "it has no column \"v\"", "v", file);
  alone(bad_option, "matches several columns", "x,w", file);
  alone(bad_token, "column w holds text", "w", text);
  alone(bad_token, "column k holds text", "k", file);
  alone(out_of_range, "column w (integers beyond f64", "w",
        folder.write("long.csv", "x,w\n1,9007199254740993\n"));
  alone(unsupported, "so --weights must be an existing .npy file", "v",
        folder.write("x.npy", npy("<f8", "(1,)", std::string(8, '\0'))));
  expect_refusal({"mean", "--by", "x", "--weights", "x", file}, bad_option,
                 "column x was given both to --by and to --weights");
  expect_refusal({"explain", "var", "--weights", "w", file}, bad_option,
                 "explain does not support weights from a column");
  std::string rows = "x,w\n";
  for (int i = 0; i < 2'000'000; ++i) rows += "1,2\n";
  expect_refusal({"var", "--weights", "w", "--memory", "32MiB", folder.write("long.csv", rows)},
                 out_of_memory, "allow more with --memory");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
