// The verb `kernels`. The kernels that it compiles are used in driver/test_shipped.cpp.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/program.hpp"
#include "onefold/system/jit/cuda.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

using nlohmann::json;

TEST(KernelsVerb, CompilesWhatIsNotThereYet) {
  if (!jit::Nvrtc::get().usable()) {
    GTEST_SKIP() << "NVRTC was not found: " << jit::Nvrtc::get().library().why;
  }
  const Folder folder;
  const std::vector<std::string> words = {
      "kernels",          "max",    "min",       "--dtype", "u8", "--chip", "sm_90", "--into",
      folder.path("k/k"), "--json", "--threads", "2"};
  const Ran first = run_program(words);
  EXPECT_EQ(first.error, "");
  const json made = json::parse(first.out);
  EXPECT_EQ(made["made"], 8);
  EXPECT_EQ(made["there"], 0);
  EXPECT_GT(made["bytes"], 4000);
  const json again = json::parse(run_program(words).out);
  EXPECT_EQ(again["made"], 0);
  EXPECT_EQ(again["there"], 8);
  const auto info = json::parse(
      run_program({"info", "--json"},
                  {.environment = {"ONEFOLD_KERNELS=" + folder.path("k/k"), "ONEFOLD_CACHE="}})
          .out);
  EXPECT_EQ(info["shipped_kernels"]["files"], 8);
  EXPECT_EQ(info["shipped_kernels"]["folder"], folder.path("k/k"));
  EXPECT_EQ(info["shipped_kernels"]["used"], true);
  EXPECT_TRUE(info["kernel_cache"].is_null());
}

TEST(KernelsVerb, SaysWhyAFileCannotBeWritten) {
  if (!jit::Nvrtc::get().usable()) GTEST_SKIP() << jit::Nvrtc::get().library().why;
  const Folder folder;
  const auto small = [] {
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  const Ran ran = run_program(
      {"kernels", "max", "--dtype", "u8", "--chip", "sm_90", "--into", folder.path("k")},
      {.in_child = small});
  EXPECT_EQ(ran.status, 38);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.error, "onefold: cannot write to " + folder.path("k") + ": File too large\n");
}

// If the process that waits is killed, the processes that compile end, too.
TEST(KernelsVerb, LeavesNoProcessBehindWhenItIsKilled) {
  if (!jit::Nvrtc::get().usable()) GTEST_SKIP() << jit::Nvrtc::get().library().why;
  const Folder folder;
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const int in = ::open("/dev/null", O_RDONLY);
  const pid_t program = start_program({"kernels", "describe", "--dtype", "f64", "--chip", "sm_90",
                                       "--into", folder.path("k"), "--threads", "1"},
                                      in);
  ::close(in);
  const std::string id = std::to_string(program);
  pid_t child = 0;
  for (int k = 0; k < 1000 && child == 0; ++k) {
    std::ifstream("/proc/" + id + "/task/" + id + "/children") >> child;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(program, SIGKILL);
  ::waitpid(program, nullptr, 0);
  int status = 0;
  ASSERT_GT(child, 0);
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(KernelsVerb, SaysWhatIsWrong) {
  const Folder folder;
  const std::string into = folder.path("k"), nothing = "ONEFOLD_NVRTC=/nowhere";
  const auto error = [&](std::vector<std::string> words, int status) {
    words.insert(words.begin(), "kernels");
    const Ran ran = run_program(words, {.environment = {nothing}});
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.status, status) << ran.error;
    return ran.error;
  };
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(error({"sum"}, 2), "onefold kernels --into DIR");
  if (!jit::Driver::get().usable()) {
    has(error({"sum", "--into", into}, 7), "pass one, such as --chip sm_90");
  }
  has(error({"sum", "--into", into, "--chip", "sm_70"}, 2), "choose one or more of sm_80, ");
  has(error({"sum", "--into", into, "--chip", "sm_90", "--dtype", "f32,f99"}, 2), "\"f99\"");
  has(error({"meen", "--into", into, "--chip", "sm_90"}, 3), "did you mean mean?");
  has(error({"sum", "--into", into, "--chip", "sm_90"}, 7), "/nowhere: cannot open");
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
