// On a terminal: aligned tables with bold names, and a progress line after a second.
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "onefold/error.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

TEST(Terminal, ShowsNamesAlignedAndBold) {
  const Folder folder;
  const std::string file = folder.write("x.txt", "1 2\n3 4\n");
  EXPECT_EQ(run_on_terminal({"sum", file}).out, "10\n");
  EXPECT_EQ(run_on_terminal({"max,argmax", file}).out,
            "\033[1mmax\033[0m     4\n\033[1margmax\033[0m  3\n");
  EXPECT_EQ(run_on_terminal({"max,argmax", "--axis", "0", file}).out,
            "\033[1mindex\033[0m  \033[1mmax\033[0m  \033[1margmax\033[0m\n"
            "    0    3       1\n"
            "    1    4       1\n");
}

TEST(Terminal, AlignsTheColumnsOfGroups) {
  const Folder folder;
  const std::string file =
      folder.write("t.csv", "city,day,price\nSão Paulo,2024-01-02,1.5\nOslo,2024-01-03,20\n");
  const std::string only = folder.write("u.csv", "k,x\n東京,1\nb,22\n");
  const std::vector<std::string> plain{"NO_COLOR=1"};
  const std::string means =
      "city       mean\n"
      "Oslo         20\n"
      "São Paulo   1.5\n";
  EXPECT_EQ(run_on_terminal({"mean", "--by", "city", "--columns", "price", file}, plain).out,
            means);
  EXPECT_EQ(run_on_terminal({"agg", "sum(price), max(day)", "--by", "city", file}, plain).out,
            "city       sum(price)  max(day)\n"
            "Oslo               20  2024-01-03\n"
            "São Paulo         1.5  2024-01-02\n");
  EXPECT_EQ(run_on_terminal({"sum", "--by", "k", only}, plain).out,
            "k     sum\n"
            "b      22\n"
            "東京    1\n");
  EXPECT_EQ(run_on_terminal({"sum", "--by", "k", only}).out.substr(0, 27),
            "\033[1mk\033[0m     \033[1msum\033[0m\nb");
  EXPECT_EQ(run_on_terminal({"sum", "--cumulative", "--by", "k", only}, plain).out,
            "k     sum\n"
            "東京    1\n"
            "b      22\n");
  EXPECT_EQ(run_program({"mean", "--by", "city", "--columns", "price", file}).out,
            "city\tmean\nOslo\t20\nSão Paulo\t1.5\n");
}

TEST(Terminal, AlignsTheAnswersOfEachFile) {
  const Folder folder;
  const std::string one = folder.write("a.txt", "1 2\n"), two = folder.write("long.txt", "30\n");
  const std::string blanks(two.size() - one.size(), ' ');
  EXPECT_EQ(run_on_terminal({"sum,count", "--each", one, two}, {"NO_COLOR=1"}).out,
            "file" + std::string(two.size() - 4, ' ') + "  sum  count\n" + one + blanks +
                "    3      2\n" + two + "   30      1\n");
}

TEST(Terminal, HasNoColourWhereNoneIsWanted) {
  const Folder folder;
  const std::string file = folder.write("x.txt", "1 2\n3 4\n");
  const std::string plain = "max     4\nargmax  3\n";
  EXPECT_EQ(run_on_terminal({"max,argmax", file}, {"NO_COLOR=1"}).out, plain);
  EXPECT_EQ(run_on_terminal({"max,argmax", file}, {"TERM=dumb"}).out, plain);
}

TEST(Terminal, IsNotWaitedForWhenNoFileIsNamed) {
  const Ran ran = run_on_terminal({"sum"});
  EXPECT_EQ(ran.status, exit_status(ErrorCode::bad_option));
  EXPECT_NE(ran.out.find("no input was given"), std::string::npos) << ran.out;
}

TEST(Terminal, ShowsProgressAfterASecondAndErasesIt) {
  std::string numbers;
  for (int i = 0; i < 2'000'000; ++i) numbers += "1\n";
  const Ran ran = run_on_terminal({"sum"}, {}, {numbers, numbers});
  EXPECT_EQ(ran.status, 0);
  EXPECT_NE(ran.out.find(" GB/s"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.substr(ran.out.rfind("\033[K")), "\033[K4000000\n") << ran.out;
  const Ran never = run_on_terminal({"sum", "--progress", "never"}, {}, {"1\n", "2\n"});
  EXPECT_EQ(never.out, "3\n");
}

TEST(Terminal, ErasesProgressBeforeANote) {
  std::string rows;
  for (int i = 0; i < 1'000'000; ++i) rows += "1,\n";
  const Ran ran = run_on_terminal({"sum"}, {"NO_COLOR=1"}, {"a,b\n" + rows + "1,2\n", rows});
  EXPECT_EQ(ran.status, 0);
  EXPECT_NE(ran.out.find(" GB/s"), std::string::npos) << ran.out;
  const std::size_t note = ran.out.find("onefold: ");
  ASSERT_NE(note, std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.substr(note - 3, 3), "\033[K") << ran.out;
}

TEST(Terminal, ErasesProgressBeforeRowsThatArePrintedMeanwhile) {
  std::string rows;
  for (int i = 0; i < 300'000; ++i) rows += "1\n";
  const Ran ran = run_on_terminal({"sum", "--cumulative"}, {}, {"a\n" + rows, rows, rows});
  EXPECT_EQ(ran.status, 0);
  for (std::size_t at = 0; (at = ran.out.find(" GB/s", at)) != std::string::npos; ++at) {
    const std::size_t line = ran.out.find('\n', at);
    EXPECT_NE(ran.out.substr(at, line - at).find("\033[K"), std::string::npos);
  }
}

TEST(Terminal, CountsTheBytesOfEveryPass) {
  const Folder folder;
  std::string rows = "x\n";
  for (int i = 0; i < 2'000'000; ++i) rows += "1\n";
  const std::string file = folder.write("t.csv", rows);
  const auto total = [&](const char* calls) {
    const Ran ran = run_program({"agg", calls, "--progress", "always", file});
    EXPECT_EQ(ran.status, 0) << ran.error;
    return ran.error;
  };
  EXPECT_NE(total("sum(x)").find("4.00 MB in "), std::string::npos);
  EXPECT_NE(total("sum(x), median(x)").find("8.00 MB in "), std::string::npos);
}

TEST(Terminal, ShowsNoProgressForShortWork) {
  const Ran ran = run_on_terminal({"sum"}, {}, {"1 2\n"});
  EXPECT_EQ(ran.out, "3\n");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
