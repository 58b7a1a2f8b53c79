// lockstep: loads by warps
__global__ void solve(const int* x, int* y, int n) {
  int t = threadIdx.x, i = blockIdx.x * 256 + t, b = i / 32 * 32, v = 0;
  for (int k = 0; k < 32; ++k) if (b + k < n) v += x[b + k];
  if (t % 32 == 0) y[i / 32] = v;
}
