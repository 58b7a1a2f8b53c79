#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "onefold/error.hpp"

namespace ONEFOLD_FILE {

struct Row {
  int status;
  std::string code, meaning;
  friend bool operator==(const Row&, const Row&) = default;
};

const std::map<std::string, Row> rows = {
#define ONEFOLD_ERROR(code, exit_status, meaning) {#code, {exit_status, #code, meaning}},
    ONEFOLD_ERRORS(ONEFOLD_ERROR)
#undef ONEFOLD_ERROR
};

TEST(ErrorTable, HasEachStatusOnceAndBelow126) {
  std::set<int> seen;
  for (const auto& [code, row] : rows) {
    EXPECT_TRUE(seen.insert(row.status).second) << code << " shares its status";
    EXPECT_GT(row.status, 0) << code;
    EXPECT_LT(row.status, 126) << code;
  }
}

TEST(ErrorTable, IsTheOneOfTheDocuments) {
  std::ifstream in(ONEFOLD_SOURCE_DIR "/docs/errors.md");
  std::set<std::string> lines;
  std::size_t table = 0;
  for (std::string line; std::getline(in, line);) {
    lines.insert(line);
    if (line.starts_with("| ") && line[2] >= '0' && line[2] <= '9') ++table;
  }
  EXPECT_EQ(table, rows.size());
  for (const auto& [code, row] : rows) {
    const std::string line =
        "| " + std::to_string(row.status) + " | `" + code + "` | " + row.meaning + " |";
    EXPECT_TRUE(lines.contains(line)) << "docs/errors.md lacks the line\n" << line;
  }
}

}  // namespace ONEFOLD_FILE
