// DeviceReduce of CUB with one determinism. sums.cu calls it compiled twice: NAME is
// reduce_theirs, or reduce_ours with CUB_EXACT_REDUCE, and THRUST_CUB_WRAPPED_NAMESPACE differs.
#include <cub/device/device_reduce.cuh>

#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>

template <class T>
cudaError_t NAME(const T* x, T* y, long long n, bool everywhere) {
  namespace execution = cuda::execution;
  namespace cub = THRUST_CUB_WRAPPED_NAMESPACE::cub;
  const cuda::std::plus<T> plus;
  if (everywhere) {
    return cub::DeviceReduce::Reduce(x, y, n, plus, T{},
                                     execution::require(execution::determinism::gpu_to_gpu));
  }
  return cub::DeviceReduce::Reduce(x, y, n, plus, T{},
                                   execution::require(execution::determinism::run_to_run));
}
template cudaError_t NAME(const float*, float*, long long, bool);
template cudaError_t NAME(const double*, double*, long long, bool);
