// The verbs merge and answer with states that are named in a list.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "cli/program.hpp"
#include "onefold/error.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

// Makes the state of one number, as part k.
std::string state_of(const Folder& folder, int k, const std::string& name) {
  const std::string text = folder.write("x.txt", std::to_string(k) + "\n");
  const std::string state = folder.path(name);
  const Ran ran =
      run_program({"gather", "sum", text, "--part", std::to_string(k), "--state", state});
  EXPECT_EQ(ran.status, 0) << ran.error;
  return state;
}

TEST(StateLists, NameStatesByLinesOrZeros) {
  const Folder folder;
  const std::string a = state_of(folder, 1, "a.of"), b = state_of(folder, 2, "b\nc.of"),
                    c = state_of(folder, 4, "c.of"), all = folder.path("all.of");
  const std::string lines = folder.write("lines", a + "\n" + c + "\n");
  EXPECT_EQ(run_program({"answer", "sum", "--files-from", lines}).out, "5\n");
  EXPECT_EQ(run_program({"answer", "sum", "--files-from", "-"}, {.stdin_text = a + "\n"}).out,
            "1\n");
  const std::string zeros = a + '\0' + b + '\0' + c + '\0';
  for (const char* null : {"-0", "--null"}) {
    const Ran merge =
        run_program({"merge", "--files-from", "-", null, "--state", all}, {.stdin_text = zeros});
    EXPECT_EQ(merge.status, 0) << merge.error;
    EXPECT_EQ(run_program({"answer", "sum", all, "--parts", "1-2,4"}).out, "7\n");
  }
  // A single name without a zero byte after it may contain a line end.
  EXPECT_EQ(run_program({"answer", "sum", "-0", "--files-from", "-"}, {.stdin_text = b}).out,
            "2\n");
  // -0 is still a number where an option wants one.
  EXPECT_EQ(run_program({"sum", "--initial", "-0", "-"}, {.stdin_text = "3\n"}).out, "3\n");
}

TEST(StateLists, AreRefusedInOneLine) {
  const Folder folder;
  const std::string a = state_of(folder, 1, "a.of"), list = folder.write("list", a + "\n");
  const auto expect_refused = [&](const std::vector<std::string>& words, const std::string& why,
                                  ErrorCode code = ErrorCode::bad_option) {
    const Ran ran = run_program(words, {.stdin_text = "-\n"});
    EXPECT_EQ(ran.status, exit_status(code)) << ran.error;
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.error.find(why), std::string::npos) << ran.error;
    EXPECT_EQ(std::count(ran.error.begin(), ran.error.end(), '\n'), 1) << ran.error;
  };
  expect_refused({"answer", "sum", a, "--files-from", list}, "was named too");
  expect_refused({"merge", a, "--files-from", list, "--state", "x.of"}, "was named too");
  expect_refused({"answer", "sum", a, "-0"}, "--files-from");
  expect_refused({"answer", "sum", "--files-from", "-"}, "so no name can be - (stdin)");
  expect_refused({"answer", "sum", "--files-from", folder.write("none", "\n")},
                 "contains no file names");
  expect_refused({"answer", "--files-from", list}, "needs an op");
  expect_refused({"merge", "--files-from", list}, "needs a file for the state");
  expect_refused({"answer", "sum", "--files-from", folder.write("twice", a + "\n" + a + "\n")},
                 "this file was passed twice", ErrorCode::overlap);
}

// The list is longer than a command line may be, and its order leaves gaps until the end.
TEST(StateLists, MayBeLong) {
  const Folder folder;
  constexpr int parts = 3000;
  const std::string one = read_file(state_of(folder, 1, "1.of"));
  const std::string state = one.substr(one.find('\n') + 1);
  std::string list;
  for (int k = 0; k < parts; ++k) {
    const int part = k * 1009 % parts + 1;
    // A line of parts without a checksum, as old versions wrote it.
    const std::string head = "onefold-parts " + std::to_string(part) + "\n";
    list += folder.write(std::to_string(part) + ".of", head + state) + "\n";
  }
  const Ran ran = run_program({"answer", "sum", "--parts", "1..3000", "--files-from", "-"},
                              {.stdin_text = list});
  EXPECT_EQ(ran.out, "3000\n") << ran.error;
}

// The program is killed while it waits for names, or for a state.
TEST(StateLists, LeaveNoFileBehindWhenTheyAreKilled) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const Folder folder;
    state_of(folder, 1, "a.of");
    const std::string pipe = folder.path("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const std::string names = folder.path("a.of") + "\n" + pipe + "\n";
    ASSERT_EQ(::write(ends[1], names.data(), names.size()), static_cast<ssize_t>(names.size()));
    ::close(ends[1]);
    const std::vector<std::string> before = folder.names();
    const int child =
        start_program({"merge", "--files-from", "-", "--state", folder.path("all.of")}, ends[0]);
    ::close(ends[0]);
    ::usleep(200'000);
    ::kill(child, signal);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_EQ(folder.names(), before);
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
