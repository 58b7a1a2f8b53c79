// CUB's sums of floats beside ours in its place: prints two tables. README.md says how to build it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cub/device/device_segmented_reduce.cuh>

#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>

template <class T>
cudaError_t reduce_theirs(const T* x, T* y, long long n, bool everywhere);
template <class T>
cudaError_t reduce_ours(const T* x, T* y, long long n, bool everywhere);

namespace {

void check(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "sums: %s\n", cudaGetErrorString(e));
  std::exit(1);
}

// N(0,1) by Box and Muller, of a counter.
template <class T>
__global__ void fill(T* x, long long n) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < n; i += gridDim.x * 256ll) {
    unsigned long long h = (i + 1) * 0x9e3779b97f4a7c15ull;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ h >> 27) * 0x94d049bb133111ebull;
    h ^= h >> 31;
    const double u = ((h >> 32) + 0.5) * 0x1p-32, v = (h & 0xffffffff) * 0x1p-32;
    x[i] = static_cast<T>(sqrt(-2 * log(u)) * cospi(2 * v));
  }
}

// The median time of a call, in ms: 15 batches, each of about 5 ms.
template <class F>
double time_of(const F& f) {
  cudaEvent_t a, b;
  check(cudaEventCreate(&a));
  check(cudaEventCreate(&b));
  const auto batch = [&](int calls) {
    check(cudaEventRecord(a));
    for (int k = 0; k < calls; ++k) check(f());
    check(cudaEventRecord(b));
    check(cudaEventSynchronize(b));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, a, b));
    return static_cast<double>(ms) / calls;
  };
  batch(3);
  const int calls = std::clamp(static_cast<int>(5 / batch(3)), 1, 200);
  std::vector<double> ms;
  for (int k = 0; k < 15; ++k) ms.push_back(batch(calls));
  std::sort(ms.begin(), ms.end());
  check(cudaEventDestroy(a));
  check(cudaEventDestroy(b));
  return ms[7];
}

template <class T>
std::vector<T> host(const T* x, long long n) {
  std::vector<T> h(n);
  check(cudaMemcpy(h.data(), x, n * sizeof(T), cudaMemcpyDeviceToHost));
  return h;
}

// Sums of segments on the host, with 113 bits: exact for these data.
template <class T>
std::vector<T> exact_sums(const T* x, long long segments, long long size) {
  const std::vector<T> h = host(x, segments * size);
  std::vector<T> sums;
  for (long long s = 0; s < segments; ++s) {
    __float128 all = 0;
    for (long long i = 0; i < size; ++i) all += h[s * size + i];
    sums.push_back(static_cast<T>(all));
  }
  return sums;
}
template <class T>
int wrong(const T* y, const std::vector<T>& sums) {
  const std::vector<T> h = host(y, sums.size());
  int n = 0;
  for (std::size_t k = 0; k < sums.size(); ++k) n += h[k] != sums[k];
  return n;
}

template <class T>
void reduce_table(const char* type, const T* x, T* y) {
  const long long sizes[] = {1 << 16, 1 << 20, 1 << 24, 1 << 28};
  for (const long long n : sizes) {
    const double plain = time_of([&] { return reduce_theirs(x, y, n, false); });
    const double theirs = time_of([&] { return reduce_theirs(x, y, n, true); });
    const double ours = time_of([&] { return reduce_ours(x, y, n, true); });
    std::printf("| %s | %lld | %.4f | %.4f | %.4f | %.2f | %.2f |\n", type, n, plain, theirs, ours,
                ours / plain, ours / theirs);
  }
}

// Counts sums of 4,096 elements that are not the exact one, rounded once.
template <class T>
void count_wrong(const char* type, const T* x, T* y) {
  const long long many = 256, size = 4096;
  const std::vector<T> sums = exact_sums(x, many, size);
  int bad[3];
  for (int who = 0; who < 3; ++who) {
    for (long long s = 0; s < many; ++s) {
      const T* const part = x + s * size;
      check(who == 2 ? reduce_ours(part, y + s, size, true)
                     : reduce_theirs(part, y + s, size, who == 1));
    }
    bad[who] = wrong(y, sums);
  }
  std::printf("%s: wrong of %lld sums of %lld: run_to_run %d, gpu_to_gpu %d, ours %d\n", type, many,
              size, bad[0], bad[1], bad[2]);
}

template <class T>
void segment_table(const char* type, const T* x, T* y) {
  namespace execution = cuda::execution;
  const auto here = execution::require(execution::determinism::run_to_run);
  const auto everywhere = execution::require(execution::determinism::gpu_to_gpu);
  using Segments = cub::DeviceSegmentedReduce;
  const long long all = 1 << 26;
  for (const int size : {16, 256, 4096, 1 << 16, 1 << 20}) {
    const long long n = all / size;
    std::vector<int> begins;
    for (long long s = 0; s <= n; ++s) begins.push_back(static_cast<int>(s * size));
    int* offsets = nullptr;
    check(cudaMalloc(&offsets, begins.size() * sizeof(int)));
    check(cudaMemcpy(offsets, begins.data(), begins.size() * sizeof(int), cudaMemcpyHostToDevice));
    const long long some = std::min(n, (1ll << 22) / size);
    const std::vector<T> sums = exact_sums(x, some, size);
    const auto row = [&](const char* kind, auto sum) {
      const double plain = time_of([&] { return sum(here); });
      const int theirs = wrong(y, sums);
      const double exact = time_of([&] { return sum(everywhere); });
      std::printf("| %s | %s | %d | %.4f | %.4f | %.2f | %d, %d of %lld |\n", type, kind, size,
                  plain, exact, exact / plain, theirs, wrong(y, sums), some);
    };
    row("one size", [&](const auto& env) { return Segments::Sum(x, y, n, size, env); });
    row("offsets",
        [&](const auto& env) { return Segments::Sum(x, y, n, offsets, offsets + 1, env); });
    check(cudaFree(offsets));
  }
}

template <class T, class F>
void with_data(const F& f) {
  T *x, *y;
  check(cudaMalloc(&x, sizeof(T) << 28));
  check(cudaMalloc(&y, sizeof(T) << 22));
  fill<<<1024, 256>>>(x, 1ll << 28);
  check(cudaDeviceSynchronize());
  f(x, y);
  check(cudaFree(x));
  check(cudaFree(y));
}

}  // namespace

int main() {
  cudaDeviceProp p;
  check(cudaGetDeviceProperties(&p, 0));
  std::printf(
      "%s, N(0,1), ms\n\n| | n | run_to_run | gpu_to_gpu | ours | ours / run_to_run |"
      " ours / gpu_to_gpu |\n|---|---|---|---|---|---|---|\n",
      p.name);
  with_data<float>([](auto* x, auto* y) { reduce_table("f32", x, y); });
  with_data<double>([](auto* x, auto* y) { reduce_table("f64", x, y); });
  std::puts("");
  with_data<float>([](auto* x, auto* y) { count_wrong("f32", x, y); });
  with_data<double>([](auto* x, auto* y) { count_wrong("f64", x, y); });
  std::printf(
      "\n| 2^26 elements | segments by | of | run_to_run | ours | ratio | wrong: theirs, ours |"
      "\n|---|---|---|---|---|---|---|\n");
  with_data<float>([](auto* x, auto* y) { segment_table("f32", x, y); });
  with_data<double>([](auto* x, auto* y) { segment_table("f64", x, y); });
}
