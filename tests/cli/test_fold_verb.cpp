// onefold OP[,OP...] FILE...: every option, and the form of answers on stdout.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "onefold/error.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

const std::string grid = "1 2 3\n4 5 6\n";

std::string out_of(const std::vector<std::string>& arguments, const std::string& text = grid) {
  const Ran ran = run_program(arguments, {.stdin_text = text});
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_EQ(ran.error, "");
  return ran.out;
}

TEST(FoldVerb, PrintsTheBareValueOfOneOp) {
  EXPECT_EQ(out_of({"sum"}), "21\n");
  EXPECT_EQ(out_of({"mean"}), "3.5\n");
}

TEST(FoldVerb, PrintsALineForEachOfSeveralOps) {
  EXPECT_EQ(out_of({"max,argmax,mean"}), "max\t6\nargmax\t5\nmean\t3.5\n");
}

TEST(FoldVerb, MayBeSpeltOut) { EXPECT_EQ(out_of({"fold", "sum"}), "21\n"); }

TEST(FoldVerb, PrintsALineForEachElementOfOneAxis) {
  EXPECT_EQ(out_of({"sum", "--axis", "0"}), "5\n7\n9\n");
  EXPECT_EQ(out_of({"sum", "--axis=-1"}), "6\n15\n");
  EXPECT_EQ(out_of({"sum", "--axis", "-1"}), "6\n15\n");
  EXPECT_EQ(out_of({"sum", "--axis", "1,0"}), "21\n");
}

TEST(FoldVerb, PrintsRowsAndPlanesOfMoreAxes) {
  const Folder folder;
  std::string bytes;
  for (char c = 0; c < 24; ++c) bytes += c;
  const std::string file = folder.write("x.bin", bytes);
  EXPECT_EQ(out_of({"sum", "--dtype", "u8", "--shape", "2x3x4", "--axis", "0", file}),
            "12\t14\t16\t18\n20\t22\t24\t26\n28\t30\t32\t34\n");
  EXPECT_EQ(out_of({"sum", "--dtype", "u8", "--shape", "2x2x2x3", "--axis", "3", file}),
            "3\t12\n21\t30\n\n39\t48\n57\t66\n");
}

TEST(FoldVerb, PrintsColumnsOfSeveralOpsWithTheIndex) {
  EXPECT_EQ(out_of({"sum,argmax", "--axis", "0"}),
            "index\tsum\targmax\n0\t5\t1\n1\t7\t1\n2\t9\t1\n");
  EXPECT_EQ(out_of({"sum,min", "--axis", "1", "--keepdims"}),
            "index\tsum\tmin\n0,0\t6\t1\n1,0\t15\t4\n");
}

TEST(FoldVerb, PrintsNothingForAnAnswerWithoutElements) {
  const Folder folder;
  const std::string file = folder.write("x.npy", npy("<f8", "(3, 0)", ""));
  EXPECT_EQ(out_of({"sum", "--axis", "0", file}), "");
  EXPECT_EQ(out_of({"sum", "--axis", "0", "--json", file}), "{\"sum\": []}\n");
}

TEST(FoldVerb, PrintsJsonInTheShapeOfTheAnswer) {
  EXPECT_EQ(out_of({"sum", "--json"}), "{\"sum\": 21.0}\n");
  EXPECT_EQ(out_of({"sum,argmin", "--json", "--axis", "0"}),
            "{\"sum\": [5.0, 7.0, 9.0], \"argmin\": [0, 0, 0]}\n");
  EXPECT_EQ(out_of({"sum", "--json", "--axis", "1", "--keepdims"}), "{\"sum\": [[6.0], [15.0]]}\n");
}

TEST(FoldVerb, FoldsSeveralFilesAsOne) {
  const Folder folder;
  const std::string a = folder.write("a.txt", "1 2\n3 4\n"),
                    b = folder.write("b.csv", "5,6\n7,8\n");
  EXPECT_EQ(out_of({"sum", a, b}), "36\n");
  EXPECT_EQ(out_of({"sum", "--axis", "0", a, b}), "16\n20\n");
  EXPECT_EQ(out_of({"dot", a, b}), "70\n");
}

TEST(FoldVerb, ReadsStdinWhereADashIs) {
  const Folder folder;
  const std::string a = folder.write("a.txt", "10\n");
  EXPECT_EQ(out_of({"sum", "-"}, "1 2"), "3\n");
  EXPECT_EQ(out_of({"sum", a, "-"}, "1\n"), "11\n");
  EXPECT_EQ(out_of({"sum", "--", "-"}, "1 2"), "3\n");
}

