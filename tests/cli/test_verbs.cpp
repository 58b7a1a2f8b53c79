// describe, explain, info, bench, help, --version.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

using nlohmann::ordered_json;

TEST(DescribeVerb, ShowsEveryStatistic) {
  const Ran ran = run_program({"describe"}, {.stdin_text = "3 -4 0 -0 12\n"});
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_EQ(ran.out,
            "count\t5\nnan\t0\ninf\t0\nzeros\t2\nsum\t11\nmean\t2.2\nstd\t5.3814496188294845\n"
            "var\t28.96\nmin\t-4\nargmin\t1\nmax\t12\nargmax\t4\nnorm1\t19\nnorm2\t13\n");
}

TEST(DescribeVerb, ShowsTheStatusOfWhatHasNoValueAndSucceeds) {
  const Ran ran = run_program({"describe"}, {.stdin_text = ""});
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_NE(ran.out.find("mean\tnan\n"), std::string::npos);
  EXPECT_NE(ran.out.find("min\tempty_input\n"), std::string::npos);
  const auto json = ordered_json::parse(run_program({"describe", "--json"}).out);
  EXPECT_EQ(json["min"]["status"], "empty_input");
  EXPECT_EQ(json["sum"], 0.0);
}

TEST(DescribeVerb, ShowsOverflowInItsCellOnly) {
  const Folder folder;
  const int64_t most = INT64_MAX;
  const std::string file = folder.write("x.bin", bytes_of_list<int64_t>({most, most}));
  const Ran ran = run_program({"describe", "--dtype", "i64", file});
  EXPECT_EQ(ran.status, 0);
  EXPECT_NE(ran.out.find("sum\toverflow\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("max\t9223372036854775807\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("norm1\t18446744073709551614\n"), std::string::npos) << ran.out;
}

TEST(DescribeVerb, RoundsToF64ButMinAndMaxKeepTheirType) {
  const Folder folder;
  const std::string file = folder.write("x.bin", bytes_of_list<float>({0.1f, 0.2f}));
  const auto json =
      ordered_json::parse(run_program({"describe", "--json", "--dtype", "f32", file}).out);
  EXPECT_EQ(json["sum"], 0.1f + static_cast<double>(0.2f));
  EXPECT_EQ(json["min"].dump(), "0.1");
  EXPECT_EQ(json["max"].dump(), "0.2");
}

TEST(DescribeVerb, ShowsALineForEachColumn) {
  const Ran ran = run_program({"describe", "--axis", "0"}, {.stdin_text = "1 2\n3 5\n"});
  EXPECT_EQ(ran.out,
            "index\tcount\tnan\tinf\tzeros\tsum\tmean\tstd\tvar\tmin\targmin\tmax\targmax\tnorm1\t"
            "norm2\n"
            "0\t2\t0\t0\t0\t4\t2\t1\t1\t1\t0\t3\t1\t4\t3.1622776601683795\n"
            "1\t2\t0\t0\t0\t7\t3.5\t1.5\t2.25\t2\t0\t5\t1\t7\t5.385164807134504\n");
}

TEST(DescribeVerb, ShowsColumnsOfATableByStatistics) {
  const Ran ran =
      run_program({"describe", "--nan", "omit"}, {.stdin_text = "city,t,n\na,1.5,1\nb,NA,3\n"});
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_EQ(ran.out,
            "column\tcount\tnan\tinf\tzeros\tsum\tmean\tstd\tvar\tmin\targmin\tmax\targmax\tnorm1\t"
            "norm2\n"
            "t\t1\t1\t0\t0\t1.5\t1.5\t0\t0\t1.5\t0\t1.5\t0\t1.5\t1.5\n"
            "n\t2\t0\t0\t0\t4\t2\t1\t1\t1\t0\t3\t1\t4\t3.1622776601683795\n");
  EXPECT_EQ(ran.error, "onefold: a column without numbers is left out: city\n");
}

TEST(DescribeVerb, FollowsNanPolicyAndDdof) {
  const auto json = ordered_json::parse(
      run_program({"describe", "--json", "--nan", "omit", "--ddof", "1"}, {.stdin_text = "1 nan 3"})
          .out);
  EXPECT_EQ(json["count"], 2);
  EXPECT_EQ(json["nan"], 1);
  EXPECT_EQ(json["var"], 2.0);
  const Ran raise = run_program({"describe", "--nan", "raise"}, {.stdin_text = "1 nan 3"});
  EXPECT_EQ(raise.status, 0);
  EXPECT_NE(raise.out.find("sum\tnan_found\n"), std::string::npos) << raise.out;
  EXPECT_NE(raise.out.find("nan\t1\n"), std::string::npos) << raise.out;
}

TEST(ExplainVerb, ShowsThePlan) {
  const Folder folder;
  const std::string file = folder.write("x.npy", npy("<f4", "(4, 5)", std::string(80, '\0')));
  const auto json =
      ordered_json::parse(run_program({"explain", "mean,var", "--axis", "0", "--json", file}).out);
  EXPECT_EQ(json["ops"], (std::vector<std::string>{"mean", "var"}));
  EXPECT_EQ(json["files"], (std::vector<std::string>{file}));
  EXPECT_EQ(json["format"], "npy");
  EXPECT_EQ(json["dtype"], "f32");
  EXPECT_EQ(json["shape"], (std::vector<int>{4, 5}));
  EXPECT_EQ(json["answer_shape"], (std::vector<int>{5}));
  EXPECT_EQ(json["bytes"], 80);
  EXPECT_EQ(json["passes"], 1);
  EXPECT_EQ(json["strips"], 1);
  EXPECT_EQ(json["gathers"], (std::vector<std::string>{"sum", "sumsq", "tally"}));
  EXPECT_FALSE(json["feeds"].empty());
  EXPECT_EQ(json["tier"].get<std::string>().find("exact words"), 0u);  // columns of a file
  const std::string rows = run_program({"explain", "mean,var", "--axis", "1", file}).out;
  EXPECT_NE(rows.find("\ntier          certificate: "), std::string::npos) << rows;
  const std::string empty = folder.write("empty.npy", npy("<f8", "(0, 3)", ""));
  EXPECT_NE(run_program({"explain", "sum", empty}).out.find("bytes         0 bytes\n"),
            std::string::npos);
  const Ran text = run_program({"explain", "describe", file, "--target", "portable"});
  EXPECT_EQ(text.status, 0) << text.error;
  EXPECT_NE(text.out.find("\ntarget        portable: requested\n"), std::string::npos) << text.out;
}

TEST(ExplainVerb, SaysThatTheShapeOfTextIsNotKnownYet) {
  const auto json = ordered_json::parse(
      run_program({"explain", "sum", "--json"}, {.stdin_text = "1 2\n3 4\n"}).out);
  EXPECT_EQ(json["format"], "text");
  EXPECT_TRUE(json["shape"].is_null());
  EXPECT_FALSE(json.contains("answer_shape"));
}

TEST(ExplainVerb, SaysWhyAFoldGoesByStrips) {
  const Folder folder;
  const std::string file = folder.write("x.bin", "");
  ASSERT_EQ(::truncate(file.c_str(), 40'000'000), 0);
  const std::vector<std::string> arguments{"explain",    "sum",    "--dtype", "u8", "--shape",
                                           "4x10000000", "--axis", "0",       file};
  const Ran ran = run_program(arguments);
  EXPECT_NE(ran.out.find(" strips of columns, because the states"), std::string::npos) << ran.out;
}

TEST(InfoVerb, SaysWhatThereIsAndWhyCudaIsNot) {
  const Ran ran = run_program({"info", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.error;
  const auto json = ordered_json::parse(ran.out);
  EXPECT_EQ(json["devices"], (std::vector<std::string>{"cpu"}));
  EXPECT_NE(json["cuda"].get<std::string>().find("cannot be used"), std::string::npos);
  EXPECT_GE(json["threads"], 1);
  EXPECT_EQ(json["instruction_sets"].back(), "portable");
  EXPECT_NE(run_program({"info"}).out.find("(used)"), std::string::npos);
}

TEST(InfoVerb, NamesWhatCannotBeReadHereAndWhatToInstall) {
  const Folder folder;
  folder.write("libblosc.so.1", "no library");
  const Surroundings without{
      .environment = {"ONEFOLD_ARROW_PLUGIN=/nowhere/x.so", "LD_LIBRARY_PATH=" + folder.path("")}};
  const auto json = ordered_json::parse(run_program({"info", "--json"}, without).out);
  const auto& lacks = json["unreadable"];
  for (const char* name : {"arrow", "parquet"}) {
    EXPECT_NE(lacks[name].get<std::string>().find("pip can install pyarrow"), std::string::npos);
    EXPECT_EQ(std::count(json["formats"].begin(), json["formats"].end(), name), 0) << name;
  }
  EXPECT_NE(lacks["zarr by blosc"].get<std::string>().find("install libblosc1"), std::string::npos);
  for (const char* name : {"npy", "text", "netcdf", "zarr"}) {
    EXPECT_EQ(std::count(json["formats"].begin(), json["formats"].end(), name), 1) << name;
  }
  const std::string text = run_program({"info"}, without).out;
  EXPECT_NE(text.find(" parquet: onefold_arrow.so"), std::string::npos) << text;
}

TEST(Info, NamesWhatIsInsideFiles) {
  const Folder folder;
  const std::string array = folder.write("x.npy", npy("<f4", "(2, 3)", std::string(24, '\0')));
  EXPECT_EQ(run_program({"info", array}).out, "name\ttype\tshape\tmissing\n-\tf32\t(2, 3)\t-\n");
  const std::string table = folder.write("t.csv", "city,a b,sold\nOslo,1,\n\"Bern, CH\",NA,2\n");
  EXPECT_EQ(run_program({"info", table}).out,
            "name\ttype\tshape\tmissing\ncity\ttext\t(2,)\t-\na b\tf64\t(2,)\t1\n"
            "sold\tf64\t(2,)\t1\n");
  const std::string numbers = folder.write("n.txt", "1 2 3\n4 5 6\n");
  const auto parsed =
      nlohmann::json::parse(run_program({"info", "--json", numbers}).out)["contents"][0];
  EXPECT_EQ(parsed["shape"], nlohmann::json::array({2, 3}));
  EXPECT_TRUE(parsed["missing"].is_null());
  EXPECT_TRUE(run_program({"info", numbers, array}).out.starts_with("file\tname"));
  const Ran bad = run_program({"info", folder.write("bad", "1 two\n")});
  EXPECT_EQ(bad.status, 35);
}

// For example a file of another user, or a name that does not exist.
TEST(InfoVerb, NeedNotSeeTheFolderOfKernels) {
  const std::string name = "/tmp/" + std::string(5000, 'k');
  const Ran ran = run_program({"info", "--json"}, {.environment = {"ONEFOLD_CACHE=" + name}});
  EXPECT_EQ(ran.error, "");
  EXPECT_NE(ran.out.find(name + "\", \"files\": 0, \"used\": false}"), std::string::npos);
}

TEST(ManVerb, TellsEveryVerbOptionAndOp) {
  const Ran ran = run_program({"man"});
  EXPECT_EQ(ran.status, 0) << ran.error;
  for (const char* word :
       {".TH ONEFOLD 1", "\n.SS describe FILE...", "\n.B \\-\\-bad\\-lines error|skip",
        "\n.B norm2\n", "\n.B 35 bad_token\n"}) {
    EXPECT_NE(ran.out.find(word), std::string::npos) << word;
  }
}

TEST(ManVerb, HasAPageForEachVerb) {
  for (const auto& file : std::filesystem::directory_iterator(ONEFOLD_SOURCE_DIR "/cli/verb")) {
    const std::string verb = file.path().stem().string();
    const Ran ran = run_program({"man", verb.c_str()});
    EXPECT_EQ(ran.status, 0) << verb << ran.error;
    EXPECT_NE(ran.out.find("\nonefold\\-" + verb + " \\- "), std::string::npos) << verb;
    EXPECT_NE(ran.out.find("\n.SS Help\n.TP\n.B \\-\\-help\n"), std::string::npos) << verb;
  }
  EXPECT_EQ(run_program({"man", "desc"}).status, 2);
  EXPECT_EQ(run_program({"man", "fold", "gather"}).status, 2);
}

TEST(Version, IsPrinted) {
  const Ran ran = run_program({"--version"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out.substr(0, 8), "onefold ");
  for (const char* word : {"-V", "version"}) EXPECT_EQ(run_program({word}).out, ran.out) << word;
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
