// The ways of docs/map.md: lists of functions, each with its file. A file above it, or the header
// beside the function's own file, must name it, and what declares it must be included above.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace ONEFOLD_FILE {

namespace fs = std::filesystem;
const fs::path source = ONEFOLD_SOURCE_DIR;

struct Station {
  std::string function, file;
};

const std::string& text_of(const std::string& file) {
  static std::map<std::string, std::string> texts;
  const auto [at, is_new] = texts.try_emplace(file);
  if (is_new) {
    std::ifstream in(source / file);
    at->second = {std::istreambuf_iterator<char>(in), {}};
  }
  return at->second;
}

// The lists "1. `function` in `file`", each beginning with 1.
std::vector<std::vector<Station>> ways() {
  std::vector<std::vector<Station>> all;
  std::ifstream in(source / "docs/map.md");
  const std::regex entry("^(\\d+)\\. `(\\w+)` in `([\\w./]+)`.*");
  std::smatch found;
  for (std::string line; std::getline(in, line);) {
    if (!std::regex_match(line, found, entry)) continue;
    if (found[1] == "1") all.emplace_back();
    all.back().push_back({found[2], found[3]});
  }
  return all;
}

bool names(const std::string& text, const std::string& function) {
  return std::regex_search(text, std::regex("\\b" + function + "\\b"));
}

// Adds a file and all that it includes.
void follow(const std::string& file, std::set<std::string>& seen) {
  if (!seen.insert(file).second) return;
  const std::string& text = text_of(file);
  const std::regex include("#include \"([^\"]+)\"");
  for (std::sregex_iterator m(text.begin(), text.end(), include), end; m != end; ++m) {
    for (const fs::path& folder : {fs::path(), fs::path(file).parent_path()}) {
      const std::string path = (folder / (*m)[1].str()).lexically_normal().string();
      if (fs::is_regular_file(source / path)) follow(path, seen);
    }
  }
}

TEST(Ways, HaveAtMost14FunctionsAndEnterNoFileTwice) {
  ASSERT_GE(ways().size(), 3u);
  for (const auto& way : ways()) {
    std::set<std::string> files;
    EXPECT_GE(way.size(), 5u) << way[0].file;
    EXPECT_LE(way.size(), 14u) << way[0].file;
    for (const Station& station : way)
      EXPECT_TRUE(files.insert(station.file).second) << station.file;
  }
}

TEST(Ways, FollowCallsAndIncludes) {
  for (const auto& way : ways()) {
    std::set<std::string> seen;
    for (std::size_t k = 0; k < way.size(); ++k) {
      const auto& [function, file] = way[k];
      ASSERT_TRUE(fs::exists(source / file)) << file;
      EXPECT_TRUE(std::regex_search(text_of(file), std::regex("\\b" + function + "\\(")))
          << function << ", " << file;
      if (k > 0) {
        std::vector<std::string> callers;
        for (std::size_t j = 0; j < k; ++j) callers.push_back(way[j].file);
        const std::string beside = fs::path(file).replace_extension(".hpp").string();
        if (beside != file && seen.count(beside) != 0) callers.push_back(beside);
        const auto is_named = [&](const std::string& from) {
          return names(text_of(from), function);
        };
        EXPECT_TRUE(std::any_of(callers.begin(), callers.end(), is_named))
            << "nothing above calls " << function << " of " << file;
        EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), is_named))
            << "nothing above includes a declaration of " << function << " of " << file;
      }
      follow(file, seen);
    }
  }
}

}  // namespace ONEFOLD_FILE
