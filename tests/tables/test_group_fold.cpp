#include "onefold/tables/group_fold.hpp"

#include <gtest/gtest.h>

#include <map>

#include "expect_error.hpp"
#include "generate.hpp"
#include "io/files.hpp"
#include "onefold/io/table_rows.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::expect_error;
using test::Random;
using test::Scratch;

io::Grouped group_text(const std::string& ops, const std::string& text, const std::string& by,
                       const std::string& columns = "", const Options& options = {},
                       const io::Limits& limits = {}, std::optional<DType> dtype = {}) {
  const Scratch folder;
  io::InputOptions input;
  input.dtype = dtype;
  input.guess = true;
  input.by = by;
  input.columns = columns;
  return io::group_files({ops, options}, {folder.write("t.csv", text)}, input, {}, limits);
}

std::vector<std::string> keys_of(const io::Grouped& g) {
  std::vector<std::string> keys;
  for (const std::string& key : g.keys) {
    std::string all;
    for (const auto part : io::parts_of_key(key, g.by.size())) all += std::string(part) + "|";
    keys.push_back(all);
  }
  return keys;
}

using Strings = std::vector<std::string>;

TEST(GroupFold, FoldsAllColumnsOfNumbersByAKey) {
  const io::Grouped g =
      group_text("sum", "city,temp,note,sold\nOslo,1,x,10\nBern,2,y,20\nOslo,3,z,30\n", "city");
  EXPECT_EQ(keys_of(g), (Strings{"Bern|", "Oslo|"}));
  EXPECT_EQ(g.by, (Strings{"city"}));
  EXPECT_EQ(g.columns, (Strings{"temp", "sold"}));
  const auto sums = g.answers.list[0].values<double>();
  EXPECT_EQ(std::vector<double>(sums.begin(), sums.end()), (std::vector<double>{2, 20, 4, 40}));
}

TEST(GroupFold, SortsKeysAsNumbersWhereAllAre) {
  const std::string text = "k,l,x\n10,b,1\n9,a,2\n10,a,3\n-1.5,b,4\n10,b,5\n";
  EXPECT_EQ(keys_of(group_text("sum", text, "k", "x")), (Strings{"-1.5|", "9|", "10|"}));
  EXPECT_EQ(keys_of(group_text("sum", text, "l,k", "x")),
            (Strings{"a|9|", "a|10|", "b|-1.5|", "b|10|"}));
}

TEST(GroupFold, KeepsBlanksOfKeysWithinQuotes) {
  const std::string text = "k,v,l\n\"a \",1,\" b\"\n\"a\" ,2, b \n a ,4,b\n";
  EXPECT_EQ(keys_of(group_text("sum", text, "k", "v")), (Strings{"a|", "a |"}));
  EXPECT_EQ(keys_of(group_text("sum", text, "k,l", "v")), (Strings{"a|b|", "a | b|"}));
}

TEST(GroupFold, ReadsKeysAsTheyStand) {
  const io::Grouped g = group_text(
      "sum", "k;x\n\"a;b\";1\n \"say \"\"hi\"\"\" ;2\n;3\nNA;4\n1,5;5\na;6\n\"a\";7\r\n", "k", "x");
  EXPECT_EQ(keys_of(g), (Strings{"|", "1,5|", "NA|", "a|", "a;b|", "say \"hi\"|"}));
  EXPECT_EQ(g.answers.list[0][3].as<double>(), 13);
  // Columns of numbers that are keys may be folded, too.
  EXPECT_EQ(group_text("sum", "k x\n1 1\n2 2\n1 3\n", "k", "k,x").answers.list[0][1].as<double>(),
            4);
}

// Each group's answer equals the fold of its numbers alone.
TEST(GroupFold, GivesWhatEachGroupGivesAlone) {
  Random random(11);
  std::map<std::string, std::vector<double>> right;
  std::string text = "x,key\n";
  for (int i = 0; i < 60000; ++i) {
    const std::string key = "k" + std::to_string(random() % 3000);
    const double x = static_cast<double>(static_cast<int64_t>(random())) * 1e-12;
    char number[40];
    std::snprintf(number, sizeof number, "%.17g", x);
    text += std::string(number) + "," + key + "\n";
    right[key].push_back(x);
  }
  io::Limits small;
  small.text_chunk_bytes = 10000;
  for (const int threads : {1, 3}) {
    const io::Grouped g =
        group_text("mean,var,min", text, "key", "", {.threads = threads}, small, DType::f64);
    ASSERT_EQ(g.keys.size(), right.size());
    std::size_t k = 0;
    for (const auto& [key, list] : right) {
      ASSERT_EQ(g.keys[k], key);
      const Answers alone = fold("mean,var,min", list);
      for (std::size_t op = 0; op < 3; ++op) {
        ASSERT_EQ(g.answers.list[op][k], alone.list[op].only()) << key;
      }
      ++k;
    }
  }
}

TEST(GroupFold, SaysWhereGroupsDoNotFit) {
  std::string text = "k,x\n";
  for (int i = 0; i < 20000; ++i) text += std::to_string(i) + ",1\n";
  io::Limits small;
  small.state_bytes = 100000;
  small.text_chunk_bytes = 10000;
  expect_error(ErrorCode::out_of_memory, {"groups", "--memory"},
               [&] { group_text("sum", text, "k", "x", {}, small); });
}

TEST(GroupFold, AnswersWithTheNumbersOfRows) {
  const io::Grouped g = group_text("argmax,argmin,max", "k,x\na,1\nb,\nb,5\na,1\nb,5\na,0\n", "k");
  EXPECT_EQ(keys_of(g), (std::vector<std::string>{"a|", "b|"}));
  // The first of equal ones; rows without a number count.
  EXPECT_EQ(g.answers.list[0].values<int64_t>()[0], 0);
  EXPECT_EQ(g.answers.list[0].values<int64_t>()[1], 2);
  EXPECT_EQ(g.answers.list[1].values<int64_t>()[0], 5);
}

TEST(GroupFold, CountsTheRowsOfAllPiecesAndFiles) {
  const Scratch folder;
  std::vector<std::string> files;
  std::vector<double> best(7, -1);
  std::vector<int64_t> place(7);
  Random random(5);
  int64_t row = 0;
  for (int f = 0; f < 3; ++f) {
    std::string text = "k,x\n";
    for (int i = 0; i < 20000; ++i, ++row) {
      const auto k = random() % 7, x = random() % 5000;
      text += std::to_string(k) + "," + std::to_string(x) + "\n";
      if (static_cast<double>(x) <= best[k]) continue;
      best[k] = static_cast<double>(x);
      place[k] = row;
    }
    files.push_back(folder.write("t" + std::to_string(f), text));
  }
  io::InputOptions input;
  input.guess = true;
  input.by = "k";
  io::Limits small;
  small.text_chunk_bytes = 10000;
  for (const int threads : {1, 3}) {
    const io::Grouped g =
        io::group_files({"argmax,mean", {.threads = threads}}, files, input, {}, small);
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_EQ(g.answers.list[0].values<int64_t>()[k], place[k]);
    }
  }
}

TEST(GroupFold, RefusesWhatHasNoMeaning) {
  const std::string text = "k,x\na,1\n";
  expect_error(ErrorCode::bad_option, {"dot needs two columns of a table, but 1 is chosen"},
               [&] { group_text("dot", text, "k"); });
  expect_error(ErrorCode::bad_option, {"no column", "k, x"},
               [&] { group_text("sum", text, "city"); });
  expect_error(ErrorCode::bad_token, {"line 3"},
               [&] { group_text("sum", "k,x\na,1\nb,two\n", "k", "x"); });
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
