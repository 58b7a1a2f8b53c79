// onefold_exact.hpp in kernels: nvcc compiles this file, NVRTC the part without the host, and the
// lab runs it on its simulated GPU.
#include "onefold_exact.hpp"

// Each thread sums what it reads, and block 0 merges: any grid gives the same bits.
template <class State, class T>
__device__ void gather(const T* x, onefold::Size n, State* parts) {
  State s;
  const onefold::Size threads = gridDim.x * blockDim.x;
  for (onefold::Size i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) s.add(x[i]);
  parts[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
extern "C" __global__ void gather_floats(const float* x, onefold::Size n,
                                         onefold::ExactSum<float>* parts) {
  gather(x, n, parts);
}
extern "C" __global__ void gather_doubles(const double* x, onefold::Size n,
                                          onefold::ExactVar<double>* parts) {
  gather(x, n, parts);
}
extern "C" __global__ void merge_floats(onefold::ExactSum<float>* parts, int n, float* sum,
                                        double* mean) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  for (int k = 1; k < n; ++k) parts[0].merge(parts[k]);
  *sum = parts[0].value();
  *mean = parts[0].mean<double>();
}
extern "C" __global__ void merge_doubles(onefold::ExactVar<double>* parts, int n, double* var) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  for (int k = 1; k < n; ++k) parts[0].merge(parts[k]);
  *var = parts[0].var();
}

#if !defined(__CUDACC_RTC__)
#include <cstdio>

// Elements of many exponents, whose sum in any other order would be another number.
template <class T>
void fill(T* x, int n) {
  uint32_t state = 1;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525 + 1013904223;
    T v = static_cast<T>(static_cast<int>(state >> 8 & 0xffff) - 32768);
    for (uint32_t k = 0; k < state >> 27; ++k) v *= static_cast<T>(0.125);
    x[i] = v;
  }
}

// Compares what kernels and the host compute.
int main() {
  constexpr int n = 1000, blocks = 2, threads = 32, all = blocks * threads;
  float *x, *sum;
  double *y, *mean, *var;
  onefold::ExactSum<float>* sums;
  onefold::ExactVar<double>* vars;
  cudaMallocManaged(&x, n * sizeof *x);
  cudaMallocManaged(&y, n * sizeof *y);
  cudaMallocManaged(&sum, sizeof *sum);
  cudaMallocManaged(&mean, sizeof *mean);
  cudaMallocManaged(&var, sizeof *var);
  cudaMallocManaged(&sums, all * sizeof *sums);
  cudaMallocManaged(&vars, all * sizeof *vars);
  fill(x, n);
  fill(y, n);
  gather_floats<<<blocks, threads>>>(x, n, sums);
  merge_floats<<<1, 1>>>(sums, all, sum, mean);
  gather_doubles<<<blocks, threads>>>(y, n, vars);
  merge_doubles<<<1, 1>>>(vars, all, var);
  cudaDeviceSynchronize();
  onefold::ExactSum<float> s;
  onefold::ExactVar<double> v;
  s.add(x, n);
  v.add(y, n);
  std::printf("%.9g %.17g %.17g\n", static_cast<double>(*sum), *mean, *var);
  const bool same = *sum == s.value() && *mean == s.mean<double>() && *var == v.var() &&
                    sums[0] == s && vars[0] == v;
  return same ? 0 : 1;
}
#endif
