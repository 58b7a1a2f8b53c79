// Rows that a warp sums, or a part of one: onefold::WarpSum beside a loop of T with shuffles, as
// cub::WarpReduce has them. Each answer is checked against ExactSum on the host for 64 rows.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 -cudart static -Isingle bench/warp.cu -o warp && ./warp
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "onefold_warp.cuh"

static double median_ms(const std::function<void()>& f) {
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  std::vector<float> t;
  for (int i = 0; i < 11; ++i) {
    cudaEventRecord(a);
    f();
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    float ms = 0;
    cudaEventElapsedTime(&ms, a, b);
    if (i >= 2) t.push_back(ms);
  }
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}

template <class T>
__global__ void fill(T* x, onefold::Size n) {  // 24 bits, in [-1, 1)
  const onefold::Size i = onefold::Size{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  x[i] = static_cast<T>(static_cast<int>(z >> 40) - (1 << 23)) * static_cast<T>(0x1p-23);
}
template <class T, int lanes, bool exact>
__global__ void __launch_bounds__(256, 4) rows(const T* x, int count, int columns, T* y) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = thread / lanes, lane = thread % lanes;
  if (row >= count) return;
  const T* const from = x + onefold::Size(row) * columns;
  T s{};
  if constexpr (exact) {
    typename onefold::ThreadSum<T>::Limbs limbs;
    onefold::ThreadSum<T> sum(limbs);
    for (int i = lane; i < columns; i += lanes) sum.add(from[i]);
    s = onefold::WarpSum<T, lanes>().value(sum);
  } else {
    for (int i = lane; i < columns; i += lanes) s += from[i];
    for (int d = lanes / 2; d != 0; d /= 2) s += __shfl_down_sync(~0u, s, d, lanes);
  }
  if (lane == 0) y[row] = s;
}

template <class T, int lanes>
void time_rows(const char* type, const T* x, onefold::Size n, int columns, T* y) {
  const int count = static_cast<int>(n) / columns, blocks = count / (256 / lanes);
  const double plain =
      median_ms([&] { rows<T, lanes, false><<<blocks, 256>>>(x, count, columns, y); });
  const double exact =
      median_ms([&] { rows<T, lanes, true><<<blocks, 256>>>(x, count, columns, y); });
  int wrong = 0;
  std::vector<T> h(static_cast<std::size_t>(64 * columns)), sums(64);
  cudaMemcpy(h.data(), x, h.size() * sizeof(T), cudaMemcpyDeviceToHost);
  cudaMemcpy(sums.data(), y, sums.size() * sizeof(T), cudaMemcpyDeviceToHost);
  for (std::size_t r = 0; r < 64; ++r) {
    onefold::ExactSum<T> s;
    s.add(h.data() + r * static_cast<std::size_t>(columns), static_cast<onefold::Size>(columns));
    const T expected = s.value();
    wrong += std::memcmp(&expected, &sums[r], sizeof expected) != 0;
  }
  std::printf(
      "%s, rows of %d by %d lanes: plain %.3f ms, exact %.3f, ratio %.2f; %d of 64 wrong; %s\n",
      type, columns, lanes, plain, exact, exact / plain, wrong,
      cudaGetErrorString(cudaGetLastError()));
}
template <class T>
void table(const char* type) {
  const onefold::Size n = onefold::Size{1} << 26;
  T *x, *y;
  cudaMalloc(&x, n * sizeof *x);
  cudaMalloc(&y, n / 8 * sizeof *y);
  fill<<<static_cast<unsigned>(n / 256), 256>>>(x, n);
  time_rows<T, 8>(type, x, n, 8, y);
  time_rows<T, 32>(type, x, n, 32, y);
  time_rows<T, 32>(type, x, n, 256, y);
  time_rows<T, 32>(type, x, n, 4096, y);
  cudaFree(x);
  cudaFree(y);
}

int main() {
  table<float>("f32");
  table<double>("f64");
}
