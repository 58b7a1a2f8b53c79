// Kernels as functions of a machine cost nothing on a GPU: CUDA written by hand gives the same
// machine code. Needs NVRTC, but no GPU.
#include <gtest/gtest.h>

#include <cstring>

#include "lab/gpu.hpp"
#include "lab/ladder.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

template <class T>
T at(const std::vector<char>& image, std::size_t offset) {
  T v{};
  if (offset + sizeof v <= image.size()) std::memcpy(&v, image.data() + offset, sizeof v);
  return v;
}

// Section .text.rung of a cubin, a little-endian 64-bit ELF file.
std::string code_of(const std::vector<char>& image) {
  const auto table = at<uint64_t>(image, 40);
  const auto entry = at<uint16_t>(image, 58), count = at<uint16_t>(image, 60);
  const auto offset_of = [&](unsigned k) { return at<uint64_t>(image, table + k * entry + 24); };
  const uint64_t names = offset_of(at<uint16_t>(image, 62));
  for (unsigned k = 0; k < count; ++k) {
    const std::size_t name = names + at<uint32_t>(image, table + k * entry);
    if (name >= image.size() || std::strcmp(image.data() + name, ".text.rung") != 0) continue;
    const auto size = at<uint64_t>(image, table + k * entry + 32);
    return {image.data() + offset_of(k), size};
  }
  return "";
}

std::string code_of(const std::string& source, const char* chip) {
  const auto r = jit::Nvrtc::get().compile(source, chip, gpu_headers());
  EXPECT_FALSE(r.image.empty()) << r.log << source;
  return code_of(r.image);
}

struct Pair {
  const char* rung;
  const char* by_hand;
};

const Pair pairs[] = {{"interleaved_shared", R"(
  __shared__ alignas(16) int s[256];
  const unsigned t = threadIdx.x;
  const Size i = Size(blockIdx.x) * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (unsigned h = 128; h > 0; h /= 2) {
    if (t < h) s[t] = s[t] + s[t + h];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
})"},
                      {"reduction_1", R"(
  __shared__ alignas(16) int s[256];
  const unsigned t = threadIdx.x;
  const Size i = Size(blockIdx.x) * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (t < 128) s[t] += s[t + 128];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) {
    if (t < 32) s[t] += s[t + 32];
    __syncwarp();
    if (t < 16) s[t] += s[t + 16];
    __syncwarp();
    if (t < 8) s[t] += s[t + 8];
    __syncwarp();
    if (t < 4) s[t] += s[t + 4];
    __syncwarp();
    if (t < 2) s[t] += s[t + 2];
    __syncwarp();
    if (t < 1) s[t] += s[t + 1];
    __syncwarp();
  }
  if (t == 0) y[blockIdx.x] = s[0];
})"},
                      {"shuffle_two_level", R"(
  __shared__ alignas(16) int sums[8];
  const unsigned t = threadIdx.x;
  const Size i = Size(blockIdx.x) * 256 + t;
  int v = i < n ? x[i] : 0;
  for (unsigned d = 16; d > 0; d /= 2) v = v + __shfl_down_sync(~0u, v, d);
  if (t % 32 == 0) sums[t / 32] = v;
  __syncthreads();
  if (t < 32) {
    v = t < 8 ? sums[t] : 0;
    for (unsigned d = 4; d > 0; d /= 2) v = v + __shfl_down_sync(~0u, v, d);
  }
  if (t == 0) y[blockIdx.x] = v;
})"},
                      {"reduce_interleaved", R"(
  const unsigned t = threadIdx.x;
  const Size i = Size(blockIdx.x) * blockDim.x + t;
  int* data = input + Size(blockIdx.x) * blockDim.x;
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride && i + stride < n) data[t] += data[t + stride];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = data[0];
})"}};

TEST(MachineCode, OfARungIsThatOfAKernelWrittenByHand) {
  if (!jit::Nvrtc::get().usable()) GTEST_SKIP() << "libnvrtc.so was not found";
  for (const char* chip : {"sm_80", "sm_90", "sm_120"}) {
    for (const Pair& p : pairs) {
      // For the code by hand, and not for ours, this compiler knows after the last warp's steps
      // that if t < 32 is false, t == 0 is false, too: all warps but the first have one jump more.
      if (chip == std::string("sm_120") && p.rung == std::string("reduction_1")) continue;
      const Entry& e = *find_rung(reduce_ladder(), p.rung);
      const std::string by_hand =
          "using Size = unsigned long;\n"
          "extern \"C\" __global__ void __launch_bounds__(256)\n"
          "rung(int* input, int* y, Size n, Size step, unsigned* ticket) {\n"
          "  const int* x = input;\n" +
          std::string(p.by_hand);
      const std::string ours = code_of(gpu_source(e, false, Type::i32, Op::sum, 256), chip);
      EXPECT_FALSE(ours.empty());
      EXPECT_TRUE(ours == code_of(by_hand, chip)) << p.rung << " on " << chip;
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
