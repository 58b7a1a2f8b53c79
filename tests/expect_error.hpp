// Checks errors.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <string>

#include "onefold/fold.hpp"

namespace onefold::test {

struct Caught {
  ErrorCode code = ErrorCode::ok;
  std::string message;
};

inline Caught caught(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return {e.code(), e.what()};
  }
  return {};
}

// Expects that the call fails with the code, in one line that contains all of `parts`.
inline void expect_error(ErrorCode code, std::initializer_list<const char*> parts,
                         const std::function<void()>& f) {
  const Caught c = caught(f);
  EXPECT_EQ(c.code, code) << name_of(c.code) << " instead of " << name_of(code) << ": "
                          << c.message;
  EXPECT_EQ(c.message.find('\n'), std::string::npos) << c.message;
  for (const char* part : parts) {
    EXPECT_NE(c.message.find(part), std::string::npos) << part << " is not in: " << c.message;
  }
}

}  // namespace onefold::test
