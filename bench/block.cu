// onefold_block.cuh and onefold_cells.cuh on a GPU: checks them, then times them beside a plain
// read, a user's sum of floats with shuffles, and plain atomics.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 -cudart static -Isingle bench/block.cu -o block && ./block
#include "onefold_block.cuh"
#include "onefold_shared_cells.cuh"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

using onefold::Size;
using Bf16 = onefold::bfloat16;

static void check_call(cudaError_t e, int line) {
  if (e == cudaSuccess) return;
  std::printf("CUDA: %s, line %d\n", cudaGetErrorString(e), line);
  std::exit(1);
}
#define CHECK(call) check_call(call, __LINE__)

// Returns the median milliseconds of some calls after two that do not count.
static double median_ms(const std::function<void()>& f, int times = 9) {
  cudaEvent_t a, b;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&b));
  std::vector<float> t;
  for (int i = 0; i < times + 2; ++i) {
    CHECK(cudaEventRecord(a));
    f();
    CHECK(cudaEventRecord(b));
    CHECK(cudaEventSynchronize(b));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, a, b));
    if (i >= 2) t.push_back(ms);
  }
  CHECK(cudaGetLastError());
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}

// ---- data ----
__host__ __device__ inline uint64_t mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
enum Kind { normal, uniform, lognormal, large, small, zeros, cancelling, any_bits, kinds };
static const char* const names[] = {"N(0,1)",  "U(0,1)",         "lognormal(3)", "N(0,1) 1e12",
                                    "N 1e-15", "half are zeros", "cancelling",   "any bits"};
__device__ double sample(int kind, Size i, uint64_t seed) {
  const uint64_t h = mix(i ^ seed << 40), g = mix(h);
  const double u = (static_cast<double>(h >> 11) + 0.5) * 0x1p-53;
  const double v = (static_cast<double>(g >> 11) + 0.5) * 0x1p-53;
  const double n = sqrt(-2 * log(u)) * cospi(2 * v);
  switch (kind) {
    case uniform:
      return u;
    case lognormal:
      return exp(3 * n);
    case large:
      return n * 1e12;
    case small:
      return n * 1e-15;
    case zeros:
      return (g & 1) != 0 ? n : 0;
    case cancelling:
      return (i & 1 ? -1 : 1) * exp(2 * sqrt(-2 * log((mix(i >> 1) >> 11) * 0x1p-53 + 0x1p-54))) +
             (i == 12345 ? 1e-9 : 0);
    default:
      return n;
  }
}
template <class T>
__global__ void fill_kernel(T* x, Size n, int kind, uint64_t seed) {
  const Size step = Size{gridDim.x} * blockDim.x;
  for (Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    if (kind == any_bits) {  // below the infinities, but for one exponent in 16
      auto bits = static_cast<onefold::bits_of<T>>(mix(i ^ seed << 40));
      constexpr int mantissa = onefold::float_format(onefold::dtype_of<T>).mantissa_bits;
      constexpr int exponent = onefold::float_format(onefold::dtype_of<T>).exponent_bits;
      if ((bits >> (mantissa + 3) & ((1 << (exponent - 3)) - 1)) == (1 << (exponent - 3)) - 1) {
        bits ^= static_cast<onefold::bits_of<T>>(onefold::bits_of<T>{1} << (mantissa + 4));
      }
      x[i] = onefold::bit_cast<T>(bits);
    } else if constexpr (sizeof(T) == 2) {
      const auto f = static_cast<float>(sample(kind, i, seed));
      x[i].bits = static_cast<uint16_t>(__float_as_uint(f) >> 16);
    } else {
      x[i] = static_cast<T>(sample(kind, i, seed));
    }
  }
}
static int processors() {
  static const int n = [] {
    int k = 0;
    CHECK(cudaDeviceGetAttribute(&k, cudaDevAttrMultiProcessorCount, 0));
    return k;
  }();
  return n;
}
template <class T>
void fill(T* x, Size n, int kind, uint64_t seed = 1) {
  fill_kernel<<<processors() * 8, 256>>>(x, n, kind, seed);
  CHECK(cudaGetLastError());
}
__global__ void index_kernel(int* index, Size n, unsigned cells) {
  const Size step = Size{gridDim.x} * blockDim.x;
  for (Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    index[i] = static_cast<int>(mix(i ^ uint64_t{7} << 40) % cells);
  }
}

