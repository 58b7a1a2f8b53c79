// Asynchronous copies, one of them filled up with zeros.
#include <cuda_pipeline.h>
__global__ void k(const int4* x, int4* y) {
  __shared__ int4 s[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &x[t], 16); __pipeline_commit();
  __pipeline_memcpy_async(&s[32 + t], &x[32 + t], 16, 8); __pipeline_commit();
  __pipeline_wait_prior(1); __syncthreads();
  y[t] = s[31 - t];
  __pipeline_wait_prior(0); __syncthreads();
  y[32 + t] = s[32 + 31 - t];
}