TEST(FoldVerb, TakesAFileNamedLikeAVerbOpOrOption) {
  const Folder folder;
  folder.write("sum", "5\n");
  folder.write("describe", "6\n");
  folder.write("--json", "7\n");
  const Surroundings here{.in_child = [&] { EXPECT_EQ(chdir(folder.path("").c_str()), 0); }};
  EXPECT_EQ(run_program({"sum", "sum"}, here).out, "5\n");
  EXPECT_EQ(run_program({"max", "describe"}, here).out, "6\n");
  EXPECT_EQ(run_program({"max", "--", "--json"}, here).out, "7\n");
  EXPECT_EQ(run_program({"max", "./--json"}, here).out, "7\n");
}

TEST(FoldVerb, TakesOptionsAnywhere) {
  const Folder folder;
  const std::string a = folder.write("a.txt", grid);
  EXPECT_EQ(out_of({"--axis", "0", "sum", a}), "5\n7\n9\n");
  EXPECT_EQ(out_of({"sum", a, "--axis=0"}), "5\n7\n9\n");
}

TEST(FoldVerb, ReadsRawFiles) {
  const Folder folder;
  const std::string file = folder.write("x.bin", "head" + bytes_of_list<float>({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(out_of({"sum", "--dtype", "f32", "--offset", "4", file}), "21\n");
  EXPECT_EQ(
      out_of({"sum", "--dtype", "float32", "--offset", "4", "--shape", "3x2", "--axis", "0", file}),
      "9\n12\n");
}

TEST(FoldVerb, TakesTheFormatThatIsAskedFor) {
  const Folder folder;
  const std::string file = folder.write("x.bin", "1 2 3");
  EXPECT_EQ(out_of({"sum", "--format", "text", file}), "6\n");
  const std::string digits = folder.write("x.txt", "12");
  EXPECT_EQ(out_of({"sum", "--format", "raw", "--dtype", "u8", digits}), "99\n");
}

TEST(FoldVerb, TakesTypesAsOthersSpellThem) {
  const Folder folder;
  const std::string file = folder.write("x.bin", bytes_of_list<double>({1, 2.5}));
  for (const char* type : {"f64", "double", "<f8", "f8", "float64", "=f8"}) {
    EXPECT_EQ(out_of({"sum", "--dtype", type, file}), "3.5\n") << type;
  }
  const std::string bytes = folder.write("y.bin", std::string("\0\1\0\2", 4));
  EXPECT_EQ(out_of({"sum", "--dtype", ">i2", bytes}), "3\n");
  EXPECT_EQ(out_of({"sum", "--dtype", "<i2", bytes}), "768\n");
  EXPECT_EQ(out_of({"sum", "--dtype", "short", bytes}), "768\n");
  EXPECT_EQ(out_of({"sum", "--dtype", "|u1", bytes}), "3\n");
  // Our types count bits, NumPy's bytes: NumPy's are meant only if a byte order is given.
  EXPECT_EQ(out_of({"count", "--dtype", "u8", bytes}), "4\n");
  EXPECT_EQ(out_of({"count", "--dtype", "<i8", file}), "2\n");
}

TEST(FoldVerb, TakesShapesAsOthersSpellThem) {
  const Folder folder;
  const std::string file = folder.write("x.bin", std::string("\1\2\3\4", 4));
  for (const char* shape : {"2x2", "2,2", "(2, 2)", "(2,2)"}) {
    EXPECT_EQ(out_of({"sum", "--dtype", "u8", "--axis", "0", "--shape", shape, file}), "4\n6\n");
  }
  EXPECT_EQ(out_of({"sum", "--dtype", "u8", "--axis", "0", "--shape", "(4,)", file}), "10\n");
}

TEST(FoldVerb, TakesInstructionSetsAsCompilersSpellThem) {
  const auto info = nlohmann::json::parse(run_program({"info", "--json"}).out);
  const auto& sets = info["instruction_sets"];
  const bool wide = std::find(sets.begin(), sets.end(), "avx3") != sets.end();
  const Ran ran = run_program({"sum", "--target", "avx512"}, {.stdin_text = grid});
  EXPECT_EQ(ran.out, wide ? "21\n" : "");
  EXPECT_EQ(out_of({"sum", "--target", "scalar"}), "21\n");
}

TEST(FoldVerb, KnowsOpsByOtherNamesAndSaysSoOnce) {
  const auto run = [](const std::string& op) { return run_program({op}, {.stdin_text = grid}); };
  EXPECT_EQ(run("avg").out, "3.5\n");
  EXPECT_EQ(run("avg").error, "onefold: avg is another name of mean\n");
  EXPECT_EQ(run("total").out, "21\n");
  EXPECT_EQ(run("len").out, "6\n");
  EXPECT_EQ(run("variance").out, out_of({"var"}));
  EXPECT_EQ(
      run("stdev").error,
      "onefold: stdev is another name of std, which divides by n; --ddof 1 divides by n - 1\n");
  EXPECT_EQ(run("sum,avg").out, "sum\t21\nmean\t3.5\n");
  const Ran spelt = run_program({"fold", "avg"}, {.stdin_text = grid});
  EXPECT_EQ(spelt.out, "3.5\n");
  EXPECT_EQ(spelt.error, "onefold: avg is another name of mean\n");
  EXPECT_EQ(run_program({"help", "avg"}).out, run_program({"help", "mean"}).out);
}

const std::string sales =
    "date,city,temp,n\n2024-01-01,Oslo,1.5,10\n2024-01-02,\"New York, NY\",NA,20\n";

TEST(FoldVerb, PrintsColumnsOfATableUnderTheirNames) {
  const Ran ran = run_program({"mean,count", "--nan", "omit"}, {.stdin_text = sales});
  EXPECT_EQ(ran.out, "column\tmean\tcount\ntemp\t1.5\t1\nn\t15\t2\n");
  EXPECT_EQ(ran.error, "onefold: columns without numbers are left out: date, city\n");
  EXPECT_EQ(out_of({"sum", "--columns", "n,temp", "--nan", "omit"}, sales), "n\t30\ntemp\t1.5\n");
  EXPECT_EQ(out_of({"sum", "--columns", "n"}, sales), "30\n");
  EXPECT_EQ(out_of({"sum,max", "--columns", "4"}, sales), "column\tsum\tmax\nn\t30\t20\n");
  EXPECT_EQ(out_of({"sum", "--json", "--columns", "n"}, sales), "{\"sum\": {\"n\": 30.0}}\n");
}

// With an axis a text is a table, even if it has one line or one column.
TEST(FoldVerb, FoldsTheColumnsOfOneLineWhereAnAxisIsGiven) {
  EXPECT_EQ(out_of({"sum", "--axis", "0"}, "1 2 3\n"), "1\n2\n3\n");
  EXPECT_EQ(out_of({"sum", "--axis", "1"}, "1 2 3\n"), "6\n");
  EXPECT_EQ(out_of({"sum", "--axis", "0"}, "1\n2\n3\n"), "6\n");
  EXPECT_EQ(out_of({"sum", "--axis", "1"}, "1,5\n2,5\n"), "6\n7\n");
  EXPECT_EQ(out_of({"sum", "--axis", "0,1"}, "1 2\n3 4\n"), "10\n");
}

TEST(FoldVerb, ReportsBadLinesThatWereLeftOut) {
  const Ran ran = run_program({"sum", "--bad-lines", "skip"}, {.stdin_text = "a,b\n1,2\n3\n4,5\n"});
  EXPECT_EQ(ran.out, "a\t5\nb\t7\n");
  EXPECT_EQ(
      ran.error,
      "onefold: read stdin: 1 bad line was left out; the first one: line 3, column 2 (b): there "
      "is 1 field, but the first line has 2\n");
}

TEST(FoldVerb, ReadsCommasInNumbersWhereTold) {
  EXPECT_EQ(out_of({"sum", "--thousands", ","}, "1,000\n"), "1000\n");
  EXPECT_EQ(out_of({"sum", "--decimal", ","}, "1,5\n"), "1.5\n");
  EXPECT_EQ(out_of({"sum", "--delimiter", ","}, "1,5\n"), "6\n");
}

TEST(FoldVerb, AnswersForEachFile) {
  const Folder folder;
  const std::string a = folder.write("a.txt", "1\n2\n"), b = folder.write("b.csv", "x,y\n3,4\n");
  EXPECT_EQ(out_of({"sum", "--each", a}), a + "\t3\n");
  EXPECT_EQ(out_of({"sum,max", "--each", a}), "file\tsum\tmax\n" + a + "\t3\t2\n");
  EXPECT_EQ(out_of({"sum", "--each", b}), "file\tcolumn\tsum\n" + b + "\tx\t3\n" + b + "\ty\t4\n");
  EXPECT_EQ(out_of({"sum", "--each", "--json", a, b}),
            "{\"file\": \"" + a + "\", \"answers\": {\"sum\": 3.0}}\n{\"file\": \"" + b +
                "\", \"answers\": {\"sum\": {\"x\": 3.0, \"y\": 4.0}}}\n");
}

TEST(FoldVerb, GoesOnBehindBrokenFilesWhereTold) {
  const Folder folder;
  const std::string a = folder.write("a.txt", "1\n2\n"), bad = folder.write("bad.txt", "x\n");
  const std::string none = folder.path("none.txt");
  const Ran ran = run_program({"sum", "--each", "--keep-going", none, bad, a});
  EXPECT_EQ(ran.out, a + "\t3\n");
  EXPECT_EQ(ran.status, 30);  // cannot_open
  EXPECT_NE(ran.error.find("2 of 3 files could not be folded"), std::string::npos) << ran.error;
  EXPECT_NE(ran.error.find("read " + bad + ": line 1"), std::string::npos) << ran.error;
  const Ran stop = run_program({"sum", "--each", a, bad});
  EXPECT_EQ(stop.out, "");
  EXPECT_EQ(stop.status, 35);  // bad_token
}

TEST(FoldVerb, TakesTheNamesOfFilesFromAFile) {
  const Folder folder;
  const std::string a = folder.write("a.txt", "1\n2\n"), b = folder.write("b.txt", "3\n");
  EXPECT_EQ(out_of({"sum", "--files-from", folder.write("list", a + "\n" + b + "\n")}), "6\n");
  EXPECT_EQ(out_of({"sum", "--files-from", "-"}, a + '\0' + b + '\0'), "6\n");
}

TEST(FoldVerb, TakesAsMuchMemoryAsItMay) {
  const Folder folder;
  // Of many columns only those words of a state are kept that any column uses: here most.
  std::string line = "1";
  for (int i = 1; i < 60000; ++i) line += ",1e" + std::to_string(i % 300);
  const std::string file = folder.write("x.csv", line + "\n" + line + "\n");
  const Ran little =
      run_program({"var", "--axis", "0", "--memory", "32MiB", "--columns", "1-", file});
  EXPECT_EQ(little.status, 50);  // out_of_memory
  EXPECT_NE(little.error.find("--memory"), std::string::npos) << little.error;
  EXPECT_EQ(run_program({"var", "--axis", "0", "--memory", "1GiB", "--columns", "1-", file}).status,
            0);
}

TEST(FoldVerb, RoundsToTheResultThatIsAskedFor) {
  EXPECT_EQ(out_of({"mean"}, "1 1 2"), "1.3333333333333333\n");
  EXPECT_EQ(out_of({"mean", "--result", "f32"}, "1 1 2"), "1.3333334\n");
  EXPECT_EQ(out_of({"mean", "--result", "f16"}, "1 1 2"), "1.333\n");
}

TEST(FoldVerb, FollowsTheNanPolicy) {
  EXPECT_EQ(out_of({"sum"}, "1 nan 2"), "nan\n");
  EXPECT_EQ(out_of({"sum", "--nan", "propagate"}, "1 nan 2"), "nan\n");
  EXPECT_EQ(out_of({"sum", "--nan", "omit"}, "1 nan 2"), "3\n");
  EXPECT_EQ(out_of({"sum", "--nan", "raise"}, "1 2"), "3\n");
}

TEST(FoldVerb, DividesByNMinusDdof) {
  EXPECT_EQ(out_of({"var"}, "1 2 3 4"), "1.25\n");
  EXPECT_EQ(out_of({"var", "--ddof", "1"}, "1 2 3 4"), "1.6666666666666667\n");
  EXPECT_EQ(out_of({"var", "--correction", "1"}, "1 2 3 4"), "1.6666666666666667\n");
  EXPECT_EQ(out_of({"var", "--correction", "0.5", "--ddof", "0.5"}, "1 2 3 4"),
            "1.4285714285714286\n");
  EXPECT_EQ(out_of({"var", "--ddof", "-1"}, "1 2 3 4"), "1\n");
}

TEST(FoldVerb, GivesTheSameBitsForEveryDeviceThreadCountAndInstructionSet) {
  std::string text;
  for (int i = 1; i < 5000; ++i) text += std::to_string(1.0 / i) + "\n";
  const std::string expected = out_of({"sum,var"}, text);
  EXPECT_EQ(out_of({"sum,var", "--threads", "1"}, text), expected);
  EXPECT_EQ(out_of({"sum,var", "--threads", "3"}, text), expected);
  EXPECT_EQ(out_of({"sum,var", "--device", "cpu"}, text), expected);
  const auto info = nlohmann::json::parse(run_program({"info", "--json"}).out);
  for (const std::string target : info["instruction_sets"]) {
    EXPECT_EQ(out_of({"sum,var", "--target", target}, text), expected) << target;
  }
}

TEST(FoldVerb, ShowsProgressOnStderrWhenAsked) {
  const Folder folder;
  const std::string file = folder.write("x.npy", npy("<f8", "(1000,)", std::string(8000, '\0')));
  const Ran always = run_program({"sum", "--progress", "always", file});
  EXPECT_EQ(always.out, "0\n");
  EXPECT_NE(always.error.find("8.00 kB in "), std::string::npos) << always.error;
  EXPECT_NE(always.error.find(" GB/s\n"), std::string::npos) << always.error;
  EXPECT_EQ(run_program({"sum", "--progress", "never", file}).error, "");
  EXPECT_EQ(run_program({"sum", "--progress", "auto", file}).error, "");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
