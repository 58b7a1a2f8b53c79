// Quantiles of tables by keys: each group's quantiles are those of its numbers alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "cli/out_of.hpp"
#include "generate.hpp"
#include "onefold/tables/group_quantiles.hpp"
#include "onefold/tables/quantiles.hpp"
#include "scaled.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

TEST(GroupQuantiles, AreOfEachKey) {
  const char* const table = "k,x,y\nb,1,2\na,5,4\nb,4,9\na,nan,1\nb,10,0\n";
  EXPECT_EQ(out_of({"median", "--by", "k", "--columns", "y"}, table), "k\tmedian\na\t2.5\nb\t2\n");
  EXPECT_EQ(out_of({"median", "--by", "k"}, table),
            "k\tx_median\ty_median\na\tnan\t2.5\nb\t4\t2\n");
  EXPECT_EQ(out_of({"median", "--by", "k", "--nan", "omit", "--columns", "x", "--json"}, table),
            "{\"by\": {\"k\": \"a\"}, \"x\": {\"median\": 5.0}}\n"
            "{\"by\": {\"k\": \"b\"}, \"x\": {\"median\": 4.0}}\n");
  EXPECT_EQ(out_of({"quantile", "--q", ".25,1", "--by", "k", "--columns", "y", "--top", "1",
                    "--method", "lower"},
                   table),
            "k\tq.25\tq1\na\t1\t4\n");
}

TEST(GroupQuantiles, LeaveMissingValuesOut) {
  EXPECT_EQ(out_of({"median", "--by", "k", "--columns", "x"}, "k,x\na,\nb,1\na,\nb,2\n"),
            "k\tmedian\na\tnan\nb\t1.5\n");
  EXPECT_EQ(out_of({"median", "--by", "k", "--columns", "x", "--where", "x > 1"},
                   "k,x\na,0\nb,1\na,3\nb,2\n"),
            "k\tmedian\na\t3\nb\t2\n");
}

TEST(GroupQuantiles, SortByTheirAnswers) {
  const char* const table = "k,x\na,1\nb,3\nc,2\n";
  EXPECT_EQ(out_of({"median", "--by", "k", "--sort", "-median"}, table),
            "k\tmedian\nb\t3\nc\t2\na\t1\n");
  EXPECT_EQ(out_of({"median", "--by", "k", "--top", "1"}, table), "k\tmedian\nb\t3\n");
}

TEST(GroupQuantiles, RefuseWhatHasNoMeaning) {
  const auto status_of = [](const std::vector<std::string>& words) {
    return run_program(words, {.stdin_text = "k,x\na,1\na,nan\n"}).status;
  };
  EXPECT_EQ(status_of({"median", "--by", "k", "--nan", "raise"}),
            exit_status(ErrorCode::nan_found));
  EXPECT_EQ(status_of({"median", "--by", "k", "--sort", "mean"}),
            exit_status(ErrorCode::bad_option));
  EXPECT_EQ(status_of({"median", "--by", "k.npy"}), exit_status(ErrorCode::unsupported));
}

struct Made {
  std::string text;
  std::map<std::string, std::string> of_key;  // the lines of each key, without it
};

// A table whose k-th key has about twice the rows of the next one.
Made make_table(Random& r, std::size_t rows, std::size_t keys) {
  Made made{.text = "k,x\n", .of_key = {}};
  for (std::size_t i = 0; i < rows; ++i) {
    std::size_t k = 0;
    while (k < 6 && pick(r, 0, 1) == 1) ++k;
    if (k == 6) k = pick(r, 6, keys);
    const std::string key = "k" + std::to_string(1000 + k);
    const std::string x = std::to_string(pick(r, 0, 100000)) + "e" + std::to_string(pick(r, 0, 9));
    made.text += key + "," + x + "\n";
    made.of_key[key] += x + "\n";
  }
  return made;
}

// Numbers that do not fit in memory are read again, by as many groups as fit.
TEST(GroupQuantiles, AreTheSameInLittleMemory) {
  const Folder folder;
  const std::vector<Quantile> quantiles{{{1, 4}, "a"}, {{1, 2}, "b"}, {{999, 1000}, "c"}};
  for (uint64_t seed = 0; seed < test::scaled(12u); ++seed) {
    Random r(seed);
    const Made made = make_table(r, pick(r, 1, 30000), pick(r, 7, 200));
    const std::string path = folder.write("t.csv", made.text);
    io::InputOptions input;
    input.by = "k";
    io::Limits limits;
    limits.state_bytes = pick(r, 40, 200) << 10;
    io::Notes notes;
    const io::Grouped grouped =
        io::group_quantiles(quantiles, {path}, input, {}, {}, limits, notes, {});
    ASSERT_EQ(grouped.keys.size(), made.of_key.size()) << "seed " << seed;
    std::size_t g = 0;
    for (const auto& [key, lines] : made.of_key) {
      EXPECT_EQ(grouped.keys[g], key);
      const std::string own = folder.write("own.txt", lines);
      const Answers answers = io::quantiles_of_files(quantiles, {own}, {}, {}, {}, {}, notes);
      for (std::size_t q = 0; q < quantiles.size(); ++q) {
        EXPECT_EQ(grouped.answers.list[q][g].as<double>(), answers.list[q][0].as<double>())
            << "seed " << seed << ", key " << key << ", quantile " << q;
      }
      ++g;
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
