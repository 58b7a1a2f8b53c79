// Reads a device's memory and does nothing else; folds are compared with it.
#pragma once

namespace bench {

// read8: reads n words of 16 bytes at p, eight in each thread; compiled by jit::Nvrtc.
inline constexpr const char* gpu_reader = R"(
extern "C" __global__ void __launch_bounds__(256)
read8(const uint4* p, unsigned long n, unsigned* out) {
  unsigned a = 0;
  unsigned long t = (blockIdx.x * 256ul + threadIdx.x) / 32;
  uint4 v[8];
  #pragma unroll
  for (int u = 0; u < 8; ++u) v[u] = __ldcs(p + (t * 8 + u) * 32 + threadIdx.x % 32);
  #pragma unroll
  for (int u = 0; u < 8; ++u) a ^= v[u].x ^ v[u].y ^ v[u].z ^ v[u].w;
  if (a == 0x12345678u) *out = a;
}
)";

}  // namespace bench
