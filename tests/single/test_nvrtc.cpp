// onefold_exact.hpp under NVRTC, which has no standard headers.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "jit/nvrtc.hpp"

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(OneFile, CompilesUnderNvrtc) {
  using onefold::jit::Nvrtc;
  if (!Nvrtc::get().usable()) {
    GTEST_SKIP() << "NVRTC was not found: " << Nvrtc::get().library().why;
  }
  const std::string folder = ONEFOLD_SOURCE_DIR;
  const std::string file = text_of(folder + "/single/onefold_exact.hpp"),
                    kernels = text_of(folder + "/tests/single/device.cu");
  const onefold::jit::Header header{"onefold_exact.hpp", file.c_str()};
  for (const char* standard : {"--std=c++17", "--std=c++20"}) {
    const std::string options[] = {standard, "--gpu-architecture=compute_90"};
    const auto result = Nvrtc::get().to_ptx(kernels, "device.cu", options, {&header, 1}, "");
    EXPECT_NE(result.ptx.find("gather_floats"), std::string::npos) << result.log;
    EXPECT_EQ(result.log.find("warning"), std::string::npos) << result.log;
  }
}

}  // namespace