// ---- sums ----
template <class T, int ahead, int blocks>
__global__ void __launch_bounds__(256, blocks)
    exact_sum(const T* x, Size n, onefold::Cell<T>* cell, T* answer) {
  using Block = onefold::BlockSum<T, 256>;
  __shared__ typename Block::TempStorage temp;
  typename onefold::ThreadSum<T>::Limbs limbs;
  onefold::ThreadSum<T> sum(limbs);
  onefold::add_array<ahead>(sum, x, n);
  Block block(temp);
  block.add_to(cell, sum);
  if (block.is_last_block(cell) && threadIdx.x == 0) {
    *answer = cell->value();
    cell->clear();
  }
}
template <class T>
__global__ void plain_sum(const T* x, Size n, float* y) {
  float s = 0;
  const Size step = Size{gridDim.x} * blockDim.x;
  for (Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) s += x[i];
  for (int d = 16; d != 0; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
  if ((threadIdx.x & 31) == 0) atomicAdd(y, s);
}
__global__ void __launch_bounds__(512) read_kernel(const int4* x, Size n, int* out) {
  int s = 0;
  const Size step = Size{gridDim.x} * blockDim.x;
  Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + 7 * step < n; i += 8 * step) {
    int4 q[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) q[j] = __ldcs(x + i + j * step);
#pragma unroll
    for (const int4& v : q) s ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  for (; i < n; i += step) s ^= x[i].x ^ x[i].y ^ x[i].z ^ x[i].w;
  if (s == 0x12345678) *out = s;
}
static double read_ms(const void* x, Size bytes, void* out) {
  double best = 1e9;
  for (const int per : {1, 2, 4}) {
    best = std::min(best, median_ms([&] {
                      read_kernel<<<processors() * per, 512>>>(static_cast<const int4*>(x),
                                                               bytes / 16, static_cast<int*>(out));
                    }));
  }
  return best;
}
template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (onefold::is_nan(a) && onefold::is_nan(b));
}
template <class T>
void check_sums(const char* type, T* x, onefold::Cell<T>* cell, T* answer) {
  int wrong = 0, cases = 0;
  CHECK(cudaMemset(cell, 0, sizeof *cell));
  for (int kind = 0; kind < kinds; ++kind) {
    for (const Size n : {Size{0}, Size{1}, Size{777}, (Size{1} << 20) + 5}) {
      fill(x, n + 1, kind);
      std::vector<T> h(n);
      CHECK(cudaMemcpy(h.data(), x, n * sizeof(T), cudaMemcpyDeviceToHost));
      onefold::ExactSum<T> expected;
      expected.add(h.data(), n);
      const int sm = processors();
      for (int way = 0; way < 6; ++way) {
        if (way == 0) exact_sum<T, 4, 4><<<sm * 4, 256>>>(x, n, cell, answer);
        if (way == 1) exact_sum<T, 2, 4><<<37, 256>>>(x, n, cell, answer);
        if (way == 2) exact_sum<T, 1, 4><<<1, 256>>>(x, n, cell, answer);
        if (way == 3) exact_sum<T, 4, 4><<<dim3(5, 3), 256>>>(x, n, cell, answer);
        if (way == 4) exact_sum<T, 2, 4><<<sm * 33, 256>>>(x, n, cell, answer);
        if (way == 5) exact_sum<T, 4, 3><<<sm * 3, 256>>>(x, n, cell, answer);
        T got;
        CHECK(cudaMemcpy(&got, answer, sizeof got, cudaMemcpyDeviceToHost));
        ++cases;
        if (!same(got, expected.value()) && ++wrong < 4) {
          std::printf("  wrong: %s %s, n %llu, way %d\n", type, names[kind],
                      static_cast<unsigned long long>(n), way);
        }
      }
    }
  }
  std::printf("check sums %s: %d wrong of %d\n", type, wrong, cases);
}
template <class T>
void time_sums(const char* type, T* x, Size bytes, onefold::Cell<T>* cell, T* answer, double read) {
  const Size n = bytes / sizeof(T);
  const int sm = processors();
  std::printf("share of a read, %s (64 registers: 3 blocks on a processor, 4; up to 80: 3):\n",
              type);
  for (int kind = 0; kind < kinds; ++kind) {
    fill(x, n, kind);
    const int times = kind == any_bits ? 1 : 7;
    const double a =
        median_ms([&] { exact_sum<T, 4, 4><<<sm * 3, 256>>>(x, n, cell, answer); }, times);
    const double b =
        median_ms([&] { exact_sum<T, 4, 4><<<sm * 4, 256>>>(x, n, cell, answer); }, times);
    const double c =
        median_ms([&] { exact_sum<T, 4, 3><<<sm * 3, 256>>>(x, n, cell, answer); }, times);
    std::printf("  %-16s %.3f %.3f %.3f\n", names[kind], read / a, read / b, read / c);
    std::fflush(stdout);
  }
}

