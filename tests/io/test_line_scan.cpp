// Parts of a text, scanned apart and joined, say of its lines what one pass over it does.
#include "onefold/io/line_scan.hpp"

#include <gtest/gtest.h>

#include <random>

#include "io/files.hpp"
#include "scaled.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::io;

// The places behind line ends outside of quotes, by the rules of tables, byte by byte.
std::vector<std::size_t> line_begins(const std::string& text, const QuoteRule& rule) {
  std::vector<std::size_t> begins;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted) {
      if (text[i] != '"') continue;
      if (i + 1 < text.size() && text[i + 1] == '"') {
        ++i;
      } else {
        quoted = false;
      }
    } else if (text[i] == '\n') {
      begins.push_back(i + 1);
    } else if (text[i] == '"' && rule.quotes) {
      std::size_t at = i;
      while (rule.delimiter != ' ' && at > 0 && text[at - 1] == ' ') --at;
      const char before = at == 0 ? '\n' : text[at - 1];
      quoted = before == '\n' || before == rule.delimiter ||
               (rule.delimiter == ' ' && (before == '\t' || before == '\r'));
    }
  }
  return begins;
}

TEST(LineScan, OfPartsIsThatOfTheText) {
  const test::Scratch folder;
  std::mt19937 random(3);
  for (int round = 0; round < test::scaled(300); ++round) {
    const QuoteRule rule{.delimiter = ",; "[random() % 3], .quotes = random() % 8 != 0};
    std::string text;
    for (std::size_t n = 1 + random() % 60; n > 0; --n) text += "\"\"\",; \n\na"[random() % 9];
    const std::vector<std::size_t> begins = line_begins(text, rule);
    const File file(folder.write("t", text));
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      SCOPED_TRACE(testing::PrintToString(text) + " cut at " + std::to_string(cut));
      const LineScan before = scan_lines(file, 0, cut, rule, 1);
      const LineScan behind = scan_lines(file, cut, text.size(), rule, 1);
      const auto next = std::upper_bound(begins.begin(), begins.end(), cut);
      const LineScan::From& from = behind.from[before.from[0].end];
      ASSERT_EQ(from.line, next == begins.end() ? TextRange::to_the_end : *next);
      if (next != begins.end()) {
        const auto end = text.begin() + static_cast<std::ptrdiff_t>(*next);
        ASSERT_EQ(before.lines + from.lines, std::count(text.begin(), end, '\n'));
      }
      LineScan joined = before;
      joined.add(behind);
      ASSERT_EQ(joined.from[0].line, begins.empty() ? TextRange::to_the_end : begins[0]);
      ASSERT_EQ(joined.lines, std::count(text.begin(), text.end(), '\n'));
      ASSERT_EQ(joined.unsure, 0);
    }
  }
}
TEST(LineScan, IsThatOfOneThreadForAnyNumberOfThreads) {
  const test::Scratch folder;
  std::mt19937 random(4);
  std::string text;
  while (text.size() < (std::size_t{3} << 20)) {
    text += random() % 3 == 0 ? "\"a\n\"\"b\",1\n" : "a,\"b\",\"\n\"\n";
  }
  const File file(folder.write("t", text));
  const QuoteRule rule;
  const std::size_t end = text.size() - 7;
  const LineScan one = scan_lines(file, 5, end, rule, 1), many = scan_lines(file, 5, end, rule, 3);
  EXPECT_EQ(one.lines, many.lines);
  for (std::size_t s = 0; s < one.from.size(); ++s) {
    EXPECT_EQ(one.from[s].end, many.from[s].end) << s;
    EXPECT_EQ(one.from[s].line, many.from[s].line) << s;
    EXPECT_EQ(one.from[s].lines, many.from[s].lines) << s;
  }
}
// More blanks before a quote than are read: whether a field begins there is not known.
TEST(LineScan, SaysThatItIsUnsureWhereAFieldBeginsFarBefore) {
  const test::Scratch folder;
  const std::string text = "a" + std::string(10'000, ' ') + "\"\n\"\n";
  const File file(folder.write("t", text));
  EXPECT_NE(scan_lines(file, 9'000, text.size(), {}, 1).unsure, 0);
  EXPECT_EQ(scan_lines(file, 9'000, text.size(), {.delimiter = ' '}, 1).unsure, 0);
}

}  // namespace ONEFOLD_FILE
