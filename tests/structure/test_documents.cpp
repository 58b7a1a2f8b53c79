#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace ONEFOLD_FILE {

namespace fs = std::filesystem;

std::vector<fs::path> documents() {
  std::vector<fs::path> found;
  const fs::path source = ONEFOLD_SOURCE_DIR;
  for (const char* folder :
       {"", "conformance", "packaging", "data", "docs", "docs/course", "docs/decisions",
        "docs/start", "bench", "lab", "python", "tests", "onefold/core", "onefold/engine",
        "onefold/cpu", "onefold/cuda", "onefold/io", "onefold/tables", "onefold/system"}) {
    if (!fs::exists(source / folder)) continue;
    for (const auto& entry : fs::directory_iterator(source / folder)) {
      if (entry.path().extension() == ".md") found.push_back(entry.path());
    }
  }
  return found;
}

// A link is ](target), outside code; those to other sites are left alone.
TEST(Documents, LinkToWhatIsThere) {
  ASSERT_GE(documents().size(), 9u);
  for (const fs::path& document : documents()) {
    std::ifstream in(document);
    bool code = false;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("```")) code = !code;
      if (code) continue;
      for (std::size_t at = line.find("]("); at != std::string::npos;
           at = line.find("](", at + 1)) {
        std::string target = line.substr(at + 2, line.find(')', at) - at - 2);
        target = target.substr(0, target.find('#'));
        if (target.empty() || target.find("://") != std::string::npos) continue;
        EXPECT_TRUE(fs::exists(document.parent_path() / target)) << document << ": " << line;
      }
    }
  }
}

std::vector<std::string> own_files() {
  std::vector<std::string> found;
  const fs::path source = ONEFOLD_SOURCE_DIR;
  for (const char* folder :
       {"onefold", "cli", "lab", "python", "plugins", "single", "tests", "bench", "docs"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source / folder)) {
      if (entry.is_regular_file()) found.push_back("/" + fs::relative(entry, source).string());
    }
  }
  return found;
}

// docs/numerics.md gives each op's formula and types in a row of a table.
TEST(Documents, HaveARowOfNumericsForEveryOp) {
  const fs::path source = ONEFOLD_SOURCE_DIR;
  std::ifstream file(source / "docs/numerics.md");
  std::string rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `")) rows += line.substr(0, line.find('|', 1));
  }
  for (const auto& op : fs::directory_iterator(source / "onefold/core/op")) {
    const std::string name = op.path().stem().string();
    EXPECT_NE(rows.find("`" + name + "`"), std::string::npos) << name << " has no row";
  }
}

// "exact/limbs.hpp" is there if the path of a file ends with it. NAME.hpp stands for any name, and
// what is in <> or generated belongs to others.
TEST(Comments, NameFilesThatAreThere) {
  const std::vector<std::string> files = own_files();
  ASSERT_GT(files.size(), 300u);
  const std::regex code("\\.(hpp|cpp|inl|cuh|cu|def)$");
  const std::regex name("[\\w./<-]*\\w\\.(hpp|cpp|inl|cuh|cu|def|md)\\b");
  for (const std::string& file : files) {
    if (!std::regex_search(file, code)) continue;
    std::ifstream in(ONEFOLD_SOURCE_DIR + file);
    for (std::string line; std::getline(in, line);) {
      const std::size_t at = line.find("// ");
      if (at == std::string::npos) continue;
      const std::string comment = line.substr(at);
      for (std::sregex_iterator m(comment.begin(), comment.end(), name), end; m != end; ++m) {
        const std::string found = m->str();
        if (found[0] == '<' || found.find("NAME") != found.npos) continue;
        if (found.starts_with("generated/")) continue;
        if (m->suffix().str().starts_with(":")) continue;  // a line of somebody's file
        const std::string tail =
            "/" + found.substr(std::min(found.find_first_not_of("./"), found.size()));
        const bool there = std::any_of(files.begin(), files.end(),
                                       [&](const std::string& f) { return f.ends_with(tail); });
        EXPECT_TRUE(there) << file << ": " << comment;
      }
    }
  }
}

}  // namespace ONEFOLD_FILE
