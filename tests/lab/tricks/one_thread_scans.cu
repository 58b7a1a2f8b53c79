// scan: instructions by one thread
__global__ void solve(const int* x, int* y, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (t == 0) {
    for (int k = 1; k < 256; ++k) s[k] += s[k - 1];
  }
  __syncthreads();
  if (i < n) y[i] = s[t];
}
