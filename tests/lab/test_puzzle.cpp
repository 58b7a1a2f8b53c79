// Each puzzle is wrong as it is given, and its solution is right.
#include <gtest/gtest.h>

#include "kernel.hpp"
#include "lab/puzzle.hpp"

namespace onefold::lab {
namespace {

const std::string solved = ONEFOLD_SOURCE_DIR "/tests/lab/solved/";

class Puzzles : public testing::TestWithParam<const Puzzle*> {};

TEST_P(Puzzles, AreWrongAsGivenAndRightAsSolved) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const Puzzle& p = *GetParam();
  ASSERT_FALSE(text_of(p).empty());
  const Scratch given(text_of(p), ".cu");
  unsigned wrong = 0;
  for (const PuzzleTry& t : check_puzzle(p, given.path)) wrong += !t.wrong.empty();
  EXPECT_GT(wrong, 0u);
  for (const PuzzleTry& t : check_puzzle(p, solved + std::string(p.name) + ".cu")) {
    EXPECT_EQ(t.wrong, "") << "n " << t.n;
  }
  for (const char* hint : p.hints) EXPECT_NE(hint, nullptr);
}

std::vector<const Puzzle*> each() {
  std::vector<const Puzzle*> list;
  for (const Puzzle& p : puzzles()) list.push_back(&p);
  return list;
}
INSTANTIATE_TEST_SUITE_P(, Puzzles, testing::ValuesIn(each()),
                         [](const auto& i) { return std::string(i.param->name); });

TEST(Puzzle, AreTenAndNameOneAnother) {
  EXPECT_EQ(puzzles().size(), 10u);
  try {
    find_puzzle("chess");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("choose one of bounds, barrier"), std::string::npos);
  }
}

}  // namespace
}  // namespace onefold::lab
