// `onefold lab` as a user runs it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "program.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

const std::vector<std::string> modulo{"lab", "reduce", "--machine", "sim",
                                      "--n", "999",    "--rung",    "modulo"};

TEST(Lab, EndsWithWhetherTheResultsAgree) {
  const Ran r = run_program(modulo);
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.error, "");
  EXPECT_TRUE(r.out.ends_with("\nresults agree\n")) << r.out;
}

TEST(Lab, PutsNotesOnStderrBesideJson) {
  std::vector<std::string> words = modulo;
  for (const char* w : {"--grid", "8", "--json"}) words.emplace_back(w);
  const Ran r = run_program(words);
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(r.error.starts_with("onefold: note: --grid applies to none of these")) << r.error;
  EXPECT_EQ(nlohmann::json::parse(r.out).at("rungs").size(), 2u);
}

TEST(Lab, NamesTheExperimentsThatThereAre) {
  const Ran r = run_program({"lab", "redoce"});
  EXPECT_NE(r.status, 0);
  EXPECT_EQ(r.out, "");
  EXPECT_NE(r.error.find("no experiment is called \"redoce\"; choose one of "), std::string::npos);
  EXPECT_NE(r.error.find("did you mean reduce?"), std::string::npos) << r.error;
  const Ran rung = run_program({"lab", "reduce", "--rung", "sequental"});
  EXPECT_EQ(rung.status, 2);
  EXPECT_NE(rung.error.find("did you mean sequential?"), std::string::npos) << rung.error;
}

TEST(Lab, ListsItsExperimentsALineEach) {
  const Ran r = run_program({"lab"});
  EXPECT_EQ(r.status, 0);
  EXPECT_NE(r.out.find("banks        shared memory has banks"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("\nreduce "), std::string::npos) << r.out;
}

TEST(Lab, WritesAPageOfAnExperiment) {
  const std::string file = testing::TempDir() + "onefold_lab_banks.html";
  const Ran r = run_program({"lab", "banks", "--machine", "sim", "--page", file});
  EXPECT_EQ(r.status, 0) << r.error;
  std::ostringstream page;
  page << std::ifstream(file).rdbuf();
  EXPECT_NE(page.str().find("<section id=\"banks\">"), std::string::npos);
  EXPECT_EQ(run_program({"lab", "banks", "--page", "x.md"}).status, 2);
}

TEST(Lab, RefusesOptionsWithoutAnExperimentAndPagesOfNoKnownKind) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"lab", "--page", "e.html"},
                                                {"lab", "--json"},
                                                {"lab", "--offset", "4"},
                                                {"lab", "--n", "5"}}) {
    const Ran r = run_program(words);
    EXPECT_EQ(r.status, 2) << words[1];
    EXPECT_EQ(r.out, "");
    EXPECT_NE(r.error.find(words[1] + " needs an experiment"), std::string::npos) << r.error;
  }
  for (const char* experiment : {"reduce", "banks"}) {
    const Ran r = run_program({"lab", experiment, "--machine", "sim", "--page", "p.txt"});
    EXPECT_EQ(r.status, 2);
    EXPECT_NE(r.error.find("must end in .html, .md or .json"), std::string::npos) << r.error;
  }
}

TEST(Lab, MovesTheInputByItsOwnOffset) {
  const Ran r = run_program({"lab", "reduce", "--rung", "sequential", "--offset", "3"});
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.error.find("a multiple of 4"), std::string::npos) << r.error;
  EXPECT_EQ(run_program({"lab", "banks", "--offset", "0"}).status, 2);
}

TEST(Lab, RefusesResultsThatAreNoRunOnAGpuInOneLine) {
  const std::string page = testing::TempDir() + "onefold_lab_results.html";
  const std::string file = testing::TempDir() + "onefold_lab_results.json";
  const std::pair<const char*, const char*> cases[] = {
      {"", "is not valid JSON from byte 1 on"},
      {R"({"x": [1, 2)", "is not valid JSON from byte 12 on"},
      {"[1]", "does not have the data of such a run"},
      {R"({"experiment": "reduce"})", "does not have the data of such a run"},
      {R"({"experiment": "banks", "machine": "gpu"})", "belongs to another experiment or machine"}};
  for (const auto& [text, why] : cases) {
    std::ofstream(file) << text;
    std::vector<std::string> words = modulo;
    for (const std::string& w : {std::string("--page"), page, std::string("--results"), file})
      words.push_back(w);
    const Ran r = run_program(words);
    EXPECT_EQ(r.status, 2);
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(r.error, "onefold: --results: the file " + std::string(why) +
                           "; pass a file printed by `onefold lab reduce --machine gpu --json`\n");
  }
}

TEST(Lab, RefusesResultsThatCannotBeRead) {
  for (const std::string& name : {testing::TempDir(), testing::TempDir() + "not/there.json"}) {
    std::vector<std::string> words = modulo;
    for (const char* w : {"--page", "p.html", "--results", name.c_str()}) words.emplace_back(w);
    const Ran r = run_program(words);
    EXPECT_EQ(r.status, 30);
    EXPECT_EQ(r.error, "onefold: --results " + name + " cannot be read\n");
  }
}

