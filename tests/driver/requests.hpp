// Tests a request, in which the simulated machine finds no flaw.
#pragma once

#include <algorithm>
#include <string>

#include "driver/device.hpp"

namespace onefold::test {

struct Request {
  const char* ops;
  DType dtype;
  bool initial = false;  // whether all of them take one
};

class Requests : public testing::TestWithParam<Request> {
 protected:
  void SetUp() override { control().flaws = ""; }
  void TearDown() override { EXPECT_EQ(control().flaws, ""); }
};

// For a test's name.
inline std::string in_words(const testing::TestParamInfo<Request>& info) {
  std::string name = info.param.ops;
  std::replace(name.begin(), name.end(), ',', '_');
  return name + "_" + name_of(info.param.dtype);
}

}  // namespace onefold::test
