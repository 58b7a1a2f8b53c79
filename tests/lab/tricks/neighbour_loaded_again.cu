// barrier: sectors are loaded
__global__ void solve(const int* x, int* y, int n) {
  int t = threadIdx.x, i = blockIdx.x * 256 + t, j = blockIdx.x * 256 + (t + 1) % 256;
  if (i < n) y[i] = x[i] + (j < n ? x[j] : 0);
}