TEST(Lab, RunsAnExperiment) {
  const Ran r = run_program({"lab", "banks", "--machine", "sim", "--json"});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(nlohmann::json::parse(r.out).at("experiment"), "banks");
}

TEST(Lab, SaysWhereKernelsGetACompiler) {
  const std::string file = testing::TempDir() + "onefold_lab_k.cu";
  std::ofstream(file) << "__global__ void k(int* y) { y[0] = 1; }\n";
  const Ran r =
      run_program({"lab", "run", file, "--grid", "1", "--block", "1", "--args", "y:i32[1]"},
                  {.environment = {"ONEFOLD_NVRTC=/nowhere", "PATH=/nowhere"}});
  std::remove(file.c_str());
  EXPECT_NE(r.status, 0);
  EXPECT_NE(
      r.error.find("pip install nvidia-cuda-nvrtc in a virtual environment, or install clang"),
      std::string::npos)
      << r.error;
}

TEST(Lab, EndsWithAStatusOfItsOwnForEachVerdict) {
  const std::string head =
      ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .b64 %rd<3>;\nld.param.u64 %rd0, [p];\n";
  const Folder folder;
  const std::string right = folder.write("right.ptx", head + "st.global.u32 [%rd0], 7;\nret;\n}\n");
  const std::string wrong =
      folder.write("wrong.ptx", head + "st.global.u32 [%rd0+4], 7;\nret;\n}\n");
  const std::string endless =
      folder.write("endless.ptx", head + "L:\nst.global.u32 [%rd0], 7;\nbra L;\n}\n");
  const std::string sarif = folder.path("a.sarif"), junit = folder.path("a.xml");
  const auto status = [&](const std::string& file, const std::vector<std::string>& more) {
    std::vector<std::string> words{"lab",      "run",     file,  "--block", "1",  "--args",
                                   "y:i32[1]", "--sarif", sarif, "--junit", junit};
    words.insert(words.end(), more.begin(), more.end());
    const Ran r = run_program(words);
    EXPECT_EQ(r.error.empty(), r.status == 0) << r.error;
    return r.status;
  };
  EXPECT_EQ(status(right, {"--expect", "y[0]==7"}), 0);
  EXPECT_EQ(status(wrong, {"--expect", "y[0]==8"}), 60);
  EXPECT_EQ(nlohmann::json::parse(read_file(sarif))["runs"][0]["results"][0]["ruleId"],
            "out_of_bounds");
  EXPECT_NE(read_file(junit).find("failures=\"2\""), std::string::npos);
  EXPECT_EQ(status(right, {"--expect", "y[0]==8"}), 61);
  EXPECT_EQ(status(endless, {"--budget", "1000"}), 63);
  EXPECT_EQ(status(right, {"--suppress", folder.path("not there")}), 30);
}

TEST(Lab, JoinsTheFilesOfAProgram) {
  if (std::system("clang++ --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "needs clang++";
  const Folder folder;
  const std::string kernel = folder.write(
      "kernel.cu", "__global__ void k(int* x) { *x = 3; }\nvoid run(int* x) { k<<<1, 1>>>(x); }\n");
  const std::string main =
      folder.write("main.cpp",
                   "#include <cstdlib>\nvoid run(int* x);\nint main(int n, char** words) {\n"
                   "  int h, *x;\n  cudaMalloc(&x, 4);\n  run(x);\n"
                   "  cudaMemcpy(&h, x, 4, cudaMemcpyDeviceToHost);\n  cudaFree(x);\n"
                   "  return n == 2 && h == atoi(words[1]) ? 0 : 1;\n}\n");
  EXPECT_EQ(run_program({"lab", "run", kernel, main, "3"}).status, 0);
  EXPECT_EQ(run_program({"lab", "run", kernel, main, "4"}).status, 61);
}

// Returns the processor time in hundredths of a second; -1 if the process has ended.
long time_of(int child) {
  std::ifstream in("/proc/" + std::to_string(child) + "/stat");
  std::string word;
  for (int k = 0; k < 13; ++k) in >> word;
  long user = -1;
  in >> user;
  return user;
}

// The compiler replaces signal handlers and restores them with other flags; signals still work.
TEST(Lab, EndsAtASignalWhileAKernelRuns) {
  const std::string file = testing::TempDir() + "onefold_lab_endless.cu";
  std::ofstream(file) << "__global__ void k() { for (;;) {} }\n";
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const int child = start_program({"lab", "run", file, "--grid", "1"}, nothing);
  const auto ended = [&](int& status, auto enough) {
    for (int k = 0; k < 2000; ++k) {
      if (::waitpid(child, &status, WNOHANG) == child) return true;
      if (enough()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  };
  int status = 0;
  const bool without = ended(status, [&] { return time_of(child) > 100; });
  std::remove(file.c_str());
  ::close(nothing);
  if (without) GTEST_SKIP() << "neither NVRTC nor clang is here";
  ::kill(child, SIGTERM);
  if (!ended(status, [] { return false; })) {
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
  }
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
