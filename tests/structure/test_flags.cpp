// Compiler flags of our own code, on which exactness depends.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace ONEFOLD_FILE {

struct Unit {
  std::string file, command;
};

// The compilations of this build that make up the library.
std::vector<Unit> library_units() {
  std::ifstream in(ONEFOLD_BINARY_DIR "/compile_commands.json");
  std::vector<Unit> units;
  std::string command;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("  \"command\": ")) command = line;
    if (!line.starts_with("  \"file\": ")) continue;
    const bool ours = line.find(ONEFOLD_SOURCE_DIR "/onefold/") != std::string::npos ||
                      line.find(ONEFOLD_BINARY_DIR "/generated/") != std::string::npos;
    if (ours) units.push_back({line, command});
  }
  return units;
}

TEST(Flags, KeepEveryOperationRoundedByItself) {
  ASSERT_GT(library_units().size(), 10u);
  for (const Unit& unit : library_units()) {
    EXPECT_NE(unit.command.find(" -ffp-contract=off "), std::string::npos) << unit.file;
    for (const std::string_view wrong :
         {"-ffast-math", "-Ofast", "-funsafe-math", "-fassociative-math", "-ffp-contract=fast"}) {
      EXPECT_EQ(unit.command.find(wrong), std::string::npos) << wrong << unit.file;
    }
  }
}

TEST(Flags, AskForNoMoreThanTheOldestProcessor) {
  for (const Unit& unit : library_units()) {
    for (const std::string_view wrong : {" -march", " -mavx", " -mfma", " -msse4"}) {
      EXPECT_EQ(unit.command.find(wrong), std::string::npos) << wrong << unit.file;
    }
  }
}

}  // namespace ONEFOLD_FILE
