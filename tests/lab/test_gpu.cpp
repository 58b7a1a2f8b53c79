// Kernels on a GPU: they compile if NVRTC is installed, and run if there is a GPU.
#include <gtest/gtest.h>

#include "lab/gpu.hpp"
#include "lab/ladder.hpp"
#include "lab/plugin.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::lab;

// The rungs that are kernels or calls of libraries.
std::vector<const Entry*> rungs_of_a_gpu() {
  std::vector<const Entry*> list;
  for (const Entry* e : reduce_ladder()) {
    if (e->has_kernel() || e->queue != nullptr) list.push_back(e);
  }
  return list;
}

bool is_there(const Entry& e) {
  return e.has_kernel() || e.host_kernel != nullptr || why_no_cub().empty();
}

constexpr const char* no_text = "a library's call has no text";

class EveryRung : public testing::TestWithParam<const Entry*> {};

TEST_P(EveryRung, CompilesForAGpuWithoutSpills) {
  if (!GetParam()->has_kernel()) GTEST_SKIP() << no_text;
  const auto& nvrtc = jit::Nvrtc::get();
  if (!nvrtc.usable()) GTEST_SKIP() << "NVRTC was not found: " << nvrtc.library().why;
  const std::vector<jit::Header> headers = gpu_headers();
  const std::vector<std::string> verbose{"--ptxas-options=-v"};
  for (const bool twin : {false, true}) {
    if (twin && !GetParam()->has_twin) continue;
    const auto cubin = nvrtc.compile(gpu_source(*GetParam(), twin, Type::i32, Op::sum, 256),
                                     "sm_90", headers, verbose);
    EXPECT_FALSE(cubin.image.empty()) << cubin.log;
    EXPECT_NE(cubin.log.find("0 bytes spill stores"), std::string::npos) << cubin.log;
  }
}

TEST_P(EveryRung, CompilesForAGpuForEveryTypeAndOpThatItHas) {
  if (!GetParam()->has_kernel()) GTEST_SKIP() << no_text;
  const auto& nvrtc = jit::Nvrtc::get();
  if (!nvrtc.usable()) GTEST_SKIP() << "NVRTC was not found: " << nvrtc.library().why;
  const std::vector<jit::Header> headers = gpu_headers();
  for (const Type type : {Type::i32, Type::i64, Type::f32, Type::f64}) {
    for (const Op op : {Op::sum, Op::min, Op::max}) {
      if (GetParam()->kernel(type, op, 256, false) == nullptr) continue;
      const auto cubin =
          nvrtc.compile(gpu_source(*GetParam(), false, type, op, 256), "sm_90", headers);
      EXPECT_FALSE(cubin.image.empty()) << cubin.log;
    }
  }
}

// So few elements that compute-sanitizer can run them.
TEST_P(EveryRung, IsRightOnAGpuAtASmallLength) {
  if (!jit::Driver::get().usable()) GTEST_SKIP() << jit::Driver::get().why();
  if (!is_there(*GetParam())) GTEST_SKIP() << why_no_cub();
  static GpuMachine gpu;
  const Setting setup{.n = 5003, .block = 128, .grid = 7};
  gpu.take_input(elements(setup.n, 1), setup);
  const auto timed = gpu.run(*GetParam(), false, setup, 0);
  ASSERT_TRUE(timed);
  EXPECT_TRUE(timed->outcome.correct);
}

TEST_P(EveryRung, IsRightOnAGpu) {
  if (!jit::Driver::get().usable()) GTEST_SKIP() << jit::Driver::get().why();
  if (!is_there(*GetParam())) GTEST_SKIP() << why_no_cub();
  static GpuMachine gpu;
  for (const Size n : {Size{1}, Size{33}, Size{1000}, (Size{1} << 20) + 3}) {
    const std::vector<int32_t> x = elements(n, 1);
    for (const Type type : {Type::i32, Type::i64, Type::f32, Type::f64}) {
      Setting setup{.type = type, .n = n, .grid = 64};
      gpu.take_input(x, setup);
      for (const unsigned block : {32u, 256u, 1024u}) {
        setup.block = block;
        const auto timed = gpu.run(*GetParam(), false, setup, 0);
        if (timed) {
          EXPECT_TRUE(timed->outcome.correct)
              << "n " << n << ", block " << block << ", type " << static_cast<int>(type);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gpu, EveryRung, testing::ValuesIn(rungs_of_a_gpu()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace ONEFOLD_FILE
