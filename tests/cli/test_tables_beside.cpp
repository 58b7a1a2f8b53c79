// Tables: --fweights of a column, times beside numbers, a million columns, info without numbers.
#include <gtest/gtest.h>

#include <random>

#include "cli/out_of.hpp"
#include "cli/refusal.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

TEST(FrequencyColumns, CountRowsAsOftenAsTheySay) {
  std::mt19937_64 random(3);
  const Folder folder;
  std::string weighted = "k,x,w\n", repeated = "k,x\n";
  for (int row = 0; row < 300; ++row) {
    const auto w = random() % 12;
    const std::string cells = std::string(1, static_cast<char>('a' + random() % 3)) + "," +
                              std::to_string(random() % 1000) + "." + std::to_string(random() % 10);
    weighted += cells + "," + std::to_string(w) + "\n";
    for (uint64_t n = 0; n < w; ++n) repeated += cells + "\n";
  }
  const std::string a = folder.write("a.csv", weighted), b = folder.write("b.csv", repeated),
                    ops = "sum,mean,var,std,min,max,count,norm2";
  const auto fold = [&](const std::string& file, std::vector<std::string> more) {
    more.insert(more.begin(), {ops, "--columns", "x", "--ddof", "1", file});
    return out_of(more, "");
  };
  EXPECT_EQ(fold(a, {"--fweights", "w"}), fold(b, {}));
  EXPECT_EQ(fold(a, {"--fweights", "w", "--by", "k"}), fold(b, {"--by", "k"}));
  EXPECT_EQ(fold(a, {"--fweights", "w", "--by", "k", "--sort", "-mean", "--top", "2"}),
            fold(b, {"--by", "k", "--sort", "-mean", "--top", "2"}));
}

// A mean of decimals does not depend on the ops beside it, nor on the way by a state.
TEST(FrequencyColumns, KeepDecimalsBesideOtherOps) {
  const Folder folder;
  const std::string x = folder.write("x.csv", "k,x,w\na,0.1,1\na,0.2,1\n"),
                    state = folder.path("x.of");
  for (const char* ops : {"mean", "mean,var", "mean,std,sum", "mean,norm2"}) {
    const std::string out = out_of({ops, "--columns", "x", "--fweights", "w", "--json", x}, "");
    EXPECT_NE(out.find("\"x\": 0.15}"), std::string::npos) << out;
    out_of({"gather", ops, "--by", "k", "--columns", "x", "--state", state, x}, "");
    EXPECT_EQ(out_of({"answer", "mean", state}, ""), "k\tmean\na\t0.15\n") << ops;
    std::remove(state.c_str());
  }
}

TEST(FrequencyColumns, LeaveOutRowsWithoutAWeightAndRefuseFractions) {
  const Folder folder;
  const std::string x = folder.write("x.csv", "x,w\n1,3\n2,1\n9,\n7,0\n"),
                    bad = folder.write("bad.csv", "x,w\n1,1.5\n"),
                    none = folder.write("none.csv", "x,w\n1,0\n"),
                    huge = folder.write("huge.csv", "x,w\n1,9e15\n2,9e15\n");
  EXPECT_EQ(out_of({"sum,count", "--columns", "x", "--fweights", "w", x}, ""),
            "column\tsum\tcount\nx\t5\t4\n");
  EXPECT_EQ(out_of({"count", "--columns", "x", "--fweights", "w", none}, ""), "0\n");
  EXPECT_EQ(out_of({"count", "--columns", "x", "--fweights", "w", huge}, ""),
            "18000000000000000\n");
  expect_refusal({"sum", "--columns", "x", "--fweights", "w", bad}, ErrorCode::bad_option,
                 "\"1.5\" is not a count");
  const auto of = [&](const std::string& weight) {
    return folder.write("one.csv", "x,w\n1," + weight + "\n");
  };
  EXPECT_EQ(out_of({"count", "--columns", "x", "--fweights", "w", of("9223372036854775807")}, ""),
            "9223372036854775807\n");
  EXPECT_EQ(out_of({"count", "--columns", "x", "--fweights", "w", of("9007199254740993.0")}, ""),
            "9007199254740993\n");
  for (const char* weight : {"2.00000000000000000001", "9223372036854775808", "-1", "inf"}) {
    expect_refusal({"count", "--columns", "x", "--fweights", "w", of(weight)},
                   ErrorCode::bad_option, "is not a count");
  }
  expect_refusal({"argmax", "--columns", "x", "--fweights", "w", x}, ErrorCode::bad_option,
                 "argmax returns an index");
  expect_refusal({"sum", "--columns", "x", "--fweights", "v", x}, ErrorCode::bad_option,
                 "it has no column \"v\"");
}

