// dot: atomics
__global__ void solve(const int* a, const int* b, int* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(&y[blockIdx.x], a[i] * b[i]);
}
