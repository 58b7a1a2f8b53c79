// Tiles of cooperative groups that are larger than a warp: accesses of the tiles' own code are not
// reported, but races of the kernel are.
#include <gtest/gtest.h>

#include "kernel.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

bool has_groups() {
  static const bool there = [] {
    const std::string k = "#include <cooperative_groups.h>\n__global__ void k() {}\n";
    try {
      ptx::compile({.file = "k.cu", .text = k, .compiler = "nvrtc", .kernel = "k"});
      return true;
    } catch (const Error&) {
      return false;
    }
  }();
  return there;
}

// Runs a kernel `k(const int* x, int* y)` of 256 threads that has s, a block b and a tile t of 64.
KernelResult ran(const std::string& body, const std::string& memory, const std::string& arch) {
  const Scratch file(
      "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
      "#include <cooperative_groups/scan.h>\nnamespace cg = cooperative_groups;\n"
      "__global__ void k(const int* x, int* y) {\n  __shared__ int s[256];\n" +
          memory + "  auto t = cg::tiled_partition<64>(b);\n  const int i = b.thread_rank();\n" +
          body + "}\n",
      ".cu");
  KernelOptions o = options(file.path, "k<<<1, 256>>>(x, y)", "x:i32[256]=iota, y:i32[256]=zeros");
  o.compiler = "nvrtc";
  o.arch = arch;
  return run_kernel(o);
}
constexpr const char* own_memory =
    "  __shared__ cg::block_tile_memory<256> m;\n  auto b = cg::this_thread_block(m);\n";
constexpr const char* reserved_memory = "  auto b = cg::this_thread_block();\n";

TEST(KernelGroups, OfSeveralWarpsReduceScanAndShuffle) {
  if (!has_groups()) GTEST_SKIP() << "NVRTC or the headers of cooperative groups are not here";
  const KernelResult r =
      ran("  s[i] = x[i];\n  t.sync();\n  int v = s[i ^ 32];\n  t.sync();\n"
          "  s[i] = cg::inclusive_scan(t, v);\n  t.sync();\n"
          "  v = t.shfl(s[i], 63) + t.any(i == 7) + cg::reduce(t, 1, cg::plus<int>());\n"
          "  if (t.thread_rank() == 0) y[t.meta_group_rank()] = v;\n",
          own_memory, "80");
  EXPECT_EQ(kinds(r), std::vector<std::string>{});
  for (Size tile = 0; tile < 4; ++tile) {
    const int64_t sum = 64 * 64 * static_cast<int64_t>(tile) + 63 * 32;
    EXPECT_EQ(element(r, "y", tile), sum + (tile == 0 ? 1 : 0) + 64) << tile;
  }
}

// The launch provides the tiles' memory, at %reserved_smem_offset_1.
TEST(KernelGroups, OfSeveralWarpsHideNoRaceOfTheKernel) {
  if (!has_groups()) GTEST_SKIP() << "NVRTC or the headers of cooperative groups are not here";
  const KernelResult r =
      ran("  s[i] = 0;\n  b.sync();\n  s[i] = x[i];\n  t.sync();\n  int v = s[(i + 64) % 256];\n"
          "  y[i] = cg::reduce(t, v, cg::plus<int>());\n",
          reserved_memory, "90");
  EXPECT_EQ(kinds(r), std::vector<std::string>{"race"});
  EXPECT_EQ(r.report.flaws.size(), 1u);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
