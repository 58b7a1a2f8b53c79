// The states of tests/format/vectors.json, whose bytes never change, by the one file.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "one_file.hpp"

namespace {

using one_file::Bytes;
using one_file::Kind;
using Json = nlohmann::json;

Bytes bytes_of(const std::string& hex) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}
// Returns the type that a saved state names.
std::string type_of(const Bytes& bytes) {
  std::string type;
  for (std::size_t i = 16; i < bytes.size() && i < 20 && bytes[i] != std::byte{0} &&
                           i < 16 + static_cast<std::size_t>(bytes[8]);
       ++i) {
    type += static_cast<char>(bytes[i]);
  }
  return type;
}

// Each state that a class can hold is loaded, answers, and is saved as it was.
TEST(OneFile, KeepsTheVectorsOfTheFormat) {
  std::ifstream file(ONEFOLD_SOURCE_DIR "/tests/format/vectors.json");
  const Json all = Json::parse(file);
  int held = 0, answers = 0;
  for (const Json& v : all["vectors"]) {
    if (!v.contains("bytes")) continue;
    const Bytes state = bytes_of(v["bytes"]);
    if (state.size() < 20) continue;
    const std::string type = type_of(state);
    for (const Kind kind : {Kind::sum, Kind::var, Kind::moments, Kind::dot}) {
      const Bytes nothing = one_file::gather(kind, type, nullptr, nullptr, 0, one_file::Way::array);
      const auto same = one_file::merged(kind, type, state, nothing);
      SCOPED_TRACE(v["name"].get<std::string>());
      EXPECT_FALSE(same && v.contains("refused"));
      if (!same) continue;
      EXPECT_EQ(*same, state);
      ++held;
      if (!v.contains("answers")) continue;
      for (const auto& [op, answer] : v["answers"].items()) {
        if (op != "sum" && op != "mean" && op != "var" && op != "std" && op != "skewness" &&
            op != "kurtosis" && op != "dot") {
          continue;
        }
        const one_file::Answer ours = one_file::answer(kind, type, state, op, "", 0);
        EXPECT_EQ(ours.overflow, answer[1] == "overflow") << op;
        EXPECT_EQ(ours.bits, std::stoull(answer[2].get<std::string>(), nullptr, 16)) << op;
        ++answers;
      }
    }
  }
  EXPECT_GE(held, 40);
  EXPECT_GE(answers, 100);
}

}  // namespace
