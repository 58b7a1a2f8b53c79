// `onefold OP FILE --mpi` of axes, groups, segments, pairs and tables: the bytes of one process.
#include <gtest/gtest.h>

#include <random>

#include "mpi/ranks.hpp"

namespace {

using namespace onefold::test;

// Of many magnitudes and signs, so that any rounding on the way shows.
std::vector<double> wild(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> x;
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = static_cast<int>(random());
    x.push_back(std::ldexp(bits, static_cast<int>(random() % 40) - 20));
  }
  return x;
}
std::string array(std::size_t rows, std::size_t columns, unsigned seed, bool fortran = false) {
  std::string file = npy("<f8", "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")",
                         bytes_of_list(wild(rows * columns, seed)));
  if (fortran) {
    const std::size_t at = file.find("False");
    file.replace(at, 5, "True ");
  }
  return file;
}
std::string table(int rows, unsigned seed) {
  std::mt19937 random(seed);
  const char* const cities[] = {"Oslo", "Rome", "Bergen", "Ulm"};
  std::string text = "city,temp,mm\n";
  for (int k = 0; k < rows; ++k) {
    text += std::string(cities[random() % 4]) + ',' + std::to_string(random() % 1000) + "." +
            std::to_string(random() % 1000) + ',' + (k % 9 == 3 ? "" : std::to_string(k)) + '\n';
  }
  return text;
}

// Both print the same, or write the same file.
void expect_alike(int ranks, const Folder& folder, const std::string& request) {
  const std::string mine = folder.path("mine.npy"), theirs = folder.path("theirs.npy");
  const bool written = request.find("--output") != std::string::npos;
  const Ran alone = run_program(words_of(request + (written ? " " + mine : "")));
  ASSERT_EQ(alone.status, 0) << request << alone.error;
  const Ran all = run_ranks(ranks, "--mpi " + request + (written ? " " + theirs : ""));
  EXPECT_EQ(all.status, 0) << request << all.error;
  EXPECT_EQ(all.out, alone.out) << request << " " << ranks;
  EXPECT_NE(all.error.find(alone.error), std::string::npos) << request << all.error;
  const bool same = !written || read_file(mine) == read_file(theirs);
  EXPECT_TRUE(same) << request << " " << ranks;
}

