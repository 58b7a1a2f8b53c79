// onefold text: columns of a table as texts.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "cli/program.hpp"
#include "onefold/error.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

const std::string staff =
    "city,day,name\nOslo,1,ann\nBern,1,bob\nOslo,2,ann\nRome,1,\nBern,10,\"c, y\"\nNice,3,NA\n";

Ran text(std::vector<std::string> words, const std::string& table = staff) {
  words.insert(words.begin(), "text");
  return run_program(words, {.stdin_text = table});
}
std::string out_of(const std::vector<std::string>& words, const std::string& table = staff) {
  const Ran ran = text(words, table);
  EXPECT_EQ(ran.status, 0) << ran.error;
  return ran.out;
}

TEST(TextVerb, AnswersOfAColumn) {
  EXPECT_EQ(out_of({"count,max,min,mode,nunique", "--columns", "name"}),
            "column\tcount\tmax\tmin\tmode\tnunique\nname\t4\tc, y\tann\tann\t3\n");
  EXPECT_EQ(out_of({"nunique", "--columns", "city"}), "4\n");
  EXPECT_EQ(out_of({"mode", "--columns", "city"}), "Bern\n");  // as often as Oslo, and before it
  EXPECT_EQ(out_of({"max", "--columns", "name", "--json"}), "{\"max\": {\"name\": \"c, y\"}}\n");
}

TEST(TextVerb, LeavesOutWhatIsMissingAndSaysSo) {
  const Ran ran = text({"count", "--columns", "name"});
  EXPECT_EQ(ran.out, "4\n");
  EXPECT_EQ(ran.error, "onefold: 2 values are missing and left out: 2 in column name\n");
  EXPECT_EQ(out_of({"nunique", "--columns", "name", "--missing", "ann"}), "2\n");
  EXPECT_EQ(out_of({"nunique,min", "--columns", "name", "--where", "day == 1"}),
            "column\tnunique\tmin\nname\t2\tann\n");
}

TEST(TextVerb, ComparesTextsAsNumbersWhereAllAre) {
  EXPECT_EQ(out_of({"min,max", "--columns", "day"}), "column\tmin\tmax\nday\t1\t10\n");
  EXPECT_EQ(out_of({"min,max", "--columns", "k"}, "k,x\n10,0\n9,0\nNA,0\n"),
            "column\tmin\tmax\nk\t9\t10\n");
  EXPECT_EQ(out_of({"min,max", "--columns", "k"}, "k,x\n10,0\n9,0\na,0\n"),
            "column\tmin\tmax\nk\t10\ta\n");
}

TEST(TextVerb, AnswersForEachKey) {
  const std::vector<std::string> words{"mode,nunique", "--columns", "name", "--by", "city"};
  const Ran ran = text(words);
  EXPECT_EQ(ran.status, exit_status(ErrorCode::empty_input));
  EXPECT_NE(ran.error.find("mode of column name, group Nice: there is nothing"), std::string::npos);
  std::vector<std::string> empty = words;
  empty.emplace_back("--empty-nan");
  EXPECT_EQ(out_of(empty),
            "city\tmode\tnunique\nBern\tbob\t2\nNice\tnull\t0\nOslo\tann\t1\nRome\tnull\t0\n");
  empty.insert(empty.end(), {"--sort", "-mode,city", "--json"});
  EXPECT_EQ(out_of(empty),
            "{\"by\": {\"city\": \"Bern\"}, \"name\": {\"mode\": \"bob\", \"nunique\": 2}}\n"
            "{\"by\": {\"city\": \"Oslo\"}, \"name\": {\"mode\": \"ann\", \"nunique\": 1}}\n"
            "{\"by\": {\"city\": \"Nice\"}, \"name\": {\"mode\": null, \"nunique\": 0}}\n"
            "{\"by\": {\"city\": \"Rome\"}, \"name\": {\"mode\": null, \"nunique\": 0}}\n");
  EXPECT_EQ(out_of({"nunique", "--columns", "name", "--by", "city", "--top", "1"}),
            "city\tnunique\nBern\t2\n");
}

TEST(TextVerb, IsWhatAMapCountsForRandomTexts) {
  std::mt19937 random(3);
  const Folder folder;
  std::string table = "k,a,b\n";
  std::map<int, std::map<std::string, int>> a;
  std::map<int, std::map<std::string, int>> b;
  for (int row = 0; row < 5000; ++row) {
    const int k = static_cast<int>(random() % 40);
    const std::string x = "t" + std::to_string(random() % 30), y(random() % 4, 'z');
    table += std::to_string(k) + "," + x + "," + y + "\n";
    ++a[k][x];
    b[k];
    if (!y.empty()) ++b[k][y];
  }
  const auto of = [](const std::map<std::string, int>& counts) {
    std::string mode;
    int most = 0, all = 0;
    for (const auto& [name, n] : counts) {
      all += n;
      if (n > most) mode = name, most = n;
    }
    return '\t' + counts.begin()->first + '\t' + counts.rbegin()->first + '\t' + mode + '\t' +
           std::to_string(counts.size()) + '\t' + std::to_string(all);
  };
  std::string expected =
      "k\ta_min\ta_max\ta_mode\ta_nunique\ta_count\tb_min\tb_max\tb_mode\tb_nunique\tb_count\n";
  for (const auto& [k, counts] : a) {
    expected += std::to_string(k) + of(counts) + of(b[k]) + "\n";
  }
  const std::string path = folder.write("t.csv", table);
  for (const char* threads : {"1", "4"}) {
    EXPECT_EQ(out_of({"min,max,mode,nunique,count", "--columns", "a,b", "--by", "k", "--threads",
                      threads, path},
                     ""),
              expected);
  }
}

TEST(TextVerb, RefusesWhatItCannotDoInOneLine) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"sum", "--columns", "name"}, "choose one of count,max,min,mode,nunique"},
      {{"min,min", "--columns", "name"}, "is listed twice"},
      {{"min"}, "name them with --columns"},
      {{"min", "--columns", "1-2"}, "1-2 may match several"},
      {{"min", "--columns", "name,city"}, "a pipe can be read only once"},
      {{"min", "--columns", "name", "--top", "1"}, "with --by"}};
  for (const auto& [words, says] : cases) {
    const Ran ran = text(words);
    EXPECT_NE(ran.status, 0);
    EXPECT_NE(ran.error.find(says), std::string::npos) << ran.error;
    EXPECT_EQ(ran.out, "");
  }
}

// f64 does not tell these apart.
TEST(TextVerb, ComparesNumbersByTheirExactValues) {
  const auto of = [](const std::string& numbers) {
    return run_program({"text", "min,max,mode", "--columns", "v", "--header", "yes"},
                       {.stdin_text = "v\n" + numbers})
        .out;
  };
  EXPECT_EQ(of("-9007199254740993\n-9007199254740992\n"),
            "column\tmin\tmax\tmode\nv\t-9007199254740993\t-9007199254740992\t"
            "-9007199254740993\n");
  EXPECT_EQ(of("10000000000000000001\n1e19\n"),
            "column\tmin\tmax\tmode\nv\t1e19\t10000000000000000001\t1e19\n");
  EXPECT_EQ(of("-inf\n1e400\n2e400\ninf\n-1e999\n"),
            "column\tmin\tmax\tmode\nv\t-inf\tinf\t-inf\n");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
