// --output FILE.npy: the file is complete or does not exist.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <thread>

#include "cli/program.hpp"
#include "onefold/error.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

TEST(OutputFile, HoldsTheAnswer) {
  const Folder folder;
  const std::string out = folder.path("out.npy");
  const Ran ran =
      run_program({"sum", "--axis", "0", "--output", out}, {.stdin_text = "1 2 3\n4 5 6\n"});
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(read_file(out), npy("<f8", "(3,)", bytes_of_list<double>({5, 7, 9})));
  EXPECT_EQ(run_program({"max", out}).out, "9\n");
}

TEST(OutputFile, HoldsEveryType) {
  const Folder folder;
  const std::string in = folder.write("x.bin", std::string("\x01\x00\x00\x00\x00\x00\x00\x00", 8));
  const std::string out = folder.path("out.npy");
  const std::pair<const char*, const char*> types[] = {
      {"bool", "|b1"}, {"i8", "|i1"},  {"i16", "<i2"}, {"i32", "<i4"},
      {"i64", "<i8"},  {"u8", "|u1"},  {"u16", "<u2"}, {"u32", "<u4"},
      {"u64", "<u8"},  {"f16", "<f2"}, {"f32", "<f4"}, {"f64", "<f8"}};
  for (const auto& [name, code] : types) {
    const Ran ran = run_program({"max", "--dtype", name, "--output", out, in});
    EXPECT_EQ(ran.status, 0) << ran.error;
    EXPECT_NE(read_file(out).find("'" + std::string(code) + "'"), std::string::npos) << name;
    EXPECT_EQ(run_program({"max", out}).out, run_program({"max", "--dtype", name, in}).out) << name;
  }
}

TEST(OutputFile, HasTheIntegerTypeThatIsAskedFor) {
  const Folder folder;
  const std::string in = folder.path("in.npy"), out = folder.path("out.npy");
  run_program({"sum", "--dtype", "i16", "--axis", "0", "--output", in},
              {.stdin_text = "1 2\n3 4\n"});
  EXPECT_EQ(run_program({"max", "--result", "i32", "--output", out, in}).error, "");
  EXPECT_NE(read_file(out).find("'<i4'"), std::string::npos);
  EXPECT_EQ(run_program({"max", out}).out, "6\n");
}

TEST(OutputFile, KeepsTheModeOfTheFileItReplaces) {
  const Folder folder;
  const std::string out = folder.write("out.npy", "");
  for (const mode_t mode : {0666u, 0600u, 0640u}) {
    ASSERT_EQ(chmod(out.c_str(), mode), 0);
    run_program({"sum", "--output", out}, {.stdin_text = "1 2\n"});
    struct stat there {};
    ASSERT_EQ(stat(out.c_str(), &there), 0);
    EXPECT_EQ(there.st_mode & 0777, mode);
  }
  if (geteuid() == 0) return;  // root may write anything
  ASSERT_EQ(chmod(out.c_str(), 0444), 0);
  const Ran ran = run_program({"max", "--output", out}, {.stdin_text = "7\n"});
  EXPECT_EQ(ran.status, exit_status(ErrorCode::cannot_write));
  EXPECT_EQ(run_program({"max", out}).out, "3\n");
}

TEST(OutputFile, HasNoBf16) {
  const Folder folder;
  const std::string in = folder.write("x.bin", "abcd"), out = folder.path("out.npy");
  const Ran ran = run_program({"max", "--dtype", "bf16", "--output", out, in});
  EXPECT_EQ(ran.status, exit_status(ErrorCode::unsupported));
  EXPECT_NE(ran.error.find("--result f32"), std::string::npos) << ran.error;
  EXPECT_EQ(run_program({"max", "--result", "bf16", "--output", out, in}).status, ran.status);
  EXPECT_EQ(run_program({"max", "--dtype", "bf16", "--result", "f32", "--output", out, in}).status,
            0);
}

TEST(OutputFile, KeepsAnAnswerWithoutAxesAndWithKeepdims) {
  const Folder folder;
  const std::string out = folder.path("out.npy");
  run_program({"sum", "--output", out}, {.stdin_text = "1 2\n3 4\n"});
  EXPECT_EQ(read_file(out), npy("<f8", "()", bytes_of_list<double>({10})));
  run_program({"sum", "--keepdims", "--output", out}, {.stdin_text = "1 2\n3 4\n"});
  EXPECT_EQ(read_file(out), npy("<f8", "(1, 1)", bytes_of_list<double>({10})));
}

