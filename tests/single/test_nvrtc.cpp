// The files of single/ under NVRTC, which has no standard headers.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "onefold/system/jit/nvrtc.hpp"

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Compiles a file of tests/single with all files of single/.
void expect_to_compile(const char* name, const char* kernel) {
  using onefold::jit::Nvrtc;
  if (!Nvrtc::get().usable()) {
    GTEST_SKIP() << "NVRTC was not found: " << Nvrtc::get().library().why;
  }
  const std::string folder = ONEFOLD_SOURCE_DIR;
  const std::string kernels = text_of(folder + "/tests/single/" + name);
  std::vector<std::string> names, texts;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/single")) {
    const std::string extension = entry.path().extension();
    if (extension != ".hpp" && extension != ".cuh") continue;
    names.push_back(entry.path().filename());
    texts.push_back(text_of(entry.path()));
  }
  std::vector<onefold::jit::Header> headers;
  for (std::size_t k = 0; k < names.size(); ++k) {
    headers.push_back({names[k].c_str(), texts[k].c_str()});
  }
  for (const int way : {0, 1, 2}) {  // in way 2 windows are integers
    const std::string options[] = {
        way == 1 ? "--std=c++20" : "--std=c++17",
        std::string("--gpu-architecture=compute_") + (way == 2 ? "89" : "90")};
    const auto result = Nvrtc::get().to_ptx(kernels, name, options, headers, "");
    EXPECT_NE(result.ptx.find(kernel), std::string::npos) << result.log;
    EXPECT_EQ(result.log.find("warning"), std::string::npos) << result.log;
  }
}

TEST(OneFile, CompilesUnderNvrtc) { expect_to_compile("device.cu", "gather_floats"); }
TEST(BlockSum, CompilesUnderNvrtc) { expect_to_compile("block.cu", "bf16_256"); }
TEST(WarpSum, CompilesUnderNvrtc) { expect_to_compile("warp.cu", "bf16_rows32"); }
TEST(Cells, CompilesUnderNvrtc) { expect_to_compile("cells.cu", "f64_add_shared"); }

}  // namespace
