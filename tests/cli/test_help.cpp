// -h, --help, help, completion.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cli/program.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

TEST(Help, IsPrintedForTheProgramEveryVerbAndEveryOp) {
  const Ran all = run_program({"--help"});
  EXPECT_EQ(all.status, 0);
  for (const char* word : {"describe", "explain", "info", "norm2", "help errors"}) {
    EXPECT_NE(all.out.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(run_program({"help"}).out, all.out);
  for (const char* word : {"fold", "describe", "explain", "info", "help", "sum", "dot"}) {
    const Ran ran = run_program({word, "--help"});
    EXPECT_EQ(ran.status, 0) << word;
    EXPECT_NE(ran.out.find("\nExamples\n  onefold "), std::string::npos) << word;
    EXPECT_EQ(run_program({"help", word}).out, ran.out);
  }
}

TEST(Help, OfAnOptionNamesItsVerbsAndExamples) {
  const std::string by = run_program({"help", "by"}).out;
  EXPECT_EQ(by.substr(0, 11), "  --by LIST");
  EXPECT_NE(by.find("\nTaken by\n  agg, describe, explain, fit, fold, gather, median, mpi, "
                    "quantile, text\n"),
            by.npos)
      << by;
  EXPECT_NE(by.find("mean,std --by city weather.csv"), by.npos) << by;
}

// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Help, ShortBeginsWithExamplesAndFitsIn20Lines) {
  const std::vector<std::string> lines = lines_of(run_program({"-h"}).out);
  ASSERT_GT(lines.size(), 4);
  EXPECT_LE(lines.size(), 20);
  EXPECT_EQ(lines[2], "Examples");
  EXPECT_TRUE(lines[3].starts_with("  onefold ")) << lines[3];
}

TEST(Help, StaysWithin80Columns) {
  std::vector<std::vector<std::string>> all{
      {"-h"},          {"--help"},      {"help", "errors"},
      {"help", "var"}, {"help", "dot"}, {"help", "kurtosis_pearson"}};
  for (const auto& file : std::filesystem::directory_iterator(ONEFOLD_SOURCE_DIR "/cli/verb")) {
    all.push_back({"help", file.path().stem().string()});
  }
  for (const char* option : {"by", "nan", "rung", "help"}) all.push_back({"help", option});
  for (const std::vector<std::string>& words : all) {
    for (const std::string& line : lines_of(run_program(words).out)) {
      EXPECT_LE(line.size(), 80) << words.back() << ": " << line;
    }
  }
}

TEST(Help, GroupsTheOptionsOfAVerb) {
  const std::string fold = run_program({"help", "fold"}).out;
  std::size_t at = 0;
  for (const char* heading :
       {"\nColumns, rows and groups\n  --columns ", "\nWhat to compute\n  --axis ",
        "\nWindows of rows\n  --rolling ", "\nReading tables\n  --header ",
        "\nReading arrays and raw files\n  --format ", "\nSeveral files\n  --each ",
        "\nOutput\n  --json ", "\nSpeed and memory\n  --threads ", "\nHelp\n  --help "}) {
    const std::size_t found = fold.find(heading, at);
    ASSERT_NE(found, std::string::npos) << heading << fold;
    at = found;
  }
  EXPECT_EQ(fold.find("\nOptions\n"), std::string::npos);  // each shared option has a group
  EXPECT_NE(run_program({"help", "agg"}).out.find("\nOptions\n  --having EXPR "),
            std::string::npos);
  EXPECT_NE(run_program({"help", "lab"}).out.find("\nYour own kernels (lab run)\n  --kernel "),
            std::string::npos);
}

TEST(Help, OfErrorsListsTheExitStatuses) {
  const Ran ran = run_program({"help", "errors"});
  EXPECT_EQ(ran.status, 0);
  const std::vector<std::string> lines = lines_of(ran.out);
  for (const char* line :
       {"  0   success         ", "  38  cannot_write    ", "  35  bad_token    "}) {
    const auto begins = [&](const std::string& one) { return one.starts_with(line); };
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), begins)) << line << ran.out;
  }
}

TEST(Help, ShowsAListOnlyOfOpsThatGoTogether) {
  EXPECT_NE(run_program({"sum", "--help"}).out.find("onefold sum,OP... FILE...\n"),
            std::string::npos);
  const std::string dot = run_program({"dot", "--help"}).out;
  EXPECT_TRUE(dot.starts_with("onefold dot FILE FILE\n\ndot: ")) << dot;
}

TEST(Help, SpeaksOfRawFilesOnlyWhereFilesAreRead) {
  EXPECT_EQ(run_program({"lab", "--help"}).out.find("raw file"), std::string::npos);
}