// Rows of a text, whose number is known only at its end; they are more than memory keeps.
TEST(OutputFile, IsWrittenWhileAnswersCome) {
  const Folder folder;
  std::string text;
  std::vector<double> sums;
  for (int i = 0; i < 20000; ++i) {
    text += std::to_string(i) + " 0.5\n";
    sums.push_back(i + 0.5);
  }
  const std::string out = folder.path("out.npy"), header = folder.write("h.csv", "a b\n" + text);
  EXPECT_EQ(run_program({"sum", "--axis", "1", "--output", out}, {.stdin_text = text}).error, "");
  EXPECT_EQ(read_file(out), npy("<f8", "(20000,)", bytes_of_list(sums)));
  EXPECT_EQ(run_program({"sum", "--axis", "1", "--output", out, header}).error, "");
  EXPECT_EQ(read_file(out), npy("<f8", "(20000,)", bytes_of_list(sums)));
  EXPECT_EQ(run_program({"sum", "--axis", "1", "--keepdims", "--output", out, header}).error, "");
  EXPECT_EQ(read_file(out), npy("<f8", "(20000, 1)", bytes_of_list(sums)));
}

TEST(OutputFile, IsNotThereWhereOneOfManyAnswersHasNoValue) {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += i > 12344 && i % 5 == 0 ? "nan 1\n" : "1 1\n";
  const std::string out = folder.path("out.npy");
  const Ran ran =
      run_program({"sum", "--axis", "1", "--nan", "raise", "--output", out}, {.stdin_text = text});
  EXPECT_EQ(ran.status, exit_status(ErrorCode::nan_found));
  EXPECT_NE(ran.error.find("element [12345]"), std::string::npos) << ran.error;
  EXPECT_TRUE(folder.names().empty());
}

TEST(OutputFile, MayReplaceTheInput) {
  const Folder folder;
  const std::string file = folder.write("x.npy", npy("|u1", "(2, 2)", "\1\2\3\4"));
  EXPECT_EQ(run_program({"max", "--axis", "0", "--output", file, file}).status, 0);
  EXPECT_EQ(read_file(file), npy("|u1", "(2,)", "\3\4"));
}

TEST(OutputFile, ReplacesWhatALinkPointsToAndKeepsItsMode) {
  const Folder folder;
  const std::string real = folder.write("real.npy", "old"), link = folder.path("link.npy");
  ASSERT_EQ(::symlink(real.c_str(), link.c_str()), 0);
  ASSERT_EQ(::chmod(real.c_str(), 0600), 0);
  EXPECT_EQ(run_program({"sum", "--output", link}, {.stdin_text = "1"}).status, 0);
  struct stat s {};
  ::lstat(link.c_str(), &s);
  EXPECT_TRUE(S_ISLNK(s.st_mode));
  ::stat(real.c_str(), &s);
  EXPECT_EQ(s.st_mode & 0777, 0600u);
  EXPECT_EQ(read_file(real).substr(1, 5), "NUMPY");
}

TEST(OutputFile, IsMadeWhereADanglingLinkPoints) {
  const Folder folder;
  ASSERT_EQ(::mkdir(folder.path("there").c_str(), 0700), 0);
  ASSERT_EQ(::symlink("there/second.npy", folder.path("first.npy").c_str()), 0);
  ASSERT_EQ(::symlink("real.npy", folder.path("there/second.npy").c_str()), 0);
  const Ran ran = run_program({"sum", "--output", folder.path("first.npy")}, {.stdin_text = "1 2"});
  EXPECT_EQ(ran.status, 0) << ran.error;
  struct stat s {};
  for (const char* link : {"first.npy", "there/second.npy"}) {
    ::lstat(folder.path(link).c_str(), &s);
    EXPECT_TRUE(S_ISLNK(s.st_mode)) << link;
  }
  EXPECT_EQ(read_file(folder.path("there/real.npy")), npy("<f8", "()", bytes_of_list<double>({3})));
}

// Another user has guessed the temporary file's name: the file or link there must stay, and so must
// the link's target.
TEST(OutputFile, LeavesFilesAloneThatHaveTheNameOfItsTemporary) {
  const Folder folder;
  const std::string out = folder.path("out.npy"), victim = folder.write("victim", "mine");
  const Ran ran = run_program(
      {"sum", "--output", out},
      {.stdin_text = "1 2", .in_child = [&] {
         for (const char* end : {".tmp", "-0.tmp"}) {
           const std::string name = folder.path(".onefold-" + std::to_string(::getpid()) + end);
           [[maybe_unused]] const int made = ::link(victim.c_str(), name.c_str());
         }
       }});
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_EQ(read_file(victim), "mine");
  EXPECT_EQ(read_file(out), npy("<f8", "()", bytes_of_list<double>({3})));
}

