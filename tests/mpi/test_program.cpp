// `onefold OP FILE --mpi` under mpirun: what one process prints, whatever the ranks.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "cli/program.hpp"

namespace {

using namespace onefold::test;

//   others  more ranks, as mpiexec has them: ": -n 1 other-program"
Ran run_ranks(int ranks, const std::string& arguments, const std::string& others = "") {
  const Folder folder;
  const std::string command = std::string(ONEFOLD_MPIEXEC) + " -n " + std::to_string(ranks) + " " +
                              ONEFOLD_PROGRAM + " " + arguments + others + " 2>" +
                              folder.path("error");
  Ran ran;
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 4096> some{};
  for (std::size_t n; (n = fread(some.data(), 1, some.size(), pipe)) != 0;) {
    ran.out.append(some.data(), n);
  }
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  ran.error = read_file(folder.path("error"));
  return ran;
}

std::string wild_npy(int n) {
  std::vector<double> x;
  for (int i = 0; i < n; ++i) {
    x.push_back(std::ldexp(static_cast<double>(i * 7919 % 1000) - 500, i % 900 - 450));
  }
  return npy("<f8", "(" + std::to_string(n) + ",)", bytes_of_list(x));
}

TEST(MpiProgram, PrintsWhatOneProcessDoes) {
  const Folder folder;
  const std::string a = folder.write("a.npy", wild_npy(10'007)),
                    b = folder.write("b.npy", wild_npy(3)),
                    text = folder.write("c.txt", "1 2 3\n4");
  for (const std::string& request :
       {"mean,var,argmin,argmax,count " + a + " " + b, "sum,max " + a + " " + text,
        "sum --json " + b, "min --dtype f64 --format raw --offset 128 " + b}) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < request.size();) {
      const std::size_t space = std::min(request.find(' ', at), request.size());
      words.push_back(request.substr(at, space - at));
      at = space + 1;
    }
    const Ran alone = run_program(words);
    ASSERT_EQ(alone.status, 0) << alone.error;
    for (const int ranks : {1, 2, 5}) {
      const Ran all = run_ranks(ranks, request + " --mpi");
      EXPECT_EQ(all.status, 0) << all.error;
      EXPECT_EQ(all.out, alone.out) << request << " " << ranks;
    }
  }
}
TEST(MpiProgram, SaysOnceWhatARankMeets) {
  const Folder folder;
  // All ranks look at the first lines of all files; what is wrong later, only its rank meets.
  std::string late = "4\n";
  for (int i = 0; i < 2'000'000; ++i) late += "5\n";
  const std::string a = folder.write("a.txt", "1 2 3\n"),
                    early = folder.write("b.txt", "4 five 6\n"),
                    b = folder.write("c.txt", late + "six\n");
  for (const auto& [file, rank] : {std::pair(early, "0"), {b, "1"}}) {
    const Ran bad = run_ranks(2, "sum --mpi " + a + " " + file);
    EXPECT_EQ(bad.status, 35) << bad.error;
    EXPECT_EQ(bad.out, "");
    const std::size_t at = bad.error.find("onefold: rank " + std::string(rank) + ": ");
    ASSERT_NE(at, std::string::npos) << bad.error;
    EXPECT_EQ(bad.error.find("onefold: ", at + 1), std::string::npos) << bad.error;
  }
  const Ran places = run_ranks(2, "argmax --mpi " + a);
  EXPECT_EQ(places.status, 34) << places.error;
}
// One waits for a pipe that nobody writes to, and is killed there.
TEST(MpiProgram, EndsWithoutAnAnswerWhereARankIsKilled) {
  const Folder folder;
  const std::string a = folder.write("a.txt", "1 2 3\n"), pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string request = "sum --mpi " + a + " " + pipe;
  const Ran ran = run_ranks(
      1, request, std::string(" : -n 1 timeout -s KILL 2 ") + ONEFOLD_PROGRAM + " " + request);
  EXPECT_NE(ran.status, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.error.find("signal 9"), std::string::npos) << ran.error;
}
TEST(MpiProgram, TakesNoOptionsOfOtherFolds) {
  const Ran axis = run_program({"sum", "--mpi", "--axis", "0", "x.npy"});
  EXPECT_EQ(axis.status, 2);
  EXPECT_NE(axis.error.find("--axis has no meaning"), std::string::npos) << axis.error;
  const Ran without = run_program({"sum", "--mpi", "x.npy"},
                                  {.environment = {"ONEFOLD_MPI_PLUGIN=/nowhere/onefold_mpi.so"}});
  EXPECT_EQ(without.status, 7);
  EXPECT_NE(without.error.find("libopenmpi-dev"), std::string::npos) << without.error;
}
// The same without MPI: shares that are gathered by anybody.
TEST(Shares, AreTheWholeTogether) {
  const Folder folder;
  const std::string a = folder.write("a.npy", wild_npy(1'001)),
                    b = folder.write("b.npy", wild_npy(77));
  const Ran alone = run_program({"mean,var,argmin", a, b});
  std::vector<std::string> answer = {"answer", "mean,var,argmin"};
  for (int k = 1; k <= 7; ++k) {
    const std::string state = folder.path(std::to_string(k) + ".of");
    const Ran part = run_program(
        {"gather", "mean,var,argmin", a, b, "--share", std::to_string(k) + "/7", "--state", state});
    EXPECT_EQ(part.status, 0) << part.error;
    answer.push_back(state);
  }
  EXPECT_EQ(run_program(answer).out, alone.out);
  for (const char* bad : {"0/7", "8/7", "1", "1/", "/7", "1/0", "-1/7", "1/7x"}) {
    const Ran refused = run_program({"gather", "sum", a, "--share", bad, "--state", "x.of"});
    EXPECT_EQ(refused.status, 2) << bad;
  }
}

}  // namespace
