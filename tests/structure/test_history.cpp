// Rules for commit messages.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace ONEFOLD_FILE {

// What git prints of the source tree; nothing where there is no git, no history or no such commit.
std::optional<std::string> git(const std::string& arguments) {
  const std::string command =
      "git -c safe.directory='*' -C '" ONEFOLD_SOURCE_DIR "' " + arguments + " 2>/dev/null";
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string out;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, n);
  return ::pclose(pipe) == 0 ? std::optional(out) : std::nullopt;
}

// Characters, not bytes.
std::size_t length(const std::string& line) {
  std::size_t n = 0;
  for (const char c : line) n += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return n;
}

// Earlier commits are not checked, because pushed history is not rewritten.
constexpr const char* since = "8b65a2ad5c374db6cc576aafd50d312e33dc9a2d";

TEST(History, HasSubjectsOf72CharactersAtMost) {
  const auto log = git(std::string("log --format=%s ") + since + "..HEAD");
  if (!log) GTEST_SKIP() << "there is no git history here that reaches back to " << since;
  for (std::size_t at = 0; at < log->size();) {
    const std::size_t end = log->find('\n', at);
    const std::string subject = log->substr(at, end - at);
    EXPECT_LE(length(subject), 72u) << subject;
    EXPECT_FALSE(subject.ends_with('.')) << subject;
    at = end + 1;
  }
}

}  // namespace ONEFOLD_FILE
