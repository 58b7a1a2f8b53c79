// Runs the program on a text in a file.
#pragma once

#include <gtest/gtest.h>

#include "cli/out_of.hpp"
#include "cli/refusal.hpp"
#include "io/files.hpp"

namespace onefold::test {

inline Ran run_on(std::vector<std::string> words, const std::string& text,
                  const std::string& name = "t.csv") {
  const Scratch folder;
  words.push_back(folder.write(name, text));
  return run_program(words);
}
inline void expect_refused(const std::vector<std::string>& words, const std::string& text,
                           const std::string& says, const std::string& name = "t.csv") {
  const Ran ran = run_on(words, text, name);
  EXPECT_NE(ran.status, 0) << text << ran.out;
  EXPECT_EQ(ran.out, "") << text;
  EXPECT_NE(ran.error.find(says), std::string::npos) << text << ran.error;
}

}  // namespace onefold::test
