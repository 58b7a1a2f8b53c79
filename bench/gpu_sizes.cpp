// Measures device time of one call by number of elements, through the public API, with answers left
// on the device: graph replays over inputs rotated through a pool much larger than the cache.
//
//   gpu_sizes [--sizes 10,12,...] [--cases sum:f32,mean+var:f32,...] [--pool 8]
//
// Lines have the same form as those of gpu_peers.cu and gpu_peers.py, so results can be compared.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "harness.hpp"
#include "onefold/onefold.hpp"
#include "onefold/system/jit/cuda.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace {

using namespace onefold;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string s; std::getline(in, s, ',');) parts.push_back(s);
  return parts;
}

DType type_of(const std::string& name) {
  for (int k = 0; k < dtype_count; ++k) {
    if (name == name_of(static_cast<DType>(k))) return static_cast<DType>(k);
  }
  throw Error(ErrorCode::bad_option, "no element type is called " + name);
}

// Floats like N(0,1) of any width, and small integers, as in gpu_peers.cu.
constexpr const char* source = R"(
extern "C" __global__ void fill(void* p, unsigned long n, int bytes, int floating) {
  for (unsigned long i = blockIdx.x * (unsigned long)blockDim.x + threadIdx.x; i < n;
       i += (unsigned long)gridDim.x * blockDim.x) {
    unsigned long h = (i + 1) * 0x9E3779B97F4A7C15ul;
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9ul;
    h ^= h >> 27;
    const double x = ((double)(h & 0xffff) + (double)(h >> 16 & 0xffff) - 65535.0) / 26754.0;
    const float f = (float)x;
    if (floating == 0) {
      if (bytes == 1) ((signed char*)p)[i] = (signed char)(40 * x);
      if (bytes == 2) ((short*)p)[i] = (short)(40 * x);
      if (bytes == 4) ((int*)p)[i] = (int)(40 * x);
      if (bytes == 8) ((long*)p)[i] = (long)(40 * x);
    } else if (bytes == 8) {
      ((double*)p)[i] = x;
    } else if (bytes == 4) {
      ((float*)p)[i] = f;
    } else if (floating == 1) {
      unsigned short s;
      asm("cvt.rn.f16.f32 %0, %1;" : "=h"(s) : "f"(f));
      ((unsigned short*)p)[i] = s;
    } else {
      ((unsigned short*)p)[i] = __float_as_uint(f) >> 16;
    }
  }
}
)";

}  // namespace

int main(int argc, char** argv) try {
  const Size pool_bytes = Size(std::stoul(bench::option(argc, argv, "pool", "8"))) << 30;
  const auto sizes = split(bench::option(argc, argv, "sizes", "10,12,14,16,18,20,22,24,26,28,30"));
  const auto cases =
      split(bench::option(argc, argv, "cases", "sum:f32,max:f32,argmax:f32,sum:f64,sum:i8"));
  if (!jit::Driver::get().usable()) {
    fmt::print(stderr, "gpu_sizes: {}\n", jit::Driver::get().why());
    return 1;
  }
  jit::Gpu gpu;
  const auto made = jit::Nvrtc::get().compile(source, gpu.facts().chip);
  if (made.image.empty()) return fmt::print(stderr, "{}\n", made.log), 1;
  void* const fill = gpu.function(gpu.load(made.image), "fill");
  uint64_t pool = gpu.allocate(pool_bytes);
  const uint64_t out = gpu.allocate(256);
  for (const std::string& c : cases) {
    std::string ops = c.substr(0, c.find(':'));
    std::replace(ops.begin(), ops.end(), '+', ',');
    const DType t = type_of(c.substr(c.find(':') + 1));
    int bytes = static_cast<int>(bytes_of(t));
    int floating = !is_floating(t) ? 0 : t == bf16 ? 2 : 1;
    Size all = pool_bytes / bytes_of(t);
    void* args[] = {&pool, &all, &bytes, &floating};
    gpu.launch(fill, {.grid = 4096, .block = 256}, args);
    gpu.synchronize();
    const Answers once =
        fold(ops, ArrayRef(reinterpret_cast<void*>(pool), t, Dims(4)), {.device = cuda()});
    std::vector<OutputRef> to;
    for (const Answer& a : once.list) {
      const uint64_t place = out + 16 * to.size();
      to.emplace_back(reinterpret_cast<void*>(place), a.dtype, Dims(1),
                      reinterpret_cast<Status*>(place + 8));
    }
    for (const std::string& size : sizes) {
      const Size n = Size{1} << std::stoi(size), input = n * bytes_of(t);
      if (input * 2 > pool_bytes) continue;
      const Size copies = pool_bytes / std::max(input, Size{1} << 20);
      const Size calls = std::min<Size>(copies, input > Size{1} << 28 ? 2 : 24);
      const Size step = pool_bytes / copies / 256 * 256 * (copies / calls);
      const auto queue = [&] {
        for (Size k = 0; k < calls; ++k) {
          fold_into(to, ops, ArrayRef(reinterpret_cast<void*>(pool + k * step), t, Dims(n)),
                    {.device = cuda(), .stream = gpu.stream()});
        }
      };
      queue();
      gpu.synchronize();
      const double us = 1000 * gpu.median_ms(queue, 11) / double(calls);
      fmt::print("onefold {:<14} {:<5} 2^{:<2} {:10.2f} us {:7.0f} GB/s\n", ops, name_of(t), size,
                 us, double(input) / us / 1000);
      std::fflush(stdout);
    }
  }
} catch (const std::exception& e) {
  fmt::print(stderr, "gpu_sizes: {}\n", e.what());
  return 1;
}
