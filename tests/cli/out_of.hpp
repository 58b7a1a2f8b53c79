// What the program prints.
#pragma once

#include <gtest/gtest.h>

#include "cli/program.hpp"

namespace onefold::test {

inline std::string out_of(const std::vector<std::string>& words, const std::string& text) {
  const Ran ran = run_program(words, {.stdin_text = text});
  EXPECT_EQ(ran.status, 0) << ran.error;
  return ran.out;
}

}  // namespace onefold::test
