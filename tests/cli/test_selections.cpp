// Masks, segments, weights and second arrays on the command line.
#include <gtest/gtest.h>

#include "cli/program.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

// The array 1 2 3 / 4 5 6, with its masks, weights and second arrays.
class Selections : public testing::Test {
 protected:
  std::string out_of(std::vector<std::string> arguments) {
    const Ran ran = run_program(arguments);
    EXPECT_EQ(ran.status, 0) << ran.error;
    EXPECT_EQ(ran.error, "");
    return ran.out;
  }
  int status_of(std::vector<std::string> arguments) {
    const Ran ran = run_program(arguments);
    EXPECT_EQ(ran.out, "");
    return ran.status;
  }

  const Folder folder;
  const std::string x =
      folder.write("x.npy", npy("<f8", "(2, 3)", bytes_of_list<double>({1, 2, 3, 4, 5, 6})));
  const std::string turned =
      folder.write("turned.npy", npy("<f8", "(2, 3)", bytes_of_list<double>({1, 2, 3, 4, 5, 9})));
  const std::string mask =
      folder.write("mask.npy", npy("|b1", "(2, 3)", std::string("\1\0\1\0\0\1", 6)));
  const std::string column =
      folder.write("column.npy", npy("|b1", "(2, 1)", std::string("\1\0", 2)));
};

// Errors name the options as on the command line.
TEST_F(Selections, NameTheOptionsThatDoNotGoTogether) {
  const auto expect_refused = [&](std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), "sum");
    words.push_back(x);
    const Ran ran = run_program(words);
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.error, "onefold: " + why + " does not apply; leave one of them out\n");
  };
  const std::string o = folder.write("o.npy", npy("<i8", "(2,)", std::string(16, '\0')));
  for (const auto& other : std::vector<std::vector<std::string>>{
           {"--axis", "0"}, {"--keepdims"}, {"--weights", x}, {"--fweights", x}}) {
    std::vector<std::string> words = other;
    words.insert(words.end(), {"--offsets", o});
    if (!other[0].ends_with("weights")) {
      expect_refused(words, "--offsets divides the first axis into segments, so " + other[0]);
    }
    words = other;
    words.insert(words.end(), {"--by", o});
    expect_refused(words, "--by groups the rows of a table, so " + other[0]);
  }
  for (const auto& other : std::vector<std::vector<std::string>>{
           {"--where", mask}, {"--initial", "1"}, {"--target", "portable"}, {"--keepdims"}}) {
    std::vector<std::string> words = other;
    words.insert(words.end(), {"--by", o});
    expect_refused(words, "--by groups the rows of a table, so " + other[0]);
  }
}

TEST_F(Selections, WhereFoldsWhatAMaskTakes) {
  EXPECT_EQ(out_of({"sum,count,argmax", "--where", mask, x}), "sum\t10\ncount\t3\nargmax\t5\n");
  EXPECT_EQ(out_of({"sum", "--axis", "0", "--where", mask, x}), "1\n0\n9\n");
  EXPECT_EQ(out_of({"sum", "--where", column, x}), "6\n");
  EXPECT_EQ(out_of({"dot", "--where", mask, x, x}), "46\n");
  EXPECT_EQ(status_of({"max", "--axis", "1", "--where", column, x}), 22);
  EXPECT_EQ(out_of({"max", "--axis", "1", "--where", column, "--empty-nan", x}), "3\nnan\n");
}

// Two files are one array, and the mask belongs to that array.
TEST_F(Selections, WhereIsOfAllFilesTogether) {
  const std::string four =
      folder.write("four.npy", npy("|b1", "(4, 3)", std::string("\1\1\1\0\0\0\0\0\0\0\1\1", 12)));
  EXPECT_EQ(out_of({"sum", "--where", four, x, x}), "17\n");
  EXPECT_EQ(out_of({"sum", "--axis", "1", "--where", four, x, x}), "6\n0\n0\n11\n");
  EXPECT_EQ(out_of({"argmax", "--where", four, x, x}), "11\n");
}

