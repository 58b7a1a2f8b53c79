#pragma once
#include <cstddef>
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(threads, blocks) \
  __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(blocks)))
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned a, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct int4 {
  int x, y, z, w;
};
extern __device__ const dim3 threadIdx, blockIdx, blockDim, gridDim;
__device__ void __syncthreads();
__device__ void __threadfence();
__device__ unsigned __lane_id();
__device__ unsigned long long __ballot(int);
template <class T>
__device__ T __shfl(T, int, int);
template <class T>
__device__ T __shfl_down(T, unsigned, int);
__device__ int __popc(unsigned);
__device__ int __ffs(int);
__device__ int __clzll(long long);
__device__ long long clock();
__device__ unsigned atomicInc(unsigned*, unsigned);
__device__ unsigned atomicOr(unsigned*, unsigned);
__device__ unsigned atomicAdd(unsigned*, unsigned);
__device__ unsigned long long atomicAdd(unsigned long long*, unsigned long long);
extern "C" __device__ void* memcpy(void*, const void*, size_t);

enum hipError_t { hipSuccess };
enum hipMemcpyKind { hipMemcpyDeviceToHost };
using hipStream_t = struct ihipStream_t*;
template <class T>
hipError_t hipMalloc(T**, size_t);
hipError_t hipFree(void*);
hipError_t hipMemset(void*, int, size_t);
hipError_t hipMemcpy(void*, const void*, size_t, hipMemcpyKind);
extern "C" hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
extern "C" hipError_t hipConfigureCall(dim3, dim3, size_t = 0, hipStream_t = nullptr);
