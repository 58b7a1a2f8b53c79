// A kernel with its program, as people write them: only the kernel is for the machine.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void reduce0(const int *in, int *out, unsigned int n) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) {
    out[blockIdx.x] = sdata[0];
    if (blockIdx.x == 1) printf("block %d of %u: %d\n", blockIdx.x, gridDim.x, sdata[0]);
  }
}

int main() {
  const int n = 16384;
  std::vector<int> x(n);
  for (int i = 0; i < n; ++i) x[i] = i;
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemcpy(in, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  reduce0<<<64, 256, 256 * sizeof(int)>>>(in, out, n);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