TEST(TimesBesideNumbers, AreFoldedInOneCall) {
  const Folder folder;
  const std::string x =
      folder.write("x.csv", "who,at,v\na,2024-01-02,1\nb,2024-01-01,0.1\na,2024-01-05,0.2\n");
  EXPECT_EQ(out_of({"max,mean", "--columns", "v,at", x}, ""),
            "column\tmax\tmean\nv\t1\t0.43333333333333335\nat\t2024-01-05\t2024-01-02 16:00:00\n");
  EXPECT_EQ(out_of({"min", "--columns", "at,v", "--by", "who", x}, ""),
            "who\tat_min\tv_min\na\t2024-01-02\t0.2\nb\t2024-01-01\t0.1\n");
  EXPECT_EQ(
      out_of({"min", "--columns", "at,v", "--by", "who", "--json", x}, ""),
      "{\"by\": {\"who\": \"a\"}, \"at\": {\"min\": \"2024-01-02\"}, \"v\": {\"min\": 0.2}}\n"
      "{\"by\": {\"who\": \"b\"}, \"at\": {\"min\": \"2024-01-01\"}, \"v\": {\"min\": 0.1}}\n");
  EXPECT_EQ(out_of({"min", "--columns", "at,v", "--json", "--where", "v < 1", x}, ""),
            "{\"min\": {\"at\": \"2024-01-01\", \"v\": 0.1}}\n");
  const std::string to = folder.path("to.csv");
  out_of({"count,max", "--columns", "at,v", "--output", to, x}, "");
  EXPECT_EQ(read_file(to), "column,count,max\nat,3,2024-01-05\nv,3,1\n");
  expect_refusal({"std", "--columns", "at,v", x}, ErrorCode::bad_token, "is not a number");
  expect_refusal({"max,std", "--columns", "at,v", x}, ErrorCode::bad_option,
                 "std does not apply to columns of times");
  expect_refusal({"max", "--columns", "at,v", "--by", "who", "--top", "1", x},
                 ErrorCode::bad_option, "--top");
}

// A table whose states do not fit holds only the words that some column uses.
TEST(WideTables, AreFoldedInBoundedMemory) {
  const Folder folder;
  constexpr int n = 200000;
  std::string text, rows[3];
  for (int k = 0; k < n; ++k) {
    text += (k == 0 ? "c" : ",c") + std::to_string(k);
    for (int r = 0; r < 3; ++r) {
      rows[r] += (k == 0 ? "" : ",") + (k % 7 == r ? std::string("NA") : std::to_string(k) + ".1");
    }
  }
  const std::string x =
      folder.write("x.csv", text + "\n" + rows[0] + "\n" + rows[1] + "\n" + rows[2] + "\n");
  const std::string out = out_of({"sum,count", x}, "");
  EXPECT_NE(out.find("column\tsum\tcount\nc0\t0.2\t2\nc1\t2.2\t2\n"), std::string::npos);
  EXPECT_NE(out.find("\nc199996\t599988.3\t3\n"), std::string::npos) << out.substr(out.size() - 99);
  EXPECT_EQ(out_of({"sum", "--columns", "c199999,c3", x}, ""), "c199999\t399998.2\nc3\t9.3\n");
}

TEST(InfoOfTables, ListsColumnsWhereNoneHoldsNumbers) {
  const Folder folder;
  const std::string x = folder.write("x.csv", "who,at,what\na,2024-01-02,\nb,2024-01-01,y\n"),
                    lines = folder.write("x.jsonl", "{\"a\": \"x\"}\n{\"a\": null}\n");
  EXPECT_EQ(out_of({"info", x}, ""),
            "name\ttype\tshape\tmissing\nwho\ttext\t(2,)\t0\nat\tdate\t(2,)\t0\n"
            "what\ttext\t(2,)\t1\n");
  EXPECT_EQ(out_of({"info", lines}, ""), "name\ttype\tshape\tmissing\na\ttext\t(2,)\t1\n");
}

TEST(MissingColumns, ThatAreExpressionsNameLet) {
  const Folder folder;
  expect_refusal({"sum", "--by", "upper(a)", folder.write("x.csv", "a,b\nx,1\n")},
                 ErrorCode::bad_option, "give it a name with --let 'k = upper(a)'");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
