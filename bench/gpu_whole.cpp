// Compares folds of whole arrays on a device with the best plain read of the same memory.
//
//   bench/gpu_whole [--gib 4] [--only sum:f32,min:bf16] [--data normal,lognormal3,bits,...]
//                   [--replays 9] [--output FILE.json] [--misaligned BYTES] [--offset 1]
//                   [--digits 1]
//
// --misaligned moves the second array of dot by so many bytes, --offset moves all arrays by so many
// elements. --digits 1 folds as on chips with few FP64 lanes.
// A figure is the median of graph replays over inputs much larger than the cache.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness.hpp"
#include "onefold/cuda/engine.hpp"
#include "onefold/onefold.hpp"
#include "onefold/planned.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace {

using namespace onefold;

// Readers and generators: the baselines, compiled like our own kernels.
constexpr const char* source = R"(
template <int U> __device__ void read(const uint4* p, unsigned long n, unsigned* out) {
  unsigned long stride = (unsigned long)gridDim.x * blockDim.x;
  unsigned a = 0;
  for (unsigned long t = (blockIdx.x * (unsigned long)blockDim.x + threadIdx.x) / 32; t * 32 * U < n;
       t += stride / 32) {
    uint4 v[U];
    #pragma unroll
    for (int u = 0; u < U; ++u) v[u] = __ldcs(p + (t * U + u) * 32 + threadIdx.x % 32);
    #pragma unroll
    for (int u = 0; u < U; ++u) a ^= v[u].x ^ v[u].y ^ v[u].z ^ v[u].w;
  }
  if (a == 0x12345678u) *out = a;
}
extern "C" __global__ void __launch_bounds__(256) read4(const uint4* p, unsigned long n, unsigned* o) { read<4>(p, n, o); }
extern "C" __global__ void __launch_bounds__(256) read8(const uint4* p, unsigned long n, unsigned* o) { read<8>(p, n, o); }
__device__ unsigned long mix(unsigned long x) {
  x += 0x9E3779B97F4A7C15ul; x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ul;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBul; return x ^ (x >> 31);
}
// kind 0: N(0,1), 1: exp(3 N(0,1)), 2: random bits without NaN and infinities, 3: U(0,1), 4: N(0,1)
// with 1e12 times as much in 1 of 1000.
// type 0: f64, 1: f32, 2: f16, 3: bf16, 4: bytes as they come
extern "C" __global__ void fill(void* p, unsigned long n, int type, int kind) {
  unsigned long stride = (unsigned long)gridDim.x * blockDim.x;
  for (unsigned long i = blockIdx.x * (unsigned long)blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned long h = mix(2 * i), g = mix(2 * i + 1);
    if (type == 4) { ((unsigned char*)p)[i] = h; continue; }
    double u = ((h >> 11) + 0.5) * 0x1p-53, v = ((g >> 11) + 0.5) * 0x1p-53;
    double x = sqrt(-2 * log(u)) * cospi(2 * v);
    if (kind == 1) x = exp(3 * x);
    if (kind == 3) x = u;
    if (kind == 4 && mix(h) % 1000 == 0) x *= 1e12;
    if (type == 0) {
      if (kind == 2 && (h >> 52 & 2047) == 2047) h ^= 1ul << 62;
      ((unsigned long*)p)[i] = kind == 2 ? h : (unsigned long)__double_as_longlong(x);
    } else {
      unsigned w = kind == 2 ? (unsigned)h : __float_as_uint((float)x);
      if ((w >> 23 & 255) == 255) w ^= 1u << 30;
      if (type == 1) ((unsigned*)p)[i] = w;
      if (type == 3) ((unsigned short*)p)[i] = w >> 16;
      if (type == 2) {
        unsigned short s;
        float f = __uint_as_float(w);
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(s) : "f"(f));
        if (kind == 2 || (s & 0x7c00) == 0x7c00) s = (unsigned short)h, s = (s & 0x7c00) == 0x7c00 ? s ^ 0x4000 : s;
        ((unsigned short*)p)[i] = s;
      }
    }
  }
}
)";

int kind_of_type(DType t) { return t == f64 ? 0 : t == f32 ? 1 : t == f16 ? 2 : t == bf16 ? 3 : 4; }

}  // namespace