TEST_F(Selections, WhereIsRefusedOfAnotherShapeAndOfTexts) {
  EXPECT_EQ(status_of({"sum", "--where", x, x}), 6);
  const std::string other = folder.write("other.npy", npy("|b1", "(3,)", std::string(3, '\1')));
  EXPECT_EQ(status_of({"sum", "--axis", "0", "--where", mask, other}), 5);
  EXPECT_EQ(status_of({"sum", "--where", other, folder.write("x.txt", "1 2 3\n")}), 34);
  EXPECT_EQ(status_of({"sum", "--where", folder.path("none.npy"), x}), 30);
  const Ran expression = run_program({"sum", "--where", "x > 1", x});
  EXPECT_EQ(expression.status, 2);
  EXPECT_NE(expression.error.find("this file is not one; to use a mask, save it as a .npy file\n"),
            expression.error.npos)
      << expression.error;
}

TEST_F(Selections, InitialIsOneMoreElement) {
  EXPECT_EQ(out_of({"sum", "--initial", "0.5", x}), "21.5\n");
  EXPECT_EQ(out_of({"min", "--axis", "0", "--initial=-inf", x}), "-inf\n-inf\n-inf\n");
  EXPECT_EQ(status_of({"mean", "--initial", "0", x}), 2);
  EXPECT_EQ(status_of({"sum", "--initial", "much", x}), 2);
  // Of arrays it is the nearest f64; sums of decimals would need its digits.
  EXPECT_EQ(out_of({"sum", "--initial", "0.30000000000000004", x}), "21.3\n");
  const auto of_text = [](const char* op, const char* initial, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {op, "--initial", initial});
    return run_program(more, {.stdin_text = "1e-17 2\n"});
  };
  for (const char* digits : {"0.10000000000000001", "0.30000000000000004"}) {
    EXPECT_EQ(of_text("sum", digits).out, "");
    EXPECT_NE(of_text("sum", digits).error.find("at most 15 digits"), std::string::npos);
  }
  EXPECT_EQ(of_text("sum", "0.1").out, "2.1\n");
  EXPECT_EQ(of_text("max", "3.0000000000000004").out, "3.0000000000000004\n");
  EXPECT_EQ(of_text("sum", "0.30000000000000004", {"--dtype", "f64"}).out, "2.3000000000000003\n");
}

TEST_F(Selections, OpsOfTwoArraysTakeTwoFiles) {
  EXPECT_EQ(out_of({"mse,mae,max_abs_diff,corr", x, turned}),
            "mse\t1.5\nmae\t0.5\nmax_abs_diff\t3\ncorr\t0.944911182523068\n");
  EXPECT_EQ(out_of({"corr", x, x}), "1\n");
  EXPECT_EQ(out_of({"distance", "--axis", "1", x, turned}), "0\n3\n");
  // The same in Fortran order.
  std::string other = npy("<f8", "(2, 3)", bytes_of_list<double>({1, 4, 2, 5, 3, 9}));
  other.replace(other.find("False"), 5, "True ");
  const std::string columns = folder.write("columns.npy", other);
  EXPECT_EQ(out_of({"distance", "--axis", "1", x, columns}), "0\n3\n");
  EXPECT_EQ(out_of({"cov", "--ddof", "1", x, x}), out_of({"var", "--ddof", "1", x}));
  EXPECT_EQ(status_of({"corr", x}), 2);
}