void expect_cannot_write(const Ran& ran) {
  EXPECT_EQ(ran.status, exit_status(ErrorCode::cannot_write)) << ran.error;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.error.substr(0, 9), "onefold: ");
}

TEST(OutputFile, ThatCannotBeMadeIsAnError) {
  const Folder folder;
  expect_cannot_write(run_program({"sum", "--output", "/nonexistent/x.npy"}, {.stdin_text = "1"}));
  ASSERT_EQ(::mkdir(folder.path("dir.npy").c_str(), 0700), 0);
  expect_cannot_write(
      run_program({"sum", "--output", folder.path("dir.npy")}, {.stdin_text = "1"}));
  ASSERT_EQ(::symlink("round.npy", folder.path("round.npy").c_str()), 0);
  expect_cannot_write(
      run_program({"sum", "--output", folder.path("round.npy")}, {.stdin_text = "1"}));
}

TEST(OutputFile, IsNotTouchedByAnError) {
  const Folder folder;
  const std::string out = folder.write("out.npy", "old");
  EXPECT_NE(run_program({"sum", "--output", out}, {.stdin_text = "1 x"}).status, 0);
  EXPECT_NE(run_program({"min", "--output", out}, {.stdin_text = ""}).status, 0);
  EXPECT_EQ(read_file(out), "old");
  EXPECT_EQ(folder.names().size(), 1u);
}

TEST(OutputFile, IsNotTouchedByAFullDisk) {
  const Folder folder;
  const std::string out = folder.write("out.npy", "old");
  const std::string in = folder.write("in.bin", std::string(4000, '\1'));
  const Surroundings small{.in_child = [] {
    const rlimit limit{1000, 1000};  // bytes in a file
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }};
  expect_cannot_write(run_program(
      {"max", "--dtype", "u8", "--shape", "4000x1", "--axis", "1", "--output", out, in}, small));
  EXPECT_EQ(read_file(out), "old");
  EXPECT_EQ(folder.names().size(), 2u);
}

// Prevents files without a name, as on file systems without O_TMPFILE.
void want_names() {
#if defined(__x86_64__)
  constexpr unsigned flag = O_TMPFILE & ~O_DIRECTORY;
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flag, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(filter), .filter = filter};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#endif
}

TEST(OutputFile, HasANameOfItsOwnWhereItMust) {
  const Folder folder;
  const std::string out = folder.path("out.npy");
  for (const char* sum : {"1 2", "3 4"}) {
    const Ran ran =
        run_program({"sum", "--output", out}, {.stdin_text = sum, .in_child = want_names});
    EXPECT_EQ(ran.status, 0) << ran.error;
    EXPECT_EQ(read_file(out), npy("<f8", "()", bytes_of_list<double>({sum[0] == '1' ? 3. : 7.})));
    EXPECT_EQ(folder.names().size(), 1u);
  }
}

// Returns whether a process has opened a file for writing in a folder; the file may have no name.
bool writes_in(int process, const std::string& folder) {
  for (const auto& open :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(open, gone).string().starts_with(folder)) return true;
  }
  return false;
}

class Interrupt : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(Interrupt, LeavesNoHalfWrittenOutput) {
  const auto [signal, named] = GetParam();
  const Folder folder;
  const std::string out = folder.write("out.npy", "old");
  int pipe[2];
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  const int child = start_program({"sum", "--output", out}, pipe[0],
                                  named ? want_names : std::function<void()>());
  // The program waits for stdin after it has made the temporary file.
  for (int i = 0; i < 1000 && !writes_in(child, folder.path("")); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_TRUE(writes_in(child, folder.path("")));
  ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), signal);
  EXPECT_EQ(folder.names().size(), 1u);
  EXPECT_EQ(read_file(out), "old");
  ::close(pipe[0]);
  ::close(pipe[1]);
}
INSTANTIATE_TEST_SUITE_P(OutputFile, Interrupt,
                         testing::Combine(testing::Values(SIGINT, SIGTERM, SIGHUP, SIGQUIT),
                                          testing::Bool()));
// After SIGKILL nothing can remove a name.
INSTANTIATE_TEST_SUITE_P(OutputFileKilled, Interrupt, testing::Values(std::tuple(SIGKILL, false)));

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
