#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> documents() {
  std::vector<fs::path> found;
  const fs::path source = ONEFOLD_SOURCE_DIR;
  for (const char* folder : {"", "data", "docs", "docs/course", "docs/decisions", "bench", "lab"}) {
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

}  // namespace
