// Folders of tables, and the columns that their names spell.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.hpp"
#include "onefold/error.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

class Folders : public ::testing::Test {
 protected:
  std::string write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder.path(path)).parent_path());
    return folder.write(path, text);
  }
  Ran run(std::vector<std::string> words) const {
    words.push_back(folder.path("t"));
    return run_program(words);
  }
  std::string out_of(const std::vector<std::string>& words) const {
    const Ran ran = run(words);
    EXPECT_EQ(ran.status, 0) << ran.error;
    return ran.out;
  }
  void write_years() const {
    write("t/year=2023/month=01/a.csv", "x,k\n1,a\n2,b\n");
    write("t/year=2024/month=02/a.csv", "x,k\n3,a\n");
    write("t/year=2024/month=10/b.csv", "x,k\n4,b\n5,b\n");
  }
  Folder folder;
};

TEST_F(Folders, StandForTheTablesInThem) {
  write_years();
  EXPECT_EQ(out_of({"sum"}), "15\n");
  write("t/_SUCCESS", "");
  write("t/.hidden/c.csv", "no table");
  write("t/notes.txt", "no table");
  write("t/year=2025/_temporary/d.csv", "no table");
  EXPECT_EQ(out_of({"sum"}), "15\n");
  EXPECT_EQ(out_of({"argmax"}), "4\n");  // in the order of their paths
}

TEST_F(Folders, SpellColumns) {
  write_years();
  EXPECT_EQ(out_of({"sum", "--by", "year", "--columns", "x"}), "year\tsum\n2023\t3\n2024\t12\n");
  EXPECT_EQ(out_of({"sum", "--by", "month,k"}),
            "month\tk\tsum\n1\ta\t1\n1\tb\t2\n2\ta\t3\n10\tb\t9\n");
  EXPECT_EQ(out_of({"sum", "--where", "year == 2024 and month > 2"}), "9\n");
  EXPECT_EQ(out_of({"mean", "--columns", "month"}), "4.8\n");
  EXPECT_EQ(out_of({"max", "--let", "y = x + year * 10", "--columns", "y"}), "20245\n");
  EXPECT_EQ(out_of({"text", "nunique", "--columns", "k", "--by", "year"}),
            "year\tnunique\n2023\t2\n2024\t2\n");
}

// A link to a folder that holds it leads to no other files.
TEST_F(Folders, AreReadOnceIfALinkLeadsBack) {
  namespace fs = std::filesystem;
  write("t/k=a/a.csv", "x\n1\n");
  fs::create_directory_symlink(".", folder.path("t/k=a/self"));
  fs::create_directory_symlink("..", folder.path("t/k=a/up"));
  EXPECT_EQ(out_of({"count"}), "1\n");
  write("elsewhere/b.csv", "x\n2\n");
  fs::create_directory_symlink("../elsewhere", folder.path("t/k=b"));
  fs::create_directory_symlink("../t", folder.path("elsewhere/back"));
  EXPECT_EQ(out_of({"sum", "--columns", "x"}), "3\n");
  fs::create_symlink("b.csv", folder.path("elsewhere/latest.csv"));
  const Ran ran = run({"sum", "--columns", "x"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.error.find("latest.csv are the same file, because one is a link"),
            std::string::npos)
      << ran.error;
}

TEST_F(Folders, HoldTablesWhoseNamesAreInCapitalsAndNoLinksToNothing) {
  write("t/a.csv", "x\n1\n");
  write("t/B.CSV", "x\n2\n");
  EXPECT_EQ(out_of({"sum", "--columns", "x"}), "3\n");
  std::filesystem::create_symlink("/nonexistent/c.csv", folder.path("t/c.csv"));
  const Ran ran = run({"sum", "--columns", "x"});
  EXPECT_EQ(ran.status, exit_status(ErrorCode::cannot_open));
  EXPECT_NE(ran.error.find("c.csv is a link to a file that does not exist"), std::string::npos)
      << ran.error;
}

TEST_F(Folders, OfTablesWithALogAreRefused) {
  for (const char* log : {"_delta_log/0.json", ".hoodie/hoodie.properties",
                          "metadata/version-hint.text", "metadata/v1.metadata.json"}) {
    write("t/a.csv", "x\n1\n");
    const std::string file = write(std::string("t/") + log, "");
    const Ran ran = run({"sum"});
    EXPECT_NE(ran.status, 0) << log;
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.error.find("says which files belong to it"), std::string::npos) << ran.error;
    std::filesystem::remove_all(folder.path("t"));
  }
}

TEST_F(Folders, SpellTextsIfOneValueIsNoNumber) {
  write("t/at=1/a.csv", "x\n1\n");
  write("t/at=N%20W/a.csv", "x\n2\n");
  write("t/at=__HIVE_DEFAULT_PARTITION__/a.csv", "x\n4\n");
  EXPECT_EQ(out_of({"sum", "--by", "at"}), "at\tsum\n1\t1\nN W\t2\nnull\t4\n");
  EXPECT_EQ(out_of({"sum", "--where", "at == 'N W'"}), "2\n");
  EXPECT_EQ(out_of({"sum", "--where", "at is null"}), "4\n");
}

TEST_F(Folders, SpellLongNumbersAsTheyAre) {
  write("t/id=9007199254740993/a.csv", "x\n1\n");
  write("t/id=9007199254740992/a.csv", "x\n2\n");
  EXPECT_EQ(out_of({"sum", "--by", "id"}), "id\tsum\n9007199254740992\t2\n9007199254740993\t1\n");
}

TEST_F(Folders, LeaveColumnsOfTheFilesAsTheyAre) {
  write("t/year=1/a.csv", "x,year\n1,2023\n2,2024\n");
  EXPECT_EQ(out_of({"sum", "--by", "year"}), "year\tsum\n2023\t1\n2024\t2\n");
}

TEST_F(Folders, WithoutTablesAreAnError) {
  write("t/a.png", "");
  const Ran ran = run({"sum"});
  EXPECT_EQ(ran.status, exit_status(ErrorCode::cannot_open));
  EXPECT_NE(ran.error.find("the folder contains no tables"), std::string::npos) << ran.error;
}

TEST_F(Folders, SpellNumbersBeyondF64AsTexts) {
  for (const char* beyond : {"1e400", "-1e999", "1e-400"}) {
    write("t/z=" + std::string(beyond) + "/a.csv", "x\n1\n");
  }
  write("t/z=2/a.csv", "x\n2\n");
  EXPECT_NE(run({"max", "--columns", "z"}).status, 0);
  EXPECT_NE(run({"sum", "--columns", "x", "--where", "z == 0"}).status, 0);
  EXPECT_EQ(out_of({"sum", "--columns", "x", "--by", "z"}),
            "z\tsum\n-1e999\t1\n1e-400\t1\n2\t2\n1e400\t1\n");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
