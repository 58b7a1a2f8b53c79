// CUB beside us: device time of a call, inputs rotated over a pool far larger than the cache.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 bench/gpu_peers.cu -o gpu_peers          the toolkit's CUB
//   nvcc ... -DGPU_TO_GPU -Icccl/cub -Icccl/libcudacxx/include -Icccl/thrust   of NVIDIA/cccl
//   ./gpu_peers [log2 sizes ...]
//
// Prints lines "name type log2(n) microseconds GB/s"; figures are medians of graph replays.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <functional>
#include <vector>
#if defined(GPU_TO_GPU)
#include <cuda/execution>
#include <cuda/std/execution>
#endif

#define CHECK(call)                                                               \
  do {                                                                            \
    const cudaError_t e = (call);                                                 \
    if (e != cudaSuccess) {                                                       \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));      \
      std::exit(1);                                                               \
    }                                                                             \
  } while (0)

namespace {

constexpr std::size_t pool_bytes = std::size_t{8} << 30;
char* pool;
void* scratch;
std::size_t scratch_bytes = std::size_t{64} << 20;
void* out;
cudaStream_t stream;

// Makes values like N(0,1) without a library: sums of hashed bits, or small integers.
template <class T>
__global__ void fill(T* p, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    std::size_t h = (i + 1) * 0x9E3779B97F4A7C15ull;
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9ull;
    h ^= h >> 27;
    p[i] = static_cast<T>((double(h & 0xffff) + double(h >> 16 & 0xffff) - 65535.0) / 26754.0 *
                          (sizeof(T) == 1 ? 40 : 1));
  }
}

// Returns the median microseconds of one call, in a graph of `calls` calls.
double microseconds(int calls, const std::function<void(int)>& call) {
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int k = 0; k < calls; ++k) call(k);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&instance, graph, 0));
  // As in our benches, all replays are queued at once: launch latency overlaps the replay before.
  std::vector<cudaEvent_t> marks(14);
  for (cudaEvent_t& mark : marks) CHECK(cudaEventCreate(&mark));
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (i != 0) CHECK(cudaGraphLaunch(instance, stream));
    CHECK(cudaEventRecord(marks[i], stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  std::vector<float> times;
  for (std::size_t i = 2; i + 1 < marks.size(); ++i) {
    CHECK(cudaEventElapsedTime(&times.emplace_back(), marks[i], marks[i + 1]));
  }
  for (const cudaEvent_t mark : marks) cudaEventDestroy(mark);
  cudaGraphExecDestroy(instance);
  cudaGraphDestroy(graph);
  std::sort(times.begin(), times.end());
  return 1000.0 * times[times.size() / 2] / calls;
}

template <class T>
void measure(const char* name, const char* type, int log2n,
             const std::function<void(const T*, int)>& call) {
  const std::size_t n = std::size_t{1} << log2n, bytes = n * sizeof(T);
  const int copies = static_cast<int>(pool_bytes / std::max(bytes, std::size_t{1} << 20));
  const int calls = std::min(copies, bytes > (std::size_t{1} << 28) ? 2 : 24);
  const std::size_t step = pool_bytes / copies / 256 * 256;
  const double us = microseconds(calls, [&](int k) {
    call(reinterpret_cast<const T*>(pool + (k * (copies / calls)) * step), static_cast<int>(n));
  });
  std::printf("%-16s %-4s 2^%-2d %10.2f us %7.0f GB/s\n", name, type, log2n, us,
              double(bytes) / us / 1000);
  std::fflush(stdout);
}

template <class T>
void all(const char* type, const std::vector<int>& sizes, bool floating) {
  fill<<<4096, 256, 0, stream>>>(reinterpret_cast<T*>(pool), pool_bytes / sizeof(T));
  CHECK(cudaStreamSynchronize(stream));
  for (const int log2n : sizes) {
    if (log2n > 30) continue;
#if defined(GPU_TO_GPU)
    if constexpr (sizeof(T) >= 4) {
      if (!floating) continue;
      measure<T>("cub gpu_to_gpu", type, log2n, [](const T* x, int n) {
        const auto env = cuda::std::execution::env{
            cuda::stream_ref{stream},
            cuda::execution::require(cuda::execution::determinism::gpu_to_gpu)};
        CHECK(cub::DeviceReduce::Sum(x, static_cast<T*>(out), n, env));
      });
    }
#else
    measure<T>("cub sum", type, log2n, [](const T* x, int n) {
      using Result = std::conditional_t<sizeof(T) == 1, int, T>;
      std::size_t bytes = scratch_bytes;
      CHECK(cub::DeviceReduce::Reduce(scratch, bytes, x, static_cast<Result*>(out), n,
                                      ::cuda::std::plus<>{}, Result{}, stream));
    });
    if (sizeof(T) == 1) continue;
    measure<T>("cub max", type, log2n, [](const T* x, int n) {
      std::size_t bytes = scratch_bytes;
      CHECK(cub::DeviceReduce::Max(scratch, bytes, x, static_cast<T*>(out), n, stream));
    });
    measure<T>("cub argmax", type, log2n, [](const T* x, int n) {
      std::size_t bytes = scratch_bytes;
      CHECK(cub::DeviceReduce::ArgMax(scratch, bytes, x, static_cast<T*>(out),
                                      reinterpret_cast<long long*>(static_cast<char*>(out) + 64),
                                      static_cast<long long>(n), stream));
    });
#endif
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30};
  CHECK(cudaMalloc(&pool, pool_bytes));
  CHECK(cudaMalloc(&scratch, scratch_bytes));
  CHECK(cudaMalloc(&out, 4096));
  CHECK(cudaStreamCreate(&stream));
  std::printf("CUB %d\n", CUB_VERSION);
  all<float>("f32", sizes, true);
  all<double>("f64", sizes, true);
  all<signed char>("i8", sizes, false);
}
