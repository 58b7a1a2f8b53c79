// `onefold OP FILE --mpi` under mpirun prints the same as one process, for any number of ranks.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "mpi/ranks.hpp"

namespace {

using namespace onefold::test;

TEST(MpiProgram, PrintsWhatOneProcessDoes) {
  const Folder folder;
  const std::string a = folder.write("a.npy", wild_npy(10'007)),
                    b = folder.write("b.npy", wild_npy(3)),
                    text = folder.write("c.txt", "1 2 3\n4");
  for (const std::string& request :
       {"mean,var,argmin,argmax,count " + a + " " + b, "sum,max " + text + " " + text,
        "argmax " + text + " " + text, "sum --json " + b,
        "mean --threads 1 --target portable --nan omit " + b,
        std::string("min --empty-nan /dev/null"), "sum --initial 7 " + b,
        "var --ddof 1 --result f32 --precision 3 " + b,
        "min --dtype f64 --format raw --offset 128 " + b}) {
    const Ran alone = run_program(words_of(request));
    ASSERT_EQ(alone.status, 0) << alone.error;
    const bool indexed = request.starts_with("mean,var,argmin");
    for (const int ranks : indexed ? std::vector{2, 5} : std::vector{3}) {
      const Ran all = run_ranks(ranks, request + " --mpi");
      EXPECT_EQ(all.status, 0) << all.error;
      EXPECT_EQ(all.out, alone.out) << request << " " << ranks;
    }
  }
}
TEST(MpiProgram, SaysOnceHowManyValuesAreMissing) {
  const Folder folder;
  const std::string files = folder.write("a.csv", "x,y\n1,2\n,3\n") + " " +
                            folder.write("b.csv", "x,y\nNA,2\n3,4\n5,6\n");
  for (const int ranks : {1, 3}) {
    const Ran all = run_ranks(ranks, "mean,count --columns x --mpi " + files);
    EXPECT_EQ(all.status, 0) << all.error;
    EXPECT_EQ(all.out, "column\tmean\tcount\nx\t3\t3\n");
    EXPECT_EQ(all.error, "onefold: 2 values are missing and left out: 2 in column x\n");
  }
}

TEST(MpiProgram, SaysOnceWhatARankMeets) {
  const Folder folder;
  // All ranks read the first lines of all files; an error further down is met by one rank only.
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
}
// One waits for a pipe that nobody writes to, and is killed there.
TEST(MpiProgram, EndsWithoutAnAnswerWhereARankIsKilled) {
  const Folder folder;
  const std::string a = folder.write("a.txt", "1 2 3\n"), pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string request = "sum --mpi " + a + " " + pipe;
  const Ran ran = run_ranks(
      1, request,
      {.others = std::string(" : -n 1 timeout -s KILL 2 ") + ONEFOLD_PROGRAM + " " + request});
  EXPECT_NE(ran.status, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.error.find("signal 9"), std::string::npos) << ran.error;
}
// A pipe goes to one rank, and can be read once.
TEST(MpiProgram, FoldsAPipeOnTheRankThatHasIt) {
  const Folder folder;
  const std::string a = folder.write("a.txt", "7\n8\n"), pipe = folder.path("pipe"),
                    whole = "sum\t5000050000\ncount\t100000\nargmax\t99999\n";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string ops = "sum,count,argmax --mpi ", numbers = "seq 100000 | ";
  for (const int ranks : {1, 2, 3}) {
    const Ran ran = run_ranks(ranks, ops, {.before = numbers});
    EXPECT_EQ(ran.status, 0) << ran.error;
    EXPECT_EQ(ran.out, whole) << ranks;
  }
  EXPECT_EQ(run_ranks(2, ops + "/dev/stdin", {.before = numbers}).out, whole);
  // Not by --stdin 1: Open MPI 4's mpiexec now and then dies of it.
  const std::string of_rank_1 =
      std::string(" : -n 1 sh -c '") + numbers + ONEFOLD_PROGRAM + " " + ops + "'";
  EXPECT_EQ(run_ranks(1, ops, {.options = "--stdin none", .others = of_rank_1}).out, whole);
  EXPECT_EQ(run_ranks(2, ops + pipe, {.before = "seq 100000 >" + pipe + " & "}).out, whole);
  EXPECT_EQ(
      run_ranks(3, ops + a + " - " + pipe, {.before = "seq 3 >" + pipe + " & echo 9 10 11 | "}).out,
      "sum\t51\ncount\t8\nargmax\t4\n");
}
TEST(MpiProgram, RefusesAPipeThatSeveralRanksWouldRead) {
  const Folder folder;
  const Launch all{.before = "seq 10 | ", .options = "--stdin all"};
  const Ran ran = run_ranks(2, "sum --mpi", all);
  EXPECT_EQ(ran.status, 2) << ran.error;
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.error.find("standard input is piped to ranks 0 and 1"), std::string::npos)
      << ran.error;
  EXPECT_EQ(run_ranks(2, "sum --mpi " + folder.write("a.txt", "1 2"), all).out, "3\n");
  const Ran list = run_ranks(2, "sum --mpi --files-from -", {.before = "echo a.txt | "});
  EXPECT_EQ(list.status, 2) << list.error;
  EXPECT_NE(list.error.find("write the names to a file"), std::string::npos) << list.error;
}
TEST(MpiProgram, RefusesToAnswerAloneWhereALauncherStartedSeveral) {
  const Folder folder;
  const std::string a = folder.write("a.txt", "1 2 3");
  for (const char* name : {"SLURM_NTASKS", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE"}) {
    const Ran alone = run_program({"sum", "--mpi", a}, {.environment = {std::string(name) + "=3"}});
    EXPECT_EQ(alone.status, 7) << alone.error;
    EXPECT_EQ(alone.out, "");
    EXPECT_NE(alone.error.find(std::string(name) + " is 3, but MPI sees only one rank"),
              std::string::npos)
        << alone.error;
  }
  EXPECT_EQ(run_program({"sum", "--mpi", a}, {.environment = {"SLURM_NTASKS=1"}}).out, "6\n");
  // mpirun, within a job of several tasks, has started one.
  EXPECT_EQ(run_ranks(1, "sum --mpi " + a, {.before = "SLURM_NTASKS=3 "}).out, "6\n");
}
TEST(MpiProgram, NamesTheOptionThatDoesNotGoWithIt) {
  const std::string listed = run_program({"mpi", "--help"}).out;
  for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{
           {"--each"}, {"--keep-going"}, {"--device", "cpu"}, {"--share", "1/2"}}) {
    std::vector<std::string> words{"sum", "--mpi", "x.npy"};
    words.insert(words.end(), option.begin(), option.end());
    const Ran ran = run_program(words);
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.error,
              "onefold: " + option[0] +
                  " cannot be used with --mpi; leave it out, or see onefold mpi --help\n");
    EXPECT_EQ(listed.find(option[0] + " "), std::string::npos) << "it is listed";
  }
}
TEST(MpiProgram, SaysWhatIsMissingWhereThereIsNoMpi) {
  const Ran without = run_program({"sum", "--mpi", "x.npy"},
                                  {.environment = {"ONEFOLD_MPI_PLUGIN=/nowhere/onefold_mpi.so"}});
  EXPECT_EQ(without.status, 7);
  EXPECT_NE(without.error.find("libopenmpi-dev"), std::string::npos) << without.error;
}
// The same without MPI: shares gathered by separate processes.
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