// ---- scatter ----
template <class T, class F>
__device__ void walk(const T* x, const int* index, Size n, const F& f) {  // n a multiple of 4
  const Size step = Size{gridDim.x} * blockDim.x;
  for (Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x; i < n / 4; i += step) {
    const int4 k = __ldcs(reinterpret_cast<const int4*>(index) + i);
    alignas(16) T e[4];
    if constexpr (sizeof(T) == 4) {
      const float4 q = __ldcs(reinterpret_cast<const float4*>(x) + i);
      memcpy(e, &q, sizeof q);
    } else {
      for (int j = 0; j < 4; ++j) e[j] = x[4 * i + j];
    }
    f(k.x, e[0]);
    f(k.y, e[1]);
    f(k.z, e[2]);
    f(k.w, e[3]);
  }
}
template <class T>
__global__ void __launch_bounds__(512)
    exact_kernel(onefold::Cells<T> cells, const T* x, const int* index, Size n) {
  walk(x, index, n, [&](int i, T v) { onefold::exact_add(cells, static_cast<Size>(i), v); });
}
constexpr int few = 1024;
template <class T>
__global__ void __launch_bounds__(512)
    exact_shared_kernel(onefold::Cells<T> cells, const T* x, const int* index, Size n) {
  using Shared = onefold::SharedCells<T, few>;
  __shared__ typename Shared::TempStorage temp;
  const Shared shared(temp, cells);
  walk(x, index, n, [&](int i, T v) { shared.add(static_cast<Size>(i), v); });
  shared.flush();
}
template <class T>
__global__ void round_kernel(onefold::Cells<T> cells, T* y) {
  onefold::round_cells(cells, y);
}
template <class T>
__global__ void fold_kernel(onefold::Cells<T> cells) {
  onefold::fold_cells(cells);
}
template <class T>
__global__ void __launch_bounds__(512) plain_kernel(T* y, const T* x, const int* index, Size n) {
  walk(x, index, n, [&](int i, T v) { atomicAdd(y + i, v); });
}
template <class T>
__global__ void __launch_bounds__(512)
    plain_shared_kernel(T* y, const T* x, const int* index, Size n) {
  __shared__ T s[few];
  for (int c = threadIdx.x; c < few; c += blockDim.x) s[c] = 0;
  __syncthreads();
  walk(x, index, n, [&](int i, T v) { atomicAdd(s + i, v); });
  __syncthreads();
  for (int c = threadIdx.x; c < few; c += blockDim.x) atomicAdd(y + c, s[c]);
}
template <class T>
void scatter(const char* type) {
  const Size n = Size{1} << 26;
  constexpr unsigned entries = 1 << 16;
  constexpr Size most = Size{1} << 22;
  T *x, *y;
  int* index;
  void* memory;
  CHECK(cudaMalloc(&x, n * sizeof *x));
  CHECK(cudaMalloc(&index, n * sizeof *index));
  CHECK(cudaMalloc(&y, most * sizeof *y));
  CHECK(cudaMalloc(&memory, onefold::Cells<T>::bytes(most, entries)));
  std::vector<T> hx(n);
  std::vector<int> hi(n);
  const int sm = processors();
  for (const int kind : {normal, uniform, lognormal}) {
    fill(x, n, kind, 3);
    CHECK(cudaMemcpy(hx.data(), x, n * sizeof *x, cudaMemcpyDeviceToHost));
    for (const Size count : {Size{1} << 10, Size{1} << 16, Size{1} << 22}) {
      index_kernel<<<sm * 8, 256>>>(index, n, static_cast<unsigned>(count));
      CHECK(cudaMemcpy(hi.data(), index, n * sizeof *index, cudaMemcpyDeviceToHost));
      const int unit = onefold::unit_of_data(x, n);
      const onefold::Cells<T> cells(memory, count, entries, unit);
      const auto clear = [&] {
        CHECK(cudaMemsetAsync(memory, 0, onefold::Cells<T>::bytes(count, entries)));
      };
      const int round_blocks = static_cast<int>(std::min<Size>(Size(sm) * 8, count / 256 + 1));
      const auto add = [&](bool shared, int per) {
        if (shared) exact_shared_kernel<<<sm * per, 512>>>(cells, x, index, n);
        if (!shared) exact_kernel<<<sm * per, 512>>>(cells, x, index, n);
      };
      const auto round = [&] { round_kernel<<<round_blocks, 256>>>(cells, y); };
      const bool can = count <= few;
      std::vector<T> first(count), got(count);
      int differ = 0, wrong = 0;
      for (int way = 0; way < 4; ++way) {
        clear();
        add(can && way % 2 == 0, way + 1);
        if (way == 3) fold_kernel<<<round_blocks, 256>>>(cells);
        round();
        CHECK(cudaMemcpy(got.data(), y, count * sizeof *y, cudaMemcpyDeviceToHost));
        if (way == 0) first = got;
        differ += std::memcmp(first.data(), got.data(), count * sizeof *y) != 0;
      }
      const Size every = count / 256;
      std::vector<onefold::ExactSum<T>> sum(256);
      for (Size i = 0; i < n; ++i) {
        const auto c = static_cast<Size>(hi[i]);
        if (c % every == 0) sum[c / every].add(hx[i]);
      }
      for (Size c = 0; c < 256; ++c) wrong += !same(sum[c].value(), first[c * every]);
      const onefold::CellsState s = onefold::state_of(cells);
      const double sampling = median_ms([&] { onefold::unit_of_data(x, n); }, 5);
      const double zeroing = median_ms(clear, 5);
      const double rounding = median_ms(round, 5);
      double ours = 1e9, plain = 1e9, adding = 1e9;
      for (const int per : {2, 4}) {
        for (const bool shared : {false, true}) {
          if (shared && !can) continue;
          ours = std::min(ours, median_ms([&] { clear(), add(shared, per), round(); }, 5));
          adding = std::min(adding, median_ms([&] { add(shared, per); }, 5));
          plain = std::min(plain, median_ms(
                                      [&] {
                                        cudaMemsetAsync(y, 0, count * sizeof *y);
                                        if (shared)
                                          plain_shared_kernel<<<sm * per, 512>>>(y, x, index, n);
                                        if (!shared)
                                          plain_kernel<<<sm * per, 512>>>(y, x, index, n);
                                      },
                                      5));
        }
      }
      std::printf(
          "scatter %s %s, 2^26 into %llu: %d grids differ, %d of 256 cells wrong, status %u, %u "
          "listed; ms: sample %.3f, clear %.3f, add %.3f, round %.3f, last three %.3f; plain %.3f; "
          "ratio %.2f\n",
          type, names[kind], static_cast<unsigned long long>(count), differ, wrong, s.status,
          s.listed, sampling, zeroing, adding, rounding, ours, plain, ours / plain);
      std::fflush(stdout);
    }
  }
  cudaFree(x);
  cudaFree(y);
  cudaFree(index);
  cudaFree(memory);
}

