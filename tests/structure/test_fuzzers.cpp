// The fuzzers, which only `make test-long` builds, have their own list of backends, which must have
// all functions that the library calls.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <string>

namespace ONEFOLD_FILE {

std::string contents(const std::string& path) {
  std::ifstream in(ONEFOLD_SOURCE_DIR "/" + path);
  EXPECT_TRUE(in) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Fuzzers, HaveAListOfBackendsOfTheirOwn) {
  const std::string header = contents("onefold/engine/backend/backend.hpp"),
                    own = contents("tests/fuzz/portable.cpp");
  const std::regex declaration("\n[A-Za-z_:<>* ]+[ *>]([a-z_]+\\()[^;{]*\\);");
  int functions = 0;
  for (std::sregex_iterator it(header.begin(), header.end(), declaration), end; it != end; ++it) {
    EXPECT_NE(own.find(" " + it->str(1)), std::string::npos) << it->str(1) << ") is missing";
    ++functions;
  }
  EXPECT_GE(functions, 1);
}

TEST(Fuzzers, HaveWhatTheFileThatTheyLeaveOutDefines) {
  const std::string left_out = contents("onefold/cpu/small_sum.cpp"),
                    own = contents("tests/fuzz/portable.cpp");
  const std::regex definition("\n(SmallFold<T>\\*|bool) (small_|quick_)([a-z]+)\\(");
  int functions = 0;
  for (std::sregex_iterator it(left_out.begin(), left_out.end(), definition), end; it != end;
       ++it) {
    const std::string name = it->str(2) + it->str(3);
    EXPECT_NE(own.find(" " + name + "("), std::string::npos) << name << " is missing";
    ++functions;
  }
  EXPECT_GE(functions, 4);
}

}  // namespace ONEFOLD_FILE