TEST_F(Selections, WeightsAndOffsetsStandBesideAnArray) {
  const std::string w = folder.write("w.npy", npy("<f8", "(2, 1)", bytes_of_list<double>({1, 3})));
  EXPECT_EQ(out_of({"average", "--weights", w, x}), "4.25\n");
  EXPECT_EQ(out_of({"average", "--axis", "0", "--weights", w, x}), "3.25\n4.25\n5.25\n");
  EXPECT_EQ(out_of({"mean", "--weights", w, x}), "4.25\n");
  EXPECT_EQ(out_of({"var", "--axis", "0", "--weights", w, x}), "1.6875\n1.6875\n1.6875\n");
  const Ran refused = run_program({"sum", "--weights", w, x});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.error.find("sum: --weights applies only to average"), std::string::npos);
  EXPECT_NE(refused.error.find("pass --fweights to repeat elements"), std::string::npos);
  const std::string often =
      folder.write("often.npy", npy("<i8", "(3,)", bytes_of_list<int64_t>({2, 0, 1})));
  EXPECT_EQ(out_of({"sum,count", "--fweights", often, x}), "sum\t19\ncount\t6\n");
  const std::string o =
      folder.write("o.npy", npy("<i8", "(3,)", bytes_of_list<int64_t>({0, 1, 2})));
  EXPECT_EQ(out_of({"sum", "--offsets", o, x}), "1\t2\t3\n4\t5\t6\n");
  const std::string all =
      folder.write("all.npy", npy("<i8", "(2,)", bytes_of_list<int64_t>({0, 2})));
  EXPECT_EQ(out_of({"var", "--offsets", all, "--weights", w, x}), "1.6875\t1.6875\t1.6875\n");
  const std::string rows =
      folder.write("rows.npy", npy("<i8", "(2, 1)", bytes_of_list<int64_t>({2, 1})));
  EXPECT_EQ(out_of({"sum", "--offsets", all, "--fweights", rows, x}), "6\t9\t12\n");
  const std::string far =
      folder.write("far.npy", npy("<i8", "(2,)", bytes_of_list<int64_t>({0, 3})));
  EXPECT_EQ(status_of({"sum", "--offsets", far, x}), 2);
}

TEST_F(Selections, AreExplained) {
  EXPECT_NE(out_of({"explain", "sum", "--where", mask, x}).find("where"), std::string::npos);
  EXPECT_NE(out_of({"explain", "corr", x, x}).find("left_sum"), std::string::npos);
}

TEST_F(Selections, WeightsOffsetsAndKeysAreExplained) {
  const auto expect = [&](std::vector<std::string> arguments, std::vector<std::string> parts) {
    arguments.insert(arguments.begin(), "explain");
    const std::string text = out_of(arguments);
    for (const std::string& part : parts) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
    }
  };
  const auto ints = [&](const std::string& name, const std::string& shape,
                        const std::vector<int64_t>& list) {
    return folder.write(name, npy("<i8", shape, bytes_of_list<int64_t>(list)));
  };
  const std::string w = folder.write("w.npy", npy("<f8", "(2, 1)", bytes_of_list<double>({1, 3})));
  expect({"average", "--weights", w, "--axis", "0", "--json", x},
         {"\"weights\": \"f64 (2, 1)", "right_sum", "\"answers\": 3"});
  expect({"sum", "--fweights", ints("often.npy", "(3,)", {2, 0, 1}), x}, {"fweights", "i64 (3,)"});
  expect({"sum", "--offsets", ints("o.npy", "(5,)", {0, 1, 1, 2, 2}), "--json", x},
         {"\"segments\": {\"count\": 4, \"mean_length\": 0.5}", "\"answer_shape\": [4, 3]",
          "\"answers\": 12"});
  // Only the header of the offsets is read; wrong offsets are found while folding.
  expect({"sum", "--offsets", ints("falls.npy", "(3,)", {2, 0, 2}), x}, {"segments"});
  expect({"mean", "--by", ints("keys.npy", "(2,)", {7, 7}), "--json", x},
         {"\"groups\": [\"keys\"]", "\"columns\": [\"0\", \"1\", \"2\"]"});
  expect({"mean", "--by", "city", folder.write("t.csv", "city,temp\na,1\nb,2\n")},
         {"one for each key of city", "column temp"});

  EXPECT_EQ(status_of({"explain", "mean", "--weights", w, x}), 2);
  EXPECT_EQ(status_of({"explain", "sum", "--fweights", w, x}), 6);
  EXPECT_EQ(status_of({"explain", "sum", "--offsets", w, x}), 6);
  EXPECT_EQ(status_of({"explain", "sum", "--offsets", ints("one.npy", "(2,)", {0, 1}), x, x}), 2);
  EXPECT_EQ(status_of({"explain", "mean", "--by", ints("few.npy", "(1,)", {7}), x}), 5);
  EXPECT_EQ(status_of({"explain", "argmin", "--by", ints("keys.npy", "(2,)", {7, 8}), x}), 2);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
