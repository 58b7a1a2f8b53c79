// The rung `cub`, compiled by nvcc into a library of its own: lab/plugin.cpp finds and calls it.
#include <cuda_runtime.h>

#include <climits>
#include <cub/cub.cuh>

namespace {

// Grows in the first call of a size, which is never under capture, and stays.
void* scratch = nullptr;
std::size_t scratch_bytes = 0;

template <class T, class N>
cudaError_t sum(const void* x, N n, void* answer, cudaStream_t stream) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(answer);
  std::size_t bytes = 0;
  cudaError_t e = cub::DeviceReduce::Sum(nullptr, bytes, from, to, n, stream);
  if (e != cudaSuccess) return e;
  if (bytes > scratch_bytes) {
    if ((e = cudaFree(scratch)) != cudaSuccess) return e;
    scratch = nullptr;
    scratch_bytes = 0;
    if ((e = cudaMalloc(&scratch, bytes)) != cudaSuccess) return e;
    scratch_bytes = bytes;
  }
  return cub::DeviceReduce::Sum(scratch, bytes, from, to, n, stream);
}

template <class T>
cudaError_t sum_of(const void* x, unsigned long long n, void* answer, cudaStream_t stream) {
  // 32-bit counts where they do: CUB's usual case.
  if (n <= INT_MAX) return sum<T>(x, static_cast<int>(n), answer, stream);
  return sum<T>(x, static_cast<long long>(n), answer, stream);
}

}  // namespace

// kind: 'i' or 'f'. Null, or what went wrong.
extern "C" const char* onefold_cub_sum(char kind, unsigned bytes, const void* x,
                                       unsigned long long n, void* answer, void* stream) {
  const auto s = static_cast<cudaStream_t>(stream);
  const cudaError_t e = kind == 'i' ? bytes == 4 ? sum_of<int>(x, n, answer, s)
                                                 : sum_of<long long>(x, n, answer, s)
                        : bytes == 4 ? sum_of<float>(x, n, answer, s)
                                     : sum_of<double>(x, n, answer, s);
  return e == cudaSuccess ? nullptr : cudaGetErrorString(e);
}