int main() {
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  const Size bytes = Size{1} << 30;
  void *x, *cell, *answer;
  CHECK(cudaMalloc(&x, bytes + 4096));
  CHECK(cudaMalloc(&cell, 4096));
  CHECK(cudaMalloc(&answer, 256));
  auto* const f32 = static_cast<float*>(x);
  auto* const f64 = static_cast<double*>(x);
  auto* const bf16 = static_cast<Bf16*>(x);
  using onefold::Cell;
  check_sums("f32", f32, static_cast<Cell<float>*>(cell), static_cast<float*>(answer));
  check_sums("f64", f64, static_cast<Cell<double>*>(cell), static_cast<double*>(answer));
  check_sums("bf16", bf16, static_cast<Cell<Bf16>*>(cell), static_cast<Bf16*>(answer));
  fill(f32, bytes / 4, normal);
  const double read = read_ms(x, bytes, answer);
  std::printf("%s: a plain read of 1 GiB takes %.4f ms = %.0f GB/s\n", p.name, read,
              static_cast<double>(bytes) / read * 1e-6);
  double plain = 1e9;
  for (const int per : {4, 8, 16}) {
    plain = std::min(plain, median_ms([&] {
                       plain_sum<<<processors() * per, 256>>>(f32, bytes / 4,
                                                              static_cast<float*>(answer));
                     }));
  }
  std::printf("a user's sum of floats (4-byte loads, shuffles, atomicAdd): %.3f of a read\n",
              read / plain);
  time_sums("f32", f32, bytes, static_cast<Cell<float>*>(cell), static_cast<float*>(answer), read);
  time_sums("f64", f64, bytes, static_cast<Cell<double>*>(cell), static_cast<double*>(answer),
            read);
  time_sums("bf16", bf16, bytes, static_cast<Cell<Bf16>*>(cell), static_cast<Bf16*>(answer), read);
  CHECK(cudaFree(x));
  scatter<float>("f32");
  scatter<double>("f64");
  return 0;
}
