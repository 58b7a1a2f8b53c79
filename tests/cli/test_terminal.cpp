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
  EXPECT_NE(ran.out.find("nothing to read"), std::string::npos) << ran.out;
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

TEST(Terminal, ShowsNoProgressForShortWork) {
  const Ran ran = run_on_terminal({"sum"}, {}, {"1 2\n"});
  EXPECT_EQ(ran.out, "3\n");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
