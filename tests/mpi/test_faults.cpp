// Any rank is killed, late, without memory or without its files, before any of its MPI calls: all
// ranks end, and they print the answer of one process or nothing.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "mpi/ranks.hpp"

namespace {

using namespace onefold::test;

// Runs `request` on ranks of which one has the fault.
Ran run_with(const std::string& kind, int rank, int call, int ranks, const std::string& request,
             const std::string& program) {
  const std::string fault = kind + ":" + std::to_string(rank) + ":" + std::to_string(call);
  return run_ranks(ranks, request,
                   {.options = "--mca odls_base_sigkill_timeout 0 -x LD_PRELOAD=" ONEFOLD_MPI_FAULTS
                               " -x ONEFOLD_TEST_FAULT=" +
                               fault,
                    .program = program});
}

// The rank has the fault before each of its calls, until it makes no more.
//   whole  what is printed where nothing fails
void expect_an_end(const std::string& kind, int rank, int ranks, const std::string& request,
                   const std::string& whole, const std::string& program = ONEFOLD_PROGRAM) {
  for (int call = 0;; ++call) {
    SCOPED_TRACE(kind + " rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                 ", call " + std::to_string(call) + ": " + request);
    const Ran ran = run_with(kind, rank, call, ranks, request, program);
    ASSERT_NE(ran.status, 124) << "a rank waits";
    const bool reached = ran.error.find("the fault was not reached") == ran.error.npos;
    const bool ended = ran.status == 0;
    EXPECT_TRUE(ran.out == whole || (ran.out == "" && !ended)) << ran.out << ran.error;
    EXPECT_TRUE(ended || reached) << ran.error;
    EXPECT_FALSE(ended && reached && kind == "killed");
    EXPECT_TRUE(ended || (kind != "slow" && kind != "late")) << ran.error;
    if ((kind == "starved" || kind == "broken") && !ended) {
      EXPECT_TRUE(ran.status == 50 || kind == "broken") << ran.error;
      const bool says_why = ran.error.find("Input/output error") != ran.error.npos;
      EXPECT_EQ(says_why, kind == "broken") << ran.error;
      const std::size_t at = ran.error.find("onefold: ");
      ASSERT_NE(at, ran.error.npos) << ran.error;
      EXPECT_EQ(ran.error.find("onefold: ", at + 1), ran.error.npos) << ran.error;
    }
    if (!reached || kind == "slow" || testing::Test::HasFailure()) break;
  }
}

struct Requests {
  Folder folder;
  std::string array, axis, groups, described, quantiles, lines;
  Requests() {
    std::vector<double> x;
    std::mt19937 random(7);
    for (int k = 0; k < 1'000; ++k) x.push_back(std::ldexp(random(), k % 90 - 45));
    const std::string bytes = bytes_of_list(x);
    const std::string a = folder.write("a.npy", npy("<f8", "(1000,)", bytes)),
                      b = folder.write("b.npy", npy("<f8", "(100, 10)", bytes)),
                      t = folder.write("t.csv", "city,mm\nOslo,1.5\nRome,2\n"),
                      u = folder.write("u.csv", "city,mm\nRome,7\nUlm,\n");
    std::string text = "x,y\n";
    for (int k = 0; k < 200; ++k) text += "1.5,\"\n\"\n";
    lines = "mean,argmax --columns x --mpi " + folder.write("l.csv", text);
    array = "mean,argmax --mpi " + a;
    axis = "var,min --axis 0 --mpi " + b;
    groups = "mean,count --by city --mpi " + t + " " + u;
    quantiles = "quantile --q 0.1,0.7 --mpi " + a + " " + a;
    described = "describe --columns mm --mpi " + t + " " + u;
  }
};
void expect_an_end(const std::string& kind, int rank, int ranks, const std::string& request) {
  const Ran alone = run_program(words_of(request));
  ASSERT_EQ(alone.status, 0) << alone.error;
  expect_an_end(kind, rank, ranks, request, alone.out);
}

class MpiFaults : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(MpiFaults, EndBothRanks) {
  const auto [kind, rank] = GetParam();
  expect_an_end(kind, rank, 2, Requests().array);
}
std::string name_of(const testing::TestParamInfo<std::tuple<const char*, int>>& test) {
  return std::get<0>(test.param) + std::to_string(std::get<1>(test.param));
}
const auto kinds = testing::Values("killed", "starved", "spent", "broken", "late");
INSTANTIATE_TEST_SUITE_P(, MpiFaults, testing::Combine(kinds, testing::Values(0, 1)), name_of);
TEST(MpiFault, ChangesNothingWhereARankIsSlow) {
  const Requests requests;
  expect_an_end("slow", 0, 2, requests.array);
  expect_an_end("slow", 3, 4, requests.axis);
  expect_an_end("slow", 1, 3, requests.groups);
  expect_an_end("slow", 1, 2, requests.quantiles);
  expect_an_end("slow", 1, 2, requests.lines);
}
// The ranks write one file, which appears under its name when all have written. The launcher also
// ends the first rank by SIGKILL once another one is killed.
TEST(MpiFault, LeavesTheWholeFileOrNone) {
  const Folder folder;
  std::vector<double> x(40'000, 1.5);
  const std::string a = folder.write("a.npy", npy("<f8", "(20000, 2)", bytes_of_list(x))),
                    whole = folder.path("whole.npy"), file = folder.path("out/file.npy");
  std::filesystem::create_directory(folder.path("out"));
  ASSERT_EQ(run_program({"sum", "--axis", "1", a, "--output", whole}).status, 0);
  const std::tuple<const char*, int> faults[] = {{"killed", 0}, {"killed", 1}, {"broken", 1}};
  for (const auto& [kind, rank] : faults) {
    for (int call = 0;; call += 3) {
      SCOPED_TRACE(std::string(kind) + std::to_string(rank) + ", call " + std::to_string(call));
      for (const auto& left : std::filesystem::directory_iterator(folder.path("out"))) {
        std::filesystem::remove(left);
      }
      const Ran ran = run_with(kind, rank, call, 2, "sum --axis 1 --mpi " + a + " --output " + file,
                               ONEFOLD_PROGRAM);
      ASSERT_NE(ran.status, 124) << "a rank waits";
      const bool there = std::filesystem::exists(file);
      EXPECT_TRUE(there || ran.status != 0) << ran.error;
      EXPECT_TRUE(!there || read_file(file) == read_file(whole));
      const std::filesystem::directory_iterator in(folder.path("out")), end;
      EXPECT_EQ(std::distance(in, end), there ? 1 : 0) << "a temporary file is left";
      if (ran.error.find("the fault was not reached") != ran.error.npos || HasFailure()) break;
    }
  }
}
// Of a program with the headers.
TEST(MpiFault, EndsAProgramWhereARankIsKilled) {
  expect_an_end("killed", 1, 2, "merge", "merged\n", ONEFOLD_MPI_TESTS);
}

class LongMpiFaults : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(LongMpiFaults, EndAllRanks) {
  const Requests requests;
  const auto& [kind, ranks] = GetParam();
  for (int rank = 0; rank < ranks && !HasFailure(); ++rank) {
    for (const std::string& request : {requests.array, requests.axis, requests.groups,
                                       requests.described, requests.quantiles, requests.lines}) {
      expect_an_end(kind, rank, ranks, request);
    }
    if (kind == std::string("killed")) {
      expect_an_end(kind, rank, ranks, "merge", "merged\n", ONEFOLD_MPI_TESTS);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(, LongMpiFaults, testing::Combine(kinds, testing::Values(2, 3, 4)),
                         name_of);

}  // namespace