TEST(MpiFolds, OfAxesAreThoseOfOneProcess) {
  const Folder folder;
  const std::string a = folder.write("a.npy", array(1'007, 13, 1)),
                    b = folder.write("b.npy", array(50, 13, 2)),
                    f = folder.write("f.npy", array(1'007, 13, 3, true)), ab = a + " " + b;
  expect_alike(3, folder, "mean,var,argmax,argmin --axis 0 " + ab);
  expect_alike(3, folder, "mean,argmax --axis 1 " + ab);
  expect_alike(2, folder, "argmin,sum --axis 0 " + f);
  expect_alike(2, folder, "argmin,sum --axis 1 " + f);
  expect_alike(5, folder, "sum --keepdims --axis 0,1 " + ab);
}
// 29 MB in two rows: ranks share each of them.
TEST(MpiFolds, OfFewLongSlicesAreShared) {
  const Folder folder;
  const std::string a = folder.write("a.npy", array(2, 1'800'000, 4));
  expect_alike(3, folder, "mean,var,argmax --axis 1 " + a);
  expect_alike(2, folder, "min,argmin " + a);
}
TEST(MpiFolds, OfMasksPairsAndSegmentsAreThoseOfOneProcess) {
  const Folder folder;
  std::string taken;
  for (int k = 0; k < 1'007 * 13; ++k) taken += static_cast<char>(k % 7 < 3);
  std::vector<int64_t> offsets;
  for (int64_t k = 0; k <= 40; ++k) offsets.push_back(k * 25);
  const std::string a = folder.write("a.npy", array(1'007, 13, 5)),
                    b = folder.write("b.npy", array(1'007, 13, 6)),
                    mask = folder.write("m.npy", npy("|b1", "(1007, 13)", taken)),
                    of = folder.write("o.npy", npy("<i8", "(41,)", bytes_of_list(offsets)));
  expect_alike(3, folder, "sum,argmax --where " + mask + " " + a);
  expect_alike(2, folder, "mean,argmin --axis 0 --where " + mask + " " + a);
  expect_alike(3, folder, "dot,corr " + a + " " + b);
  expect_alike(2, folder, "corr --axis 0 " + a + " " + b);
  expect_alike(3, folder, "max,argmax --offsets " + of + " " + a);
  expect_alike(2, folder, "average --axis 1 --weights " + b + " " + a);
}
TEST(MpiFolds, OfTablesAndGroupsAreThoseOfOneProcess) {
  const Folder folder;
  std::string files;
  for (unsigned k = 0; k < 4; ++k) {
    files +=
        " " + folder.write(std::to_string(k) + ".csv", table(50 + 70 * static_cast<int>(k), k));
  }
  std::vector<int64_t> keys;
  for (int64_t k = 0; k < 1'007; ++k) keys.push_back(k * k % 31);
  const std::string a = folder.write("a.npy", array(1'007, 3, 7)),
                    by = folder.write("k.npy", npy("<i8", "(1007,)", bytes_of_list(keys)));
  expect_alike(3, folder, "mean,argmax,count_nan --columns temp,mm" + files);
  expect_alike(2, folder, "sum --axis 1 --columns temp,mm" + files);
  expect_alike(3, folder, "mean,std --by city --nan omit" + files);
  expect_alike(2, folder, "mean,var --by " + by + " " + a);
  expect_alike(3, folder, "describe --columns temp" + files);
}
// Ranks read some lines each. Quotes hold line ends and other quotes.
TEST(MpiFolds, OfTheLinesOfOneTextAreThoseOfOneProcess) {
  const Folder folder;
  std::string csv = "name,when,temp,mm\n", json, numbers;
  std::mt19937 random(14);
  for (int k = 0; k < 900; ++k) {
    const std::string number = std::to_string(random()) + "." + std::to_string(random() % 1000);
    const char* const names[] = {"\"a\n\"\"\"", "Ulm", "\"x,\n\"", " \" \"", "in\"ch"};
    csv += std::string(names[random() % 5]) + ",2024-01-" + std::to_string(10 + k % 20) + "," +
           (k % 97 == 96 ? "bad" : number) + "," + (k % 9 == 3 ? "" : std::to_string(k)) + "\n";
    json += "{\"name\": \"b\\\"" + std::to_string(k % 3) + "\", \"temp\": " + number + "}\n";
    numbers += number + (k % 3 == 2 ? "\n" : " ");
  }
  const std::string c = folder.write("c.csv", csv), j = folder.write("j.jsonl", json),
                    n = folder.write("n.txt", numbers), m = folder.write("m.txt", "1 2 3\n4 5 6\n");
  for (const int ranks : {2, 5}) {
    expect_alike(ranks, folder, "mean,argmax,count --columns mm " + c + " " + c);
    expect_alike(ranks, folder, "sum,argmin --bad-lines skip --columns temp,mm " + c);
    expect_alike(ranks, folder, "sum,argmin --by name --columns mm " + c);
    expect_alike(ranks, folder, "mean,argmax " + j);
    expect_alike(ranks, folder, "sum,argmax,count " + m + " " + n);
  }
  expect_alike(3, folder, "sum --axis 1 --columns mm " + c + " --output");
  expect_alike(3, folder, "corr --bad-lines skip --columns temp,mm " + c);
  expect_alike(3, folder, "average --bad-lines skip --columns mm --weights temp " + c);
  expect_alike(3, folder, "mean,var --bad-lines skip --columns mm --weights temp " + c);
  expect_alike(2, folder, "mean,var --bad-lines skip --columns mm --weights temp --by name " + c);
  expect_alike(2, folder, "mean,argmax --columns mm --where mm!=400 " + c);
  expect_alike(3, folder, "max,mean --by name --columns when " + c + " " + c);
  expect_alike(2, folder, "quantile --q 0.1,0.7 --columns mm " + c);
  expect_alike(3, folder, "median " + n);
  expect_alike(3, folder, "sum --keepdims " + n);
}
// The first error is that of one process, whichever rank meets it.
TEST(MpiFolds, OfTheLinesOfOneTextNameTheLineThatIsWrong) {
  const Folder folder;
  std::string table = "x,y\n", numbers;
  for (int k = 0; k < 500; ++k) {
    table += (k == 333 ? "bad" : "\"1\"") + std::string(",\"\n\"\n");
    numbers += k == 433 ? "1,000\n" : "5\n";
  }
  for (const std::string& request :
       {"sum --columns x " + folder.write("t.csv", table), "sum " + folder.write("n.txt", numbers),
        "median " + folder.path("n.txt")}) {
    const Ran alone = run_program(words_of(request));
    EXPECT_EQ(alone.status, 35) << request << alone.error;
    const std::string said = alone.error.substr(alone.error.find("read "));
    EXPECT_NE(said.find(": line "), said.npos);
    for (const int ranks : {2, 3}) {
      const Ran all = run_ranks(ranks, request + " --mpi");
      EXPECT_EQ(all.status, 35) << all.error;
      EXPECT_EQ(all.out, "");
      EXPECT_NE(all.error.find(said), all.error.npos) << all.error << said;
    }
  }
  EXPECT_EQ(run_program({"gather", "sum", folder.path("n.txt"), "--state", "n.of"}).status, 35);
  const std::string two = folder.write("2.txt", "1 2\n3 4\n"),
                    three = folder.write("3.txt", "1 2 3\n3 4 5\n");
  const Ran shapes = run_ranks(2, "sum --mpi " + two + " " + three);
  EXPECT_EQ(shapes.status, run_program({"sum", two, three}).status);
  EXPECT_EQ(shapes.out, "");
}
TEST(MpiFolds, OfQuantilesAreThoseOfOneProcess) {
  const Folder folder;
  const std::string a = folder.write("a.npy", array(1'007, 13, 11)),
                    b = folder.write("b.npy", array(53, 13, 12, true)),
                    t = folder.write("t.txt", "1 2 nan\n7 -3\n"), u = folder.write("u.txt", "8 9");
  std::string files;
  for (unsigned k = 0; k < 4; ++k) {
    files +=
        " " + folder.write(std::to_string(k) + ".csv", table(50 + 70 * static_cast<int>(k), k));
  }
  expect_alike(3, folder, "median " + a);
  expect_alike(3, folder, "quantile --q 0,0.1,0.25,0.999,1 " + a + " " + b);
  expect_alike(2, folder, "quantile --q 0.3 --nan omit " + t + " " + u);
  expect_alike(2, folder, "median " + t + " " + u);
  expect_alike(3, folder, "quantile --q 0.05,0.5 --json" + files);
  expect_alike(5, folder, "median --columns temp" + files);
  expect_alike(2, folder, "median --columns temp --where temp!=0" + files + " --output");
  // More numbers than a rank has memory for: they are read again.
  const std::string large = folder.write("large.npy", array(3'000, 1'000, 13));
  expect_alike(2, folder, "quantile --q 0.01,0.5,0.99 --memory 32MiB " + large);
  const Ran raised = run_ranks(2, "median --mpi --nan raise " + t + " " + u);
  EXPECT_EQ(raised.status, run_program({"median", "--nan", "raise", t, u}).status);
  EXPECT_EQ(raised.out, "");
}
// Each rank writes its answers to the file.
TEST(MpiFolds, WriteOneFile) {
  const Folder folder;
  const std::string a = folder.write("a.npy", array(5'003, 13, 8)),
                    b = folder.write("b.csv", table(60, 9)), c = folder.write("c.csv", table(9, 3));
  expect_alike(3, folder, "max --axis 1 " + a + " --output");
  expect_alike(2, folder, "mean --axis 0 " + a + " --output");
  expect_alike(3, folder, "mean --by city " + b + " " + c + " --output");
  expect_alike(2, folder, "sum --axis 1 --columns temp,mm " + b + " " + c + " --output");
}
// Only the first rank writes; if that fails, all ranks exit with its status.
TEST(MpiFolds, EndTogetherWhereTheAnswerCannotBeWritten) {
  const Folder folder;
  const std::string a = folder.write("a.npy", array(5'003, 13, 8));
  const Ran full = run_ranks(3, "max --axis 1 --mpi " + a + " --output /nowhere/x.npy");
  EXPECT_EQ(full.status, run_program({"max", a, "--output", "/nowhere/x.npy"}).status);
  EXPECT_NE(full.error.find("/nowhere"), std::string::npos) << full.error;
  const Ran empty = run_ranks(2, "max --mpi --axis 0 " + folder.write("e.npy", array(0, 2, 1)));
  EXPECT_EQ(empty.status, 22) << empty.error;
  EXPECT_EQ(empty.out, "");
  EXPECT_TRUE(empty.error.starts_with("onefold: max of element [0]: there is nothing to fold"))
      << empty.error;
}

}  // namespace
