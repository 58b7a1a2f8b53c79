// Checks that the program refuses something.
#pragma once

#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "onefold/error.hpp"

namespace onefold::test {

// Expects the code's exit status, no answer, and an error that contains `says`.
inline void expect_refusal(const std::vector<std::string>& arguments, ErrorCode code,
                           const std::string& says) {
  const Ran ran = run_program(arguments);
  EXPECT_EQ(ran.status, exit_status(code)) << ran.error;
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.error.find(says), std::string::npos) << ran.error;
}

}  // namespace onefold::test