TEST(CompletionVerb, CompletesInBash) {
  const Folder folder;
  const std::string script = folder.write("onefold.bash", run_program({"completion", "bash"}).out);
  folder.write("t.csv", "city,New York,amount\na,1,2\nb,3,4\n");
  const auto complete = [&](const std::string& words, int at) {
    const std::string to = folder.path("out");
    const std::string line = "cd " + folder.path("") + " && bash -c 'source " + script +
                             "; COMP_WORDS=($PROGRAM " + words +
                             "); COMP_CWORD=" + std::to_string(at) +
                             "; _onefold; echo \"${COMPREPLY[*]}\"' > " + to;
    EXPECT_EQ(::setenv("PROGRAM", ONEFOLD_PROGRAM, 1), 0);
    EXPECT_EQ(std::system(line.c_str()), 0);
    return read_file(to);
  };
  EXPECT_EQ(complete("desc", 1), "describe\n");
  EXPECT_EQ(complete("normi", 1), "norminf\n");
  EXPECT_EQ(complete("mean,st", 1), "mean,std\n");
  EXPECT_EQ(complete("mean --ax", 2), "--axis\n");
  EXPECT_EQ(complete("merge --pa", 2), "--parts\n");
  EXPECT_EQ(complete("mean --by c t.csv", 3), "city\n");
  EXPECT_EQ(complete("mean t.csv --columns New", 4), "New\\ York\n");
  EXPECT_EQ(complete("mean t.csv --by city,am", 4), "city,amount\n");
  EXPECT_EQ(complete("mean --by = am t.csv", 4), "amount\n");
  EXPECT_EQ(complete("mean t", 2), "\n");  // bash lists files
  EXPECT_TRUE(run_program({"completion", "zsh"}).out.starts_with("autoload -U +X bashcompinit"));
  EXPECT_EQ(run_program({"completion", "tcsh"}).status, 2);
}

TEST(CompletionVerb, CompletesInFish) {
  const Folder folder;
  const std::string text = run_program({"completion", "fish"}).out;
  EXPECT_NE(text.find("-l axis -x -a "), std::string::npos);
  EXPECT_NE(text.find("-l output -r -a "), std::string::npos);
  if (std::system("command -v fish > /dev/null") != 0) GTEST_SKIP() << "no fish";
  const std::string script = folder.write("onefold.fish", text);
  folder.write("t.csv", "city,New York,amount\na,1,2\nb,3,4\n");
  const std::string bin = std::filesystem::path(ONEFOLD_PROGRAM).parent_path().string();
  const auto complete = [&](const std::string& line) {
    const std::string to = folder.path("out");
    const std::string command = "cd " + folder.path("") + " && PATH=" + bin +
                                ":$PATH HOME=. fish -c 'source " + script + "; complete -C \"" +
                                line + "\"' > " + to;
    EXPECT_EQ(std::system(command.c_str()), 0);
    const std::string offered = read_file(to);
    return offered.substr(0, offered.find_first_of("\t\n"));  // fish adds what the option does
  };
  EXPECT_EQ(complete("onefold desc"), "describe");
  EXPECT_EQ(complete("onefold mean,st"), "mean,std");
  EXPECT_EQ(complete("onefold mean --nan o"), "omit");
  EXPECT_EQ(complete("onefold mean t.csv --by c"), "city");
  EXPECT_EQ(complete("onefold mean t.csv --by=c"), "--by=city");
  EXPECT_EQ(complete("onefold mean t"), "t.csv");
}

TEST(CompletionVerb, OffersTheValuesOfOptions) {
  const Folder folder;
  const std::string csv = folder.write("t.csv", "city;x,y;amount\na;1;2\nb;3;4\n");
  const std::string texts = folder.write("u.csv", "name,town\nAnn,Oslo\nBob,Rome\n");
  const auto offered = [](std::vector<std::string> words, const std::string& at) {
    words.insert(words.begin(), {"completion", "words", at, "--", "onefold"});
    const Ran ran = run_program(words);
    EXPECT_EQ(ran.status, 0) << ran.error;
    EXPECT_EQ(ran.error, "");
    return ran.out;
  };
  EXPECT_EQ(offered({"mean", "--nan", ""}, "3"), "omit\npropagate\nraise\n");
  EXPECT_EQ(offered({"mean", "--bad-lines", "s"}, "3"), "skip\n");
  EXPECT_EQ(offered({"sum", "--dtype", "f"}, "3").substr(0, 4), "f16\n");
  EXPECT_EQ(offered({"sum", "--format", "np"}, "3"), "npy\n");
  EXPECT_EQ(offered({"sum", "--device", "cu"}, "3"), "cuda\ncuda:all\n");
  EXPECT_EQ(offered({"mean", "--delimiter", ";", "--by", "", csv}, "5"), "amount\ncity\nx,y\n");
  EXPECT_EQ(offered({"text", "nunique", texts, "--columns", ""}, "5"), "name\ntown\n");
  EXPECT_EQ(offered({"answer", "mean,va"}, "2"), "mean,var\n");
  EXPECT_EQ(offered({"lab", "r"}, "2"), "run\n");
  EXPECT_EQ(offered({"help", "err"}, "2"), "errors\n");
  EXPECT_EQ(offered({"completion", "z"}, "2"), "zsh\n");
  EXPECT_EQ(offered({"mean", "--by", "c", "/nonexistent.csv"}, "3"), "");
  EXPECT_EQ(offered({"mean", "--output", "c"}, "3"), "");  // a file
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