int main(int argc, char** argv) {
  using cuda_backend::Engine;
  // The plain read takes whole tiles.
  const Size bytes =
      Size(std::stod(bench::option(argc, argv, "gib", "4")) * double(1 << 30)) / 4096 * 4096;
  const auto list = [&](const char* name, const char* otherwise) {
    std::vector<std::string> items;
    std::istringstream in(bench::option(argc, argv, name, otherwise));
    for (std::string s; std::getline(in, s, ',');) items.push_back(s);
    return items;
  };
  const std::vector<std::string> kinds = {"normal", "lognormal3", "bits", "uniform", "outliers"};
  const std::vector<std::string> data = list("data", "normal");
  const Size misaligned = std::stoul(bench::option(argc, argv, "misaligned", "0"));
  const Size offset = std::stoul(bench::option(argc, argv, "offset", "0"));
  const int replays = std::stoi(bench::option(argc, argv, "replays", "9"));

  jit::Gpu gpu;
  if (bench::option(argc, argv, "digits", "0") != "0") Engine::of(0).few_f64 = true;
  const jit::Gpu::Current current(gpu);
  const auto made = jit::Nvrtc::get().compile(source, gpu.facts().chip);
  if (made.image.empty()) return fmt::print("{}\n", made.log), 1;
  void* module = gpu.load(made.image);
  uint64_t x = gpu.allocate(bytes + 256), y = gpu.allocate(bytes + 256), out = gpu.allocate(512);
  const auto limit_of = [&](Size size) {
    double best = 1e9;
    for (const char* name : {"read4", "read8"}) {
      void* f = gpu.function(module, name);
      for (const unsigned waves : {16u, 32u, 64u}) {
        Size n = size / 16;
        void* args[] = {&x, &n, &out};
        const unsigned grid = waves * unsigned(gpu.facts().multiprocessors);
        best = std::min(
            best,
            gpu.median_ms([&] { gpu.launch(f, {.grid = grid, .block = 256}, args); }, replays));
      }
    }
    return best;
  };
  const double limit = limit_of(bytes);
  fmt::print("{}: plain read {:.0f} GB/s\n", gpu.facts().name, double(bytes) / limit / 1e6);
  nlohmann::json json{{"device", gpu.facts().name},
                      {"bytes", bytes},
                      {"limit_gbps", double(bytes) / limit / 1e6},
                      {"provenance", bench::provenance(argc, argv)}};

  const std::vector<std::string> cases = list(
      "only",
      "sum:f64,sum:f32,sum:bf16,sum:f16,sum:i8,sum:i16,sum:i32,sum:i64,sum:u64,sum:bool,"
      "sumsq:i8,sumsq:i16,sumsq:i32,sumsq:i64,sumsq:f16,sumsq:bf16,sumsq:f32,norm1:f32,"
      "norm1:i8,norm1:bf16,var:i8,var:i32,var:f16,var:bf16,var:f32,var:f64,min:i8,argmin:i8,"
      "max:u16,min:bf16,max:f16,ptp:bf16,min:f32,argmax:f32,max:i32,max:i64,max:f64,argmax:f64,"
      "any:f32,any:i64,count_nonzero:u8,count_nonzero:i16,count_nonzero:bf16,"
      "count_nonzero:f32,count_nonzero:f64,count_nan:f16,count_nan:f32,count_nan:f64,dot:f32,"
      "dot:f64,describe:i8,describe:bf16,describe:f32,describe:f64");
  const std::string describe =
      "count,count_nan,count_inf,count_zero,sum,mean,std,var,min,argmin,max,argmax,norm1,norm2";
  for (const std::string& kind : data) {
    const auto found = std::find(kinds.begin(), kinds.end(), kind);
    if (found == kinds.end()) {
      return fmt::print(stderr, "gpu_whole: data \"{}\"; legal are {}\n", kind,
                        fmt::join(kinds, ", ")),
             1;
    }
    for (const std::string& c : cases) {
      const std::string op = c.substr(0, c.find(':')), type = c.substr(c.find(':') + 1);
      DType t = f64;
      for (int k = 0; k < dtype_count; ++k) {
        if (type == name_of(static_cast<DType>(k))) t = static_cast<DType>(k);
      }
      if (!is_floating(t) && kind != data[0]) continue;
      const bool two = op == "dot";
      Size n = bytes / bytes_of(t);
      int which = int(found - kinds.begin()), type_code = kind_of_type(t);
      Size units = type_code == 4 ? bytes : n;
      void* fill = gpu.function(module, "fill");
      for (uint64_t* p : {&x, &y}) {
        void* args[] = {p, &units, &type_code, &which};
        gpu.launch(fill, {.grid = 4096, .block = 256}, args);
      }
      gpu.synchronize();
      const auto array = [&](uint64_t p) {
        return ArrayRef(reinterpret_cast<void*>(p + offset * bytes_of(t)), t, Dims(n));
      };
      const ArrayRef a = array(x), b = array(y + misaligned);
      const PlannedFold fold(op == "describe" ? describe : op, a, two ? &b : nullptr,
                             {.device = cuda(), .stream = gpu.stream()});
      std::vector<OutputRef> to;
      for (const PlannedFold::Op& answer : fold.ops()) {
        const uint64_t place = out + 16 * to.size();
        to.emplace_back(reinterpret_cast<void*>(place), answer.dtype, Dims(1),
                        reinterpret_cast<Status*>(place + 8));
      }
      fold.into(to);
      gpu.synchronize();
      const double ms = gpu.median_ms([&] { fold.into(to); }, replays);
      const double gbps = double(bytes) * (two ? 2 : 1) / ms / 1e6,
                   share = gbps * limit * 1e6 / double(bytes);
      fmt::print("{:<18} {:<11} {:8.4f} ms {:6.0f} GB/s  {:.3f}\n", c, kind, ms, gbps, share);
      std::fflush(stdout);
      json["cases"].push_back(
          {{"case", c}, {"data", kind}, {"ms", ms}, {"gbps", gbps}, {"share", share}});
    }
  }
  const double again = limit_of(bytes);
  fmt::print("plain read again {:.0f} GB/s\n", double(bytes) / again / 1e6);
  const std::string file = bench::option(argc, argv, "output", "");
  if (!file.empty()) {
    std::FILE* f = std::fopen(file.c_str(), "w");
    fmt::print(f, "{}\n", json.dump(1));
    std::fclose(f);
  }
}
