// transpose: wavefronts
__global__ void solve(const int* x, int* y, int n) {
  __shared__ int s[32][32];
  int t = threadIdx.x, left = blockIdx.x * 32, top = blockIdx.y * 32;
  for (int k = threadIdx.y; k < 32; k += 8) {
    if (top + k < n && left + t < n) s[k][t] = x[(top + k) * n + left + t];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) {
    if (left + k < n && top + t < n) y[(left + k) * n + top + t] = s[t][k];
  }
}
