// Runs a request, and expects that the simulated machine finds no flaw.
#pragma once

#include <algorithm>
#include <string>

#include "driver/device.hpp"

namespace onefold::test {

struct FoldCase {
  const char* ops;
  DType dtype;
  bool initial = false;  // whether all ops of the case take one
};

class Requests : public testing::TestWithParam<FoldCase> {
 protected:
  void SetUp() override { control().flaws = ""; }
  void TearDown() override { EXPECT_EQ(control().flaws, ""); }
};

// A name for the test.
template <class Case>
std::string in_words(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.ops;
  std::replace(name.begin(), name.end(), ',', '_');
  name += "_" + std::string(name_of(info.param.dtype));
  if constexpr (requires { info.param.shape; }) {
    for (const int64_t extent : info.param.shape) name += "_" + std::to_string(extent);
  }
  return name;
}

}  // namespace onefold::test
