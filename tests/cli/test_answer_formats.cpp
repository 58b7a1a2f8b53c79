// --output FILE.csv, .tsv, .json, .npy, .parquet, .arrow: files of answers.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.hpp"
#include "onefold/error.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

const std::string table =
    "city,day,temp\nOslo,1,3\n\"Be, rn\",1,0.1\n\"Be, rn\",1,0.2\n\"say \"\"a\"\"\",2,-1\n,3,NA\n";

// Returns the contents of the file that `words` write.
std::string written(std::vector<std::string> words, const std::string& name,
                    const std::string& text = table) {
  const Folder folder;
  const std::string out = folder.path(name.c_str());
  words.insert(words.end(), {"--output", out});
  const Ran ran = run_program(words, {.stdin_text = text});
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_EQ(ran.out, "");
  return read_file(out);
}

TEST(AnswerFormats, WriteGroupsAsCsv) {
  const std::vector<std::string> words{"sum,count", "--by", "city,day", "--columns", "temp"};
  EXPECT_EQ(
      written(words, "g.csv"),
      "city,day,sum,count\n\"\",3,0,0\n\"Be, rn\",1,0.3,2\nOslo,1,3,1\n\"say \"\"a\"\"\",2,-1,1\n");
  EXPECT_EQ(written(words, "g.tsv"),
            "city\tday\tsum\tcount\n\"\"\t3\t0\t0\nBe, rn\t1\t0.3\t2\nOslo\t1\t3\t1\n"
            "\"say \"\"a\"\"\"\t2\t-1\t1\n");
  // A missing value is an empty field; NaN is a number.
  EXPECT_EQ(
      written({"describe", "--by", "day", "--columns", "temp", "--sort", "-day", "--top", "1"},
              "d.csv"),
      "day,count,nan,inf,zeros,sum,mean,std,var,min,max,norm1,norm2\n"
      "3,0,0,0,0,0,nan,nan,nan,,,0,0\n");
}

TEST(AnswerFormats, WriteColumnsAxesAndSingleAnswersAsCsv) {
  EXPECT_EQ(written({"sum,max"}, "c.csv"), "column,sum,max\nday,8,3\ntemp,2.3,3\n");
  EXPECT_EQ(written({"sum,max", "--dtype", "i32", "--axis", "0"}, "a.csv", "1 2\n3 4\n"),
            "index,sum,max\n0,4,3\n1,6,4\n");
  EXPECT_EQ(written({"sum"}, "s.csv", "1 2\n3 4\n"), "sum\n10\n");
  EXPECT_EQ(written({"mean", "--precision", "3"}, "s.csv", "1\n2\n2\n"), "mean\n1.67\n");
  EXPECT_EQ(written({"quantile", "--q", "0,.5", "--columns", "day"}, "q.tsv"),
            "column\tq0\tq.5\nday\t1\t1\n");
  EXPECT_EQ(written({"median"}, "m.csv", "1\n2\n"), "median\n1.5\n");
  const Folder folder;
  const std::string cube =
      folder.write("x.npy", npy("<f8", "(2, 1, 2)", bytes_of_list<double>({1, 2, 3, 4})));
  EXPECT_EQ(written({"sum,min", "--axis", "1", cube}, "i.csv", ""),
            "index_0,index_1,sum,min\n0,0,1,1\n0,1,2,2\n1,0,3,3\n1,1,4,4\n");
}

TEST(AnswerFormats, WriteAsJsonWhatIsPrintedAsJson) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"sum,count", "--by", "city,day", "--columns", "temp"},
        {"describe"},
        {"mean", "--columns", "temp"}}) {
    std::vector<std::string> json = words;
    json.emplace_back("--json");
    EXPECT_EQ(written(words, "x.json"), run_program(json, {.stdin_text = table}).out);
    EXPECT_EQ(written(words, "x.jsonl"), run_program(json, {.stdin_text = table}).out);
  }
}

TEST(AnswerFormats, WriteSeveralOpsAsRecordsOfNpy) {
  const std::string file = written({"sum,count", "--columns", "temp,day"}, "r.npy");
  EXPECT_NE(file.find("[('column', '<U4'), ('sum', '<f8'), ('count', '<i8')]"), file.npos) << file;
  EXPECT_NE(file.find("'shape': (2,)"), file.npos);
}

// A .npy file has no null, which would look like the text "null".
TEST(AnswerFormats, NpyRefusesTextsAndDatesWithoutAValue) {
  const Folder folder;
  const std::string rows = folder.write("r.csv", "g,s,d,v\na,x,2024-01-01,1\nb,,,\n");
  const std::string out = folder.path("d.npy");
  const auto error_of = [&](std::vector<std::string> words, const std::string& name) {
    words.insert(words.end(), {"--output", folder.path(name), rows});
    const Ran ran = run_program(words);
    EXPECT_EQ(ran.status, name == "d.npy" ? exit_status(ErrorCode::unsupported) : 0);
    return ran.error;
  };
  const std::vector<std::vector<std::string>> calls{{"agg", "mode(s)", "--by", "g"},
                                                    {"agg", "min(s)", "--by", "g"},
                                                    {"agg", "mode(v)", "--by", "g"},
                                                    {"agg", "max(d)", "--by", "g"},
                                                    {"agg", "mode(d)", "--by", "g"}};
  for (const std::vector<std::string>& words : calls) {
    EXPECT_NE(error_of(words, "d.npy")
                  .find("--output: row 2 of column " + words[1] +
                        " has no value, but a .npy file of texts cannot hold "
                        "nulls; write a .parquet, .jsonl or .csv file"),
              std::string::npos)
        << words[1];
    EXPECT_FALSE(std::filesystem::exists(out));
    error_of(words, "d.csv");
  }
  // A null key is no answer.
  const std::string keyed = "g,v\n,1\nb,2\n";
  EXPECT_EQ(
      run_program({"sum", "--columns", "v", "--by", "g", "--output", out}, {.stdin_text = keyed})
          .status,
      0);
}

TEST(AnswerFormats, AreRefusedWhereTheyCannotBeWritten) {
  const auto error_of = [](std::vector<std::string> words, int status) {
    const Ran ran = run_program(
        words, {.stdin_text = "1\n", .environment = {"ONEFOLD_ARROW_PLUGIN=/nowhere.so"}});
    EXPECT_EQ(ran.status, status) << ran.error;
    return ran.error;
  };
  EXPECT_NE(error_of({"sum", "--output", "x.parquet"}, exit_status(ErrorCode::unsupported))
                .find("--output x.parquet cannot be written: onefold_arrow.so cannot be loaded"),
            std::string::npos);
  EXPECT_NE(error_of({"sum", "--output", "x.txt"}, exit_status(ErrorCode::bad_option))
                .find(".csv .tsv .json .jsonl .npy .parquet .pq .arrow .feather"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists("x.parquet"));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
